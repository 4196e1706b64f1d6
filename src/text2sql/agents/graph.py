"""The LangGraph graph: its nodes and edges.

    classifier → schema → generator → validator → executor → interpreter
                    ↑         ↓           ↓ ↑ ↘ confirmation ↗
                    └───── recovery ──────┘←── (failed or doubtful)

Each node is one module with one function. Edges are the rows of `routes.ROUTES`. Charts need no node: the
interpreter chooses one from the result (`chart.py`).
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias, cast

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from text2sql.agents.checkpoint_policy import BatchingCheckpointer, is_loss
from text2sql.agents.classifier import classifier
from text2sql.agents.confirmation import confirmation
from text2sql.agents.executor import executor
from text2sql.agents.generator import generator
from text2sql.agents.interpreter import interpreter
from text2sql.agents.node_context import Node, NodeFunction, Resources, Update, make_node
from text2sql.agents.recovery import recovery
from text2sql.agents.routes import END, ROUTES, next_stage
from text2sql.agents.schema import schema
from text2sql.agents.state import SQLMessageState, Stage
from text2sql.agents.validator import validator
from text2sql.types import RunOptions

Graph: TypeAlias = "CompiledStateGraph[SQLMessageState, RunOptions, Any, Any]"

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

# Nodes that start a new LangGraph step. The executor is one because a query may take long: after a
# cancellation the thread resumes from the validated query.
_OWN_STEP = frozenset({"executor", END})


def build(resources: Resources) -> Graph:
    """Build and compile the graph."""
    graph = StateGraph(SQLMessageState, context_schema=RunOptions)
    graph.add_edge(START, "classifier")
    nodes = {name: make_node(name, function, resources) for name, function in NODE_FUNCTIONS.items()}
    for name in NODE_FUNCTIONS:
        destinations = tuple(route.then for route in ROUTES if route.after == name)
        graph.add_node(name, _make_step(name, nodes, resources), destinations=destinations)
    return compile_graph(graph, resources)


def _make_step(
    first: Stage, nodes: Mapping[Stage, Node], resources: Resources
) -> Callable[..., Awaitable[Command[str]]]:
    """One LangGraph step: runs a node, and the following nodes while a crash would lose nothing costly.

    A LangGraph step costs more than most nodes. LangGraph's own server keeps its own threads: there, every
    node is a step.
    """

    async def step(state: SQLMessageState, runtime: Runtime[RunOptions]) -> Command[str]:
        started, usage_before, name, update = time.monotonic(), state.get("usage"), first, Update()
        while True:
            update |= await nodes[name](state, runtime)
            state = {**state, **update}  # type: ignore[typeddict-item]
            next_name = next_stage(state)
            if next_name in _OWN_STEP or not resources.owns_threads or is_loss(state, usage_before, started):
                # cheaper than a conditional edge, which reads the whole state again
                return Command(update=update, goto=next_name)
            name = cast("Stage", next_name)

    return step


def compile_graph(graph: "StateGraph[SQLMessageState, RunOptions, Any, Any]", resources: Resources) -> Graph:
    """Compile with our checkpointer and store, unless LangGraph's server brings its own."""
    if not resources.owns_threads:
        return graph.compile()
    return graph.compile(
        checkpointer=BatchingCheckpointer(resources.memory.checkpointer), store=resources.memory.store
    )
