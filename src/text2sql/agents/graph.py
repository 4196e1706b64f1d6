"""The LangGraph graph: its nodes and edges.

    classifier → schema → generator → validator → executor → interpreter
                    ↑         ↓           ↓ ↑ ↘ confirmation ↗
                    └───── recovery ──────┘←── (failed or doubtful)

Each node is one module with one function. Edges are the rows of `routes.ROUTES`. Charts need no node: the
interpreter chooses one from the result.
"""

from collections.abc import Mapping
from typing import TypeAlias

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from text2sql.agents.classifier import classifier
from text2sql.agents.confirmation import confirmation
from text2sql.agents.executor import executor
from text2sql.agents.generator import generator
from text2sql.agents.interpreter import interpreter
from text2sql.agents.node_context import NodeFunction, Resources, make_node
from text2sql.agents.recovery import recovery
from text2sql.agents.routes import Router, destinations
from text2sql.agents.schema import schema
from text2sql.agents.state import QuestionInput, QuestionOutput, SQLMessageState, Stage
from text2sql.agents.validator import validator
from text2sql.types import RunOptions

Builder: TypeAlias = "StateGraph[SQLMessageState, RunOptions, QuestionInput, QuestionOutput]"
Graph: TypeAlias = "CompiledStateGraph[SQLMessageState, RunOptions, QuestionInput, QuestionOutput]"

NODE_FUNCTIONS: Mapping[Stage, NodeFunction] = {
    "classifier": classifier,
    "schema": schema,
    "generator": generator,
    "validator": validator,
    "confirmation": confirmation,
    "executor": executor,
    "recovery": recovery,
    "interpreter": interpreter,
}


def build(resources: Resources) -> Graph:
    """Build and compile the graph."""
    graph = new_graph(resources)
    for name in NODE_FUNCTIONS:
        graph.add_conditional_edges(name, Router(name), destinations(name))
    return compile_graph(graph, resources)


def new_graph(resources: Resources) -> Builder:
    """The nodes of all agents; every question starts at the classifier."""
    graph: Builder = StateGraph(
        SQLMessageState, context_schema=RunOptions, input_schema=QuestionInput, output_schema=QuestionOutput
    )
    for name, function in NODE_FUNCTIONS.items():
        graph.add_node(name, make_node(name, function, resources))
    graph.add_edge(START, "classifier")
    return graph


def compile_graph(graph: Builder, resources: Resources) -> Graph:
    """Compile with our checkpointer and store, unless LangGraph's server brings its own."""
    if not resources.owns_threads:
        return graph.compile()
    return graph.compile(checkpointer=resources.memory.checkpointer, store=resources.memory.store)
