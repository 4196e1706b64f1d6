"""The whole graph, on one screen.

    classifier → schema → generator → validator → executor → interpreter
                    ↑         ↓           ↓ ↑ ↘ confirmation ↗
                    └───── recovery ──────┘←── (what failed)

Nodes are agents, one module each. Edges are rows of `supervisor.ROUTES`. The chart needs no step of
its own: `chart.py` chooses it from the rows that the interpreter has in hand.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from text2sql.agents.classifier import classifier
from text2sql.agents.confirmation import confirmation
from text2sql.agents.desk import Agent, Asked, Rooms, staged
from text2sql.agents.executor import executor
from text2sql.agents.generator import generator
from text2sql.agents.interpreter import interpreter
from text2sql.agents.recovery import recovery
from text2sql.agents.schema import schema
from text2sql.agents.state import SQLMessageState, Stage
from text2sql.agents.supervisor import ROUTES, next_stage
from text2sql.agents.validator import validator

Graph: TypeAlias = "CompiledStateGraph[SQLMessageState, Asked, Any, Any]"

AGENTS: Mapping[Stage, Agent] = {
    "classifier": classifier,
    "schema": schema,
    "generator": generator,
    "validator": validator,
    "confirmation": confirmation,
    "executor": executor,
    "recovery": recovery,
    "interpreter": interpreter,
}


def build(rooms: Rooms) -> Graph:
    graph = StateGraph(SQLMessageState, context_schema=Asked)
    graph.add_edge(START, "classifier")
    for name, agent in AGENTS.items():
        graph.add_node(name, staged(name, agent, rooms))
        graph.add_conditional_edges(name, _next, [route.then for route in ROUTES if route.after == name])
    return compiled(graph, rooms)


async def _next(state: SQLMessageState) -> str:
    """LangGraph would hop to a thread and back for a plain function: half a millisecond at every edge."""
    return next_stage(state)


def compiled(graph: "StateGraph[SQLMessageState, Asked, Any, Any]", rooms: Rooms) -> Graph:
    """With our threads, or without: LangGraph's own server brings its own."""
    if not rooms.keeps:
        return graph.compile()
    return graph.compile(checkpointer=rooms.memory.checkpointer, store=rooms.memory.store)
