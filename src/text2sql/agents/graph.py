"""The whole graph, on one screen.

    classifier → schema → generator → validator → executor → interpreter
                    ↑         ↓           ↓ ↑ ↘ confirmation ↗
                    └───── recovery ──────┘←── (what failed)

Nodes are agents, one module each. Edges are rows of `supervisor.ROUTES`. The chart needs no step of
its own: `chart.py` chooses it from the rows that the interpreter has in hand.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from text2sql.agents.classifier import classifier
from text2sql.agents.confirmation import confirmation
from text2sql.agents.desk import Agent, Asked, Node, Rooms, staged
from text2sql.agents.executor import executor
from text2sql.agents.generator import generator
from text2sql.agents.interpreter import interpreter
from text2sql.agents.recovery import recovery
from text2sql.agents.schema import schema
from text2sql.agents.state import SQLMessageState, Stage
from text2sql.agents.steps import Steps
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
        leads_to = tuple(route.then for route in ROUTES if route.after == name)
        graph.add_node(name, _routed(staged(name, agent, rooms)), destinations=leads_to)
    return compiled(graph, rooms)


def _routed(node: Node) -> Callable[..., Awaitable[Command[str]]]:
    """A conditional edge would have LangGraph read the whole state once more at every step."""

    async def routed(state: SQLMessageState, runtime: Runtime[Asked]) -> Command[str]:
        update = await node(state, runtime)
        return Command(update=update, goto=next_stage({**state, **update}))  # type: ignore[typeddict-item]

    return routed


def compiled(graph: "StateGraph[SQLMessageState, Asked, Any, Any]", rooms: Rooms) -> Graph:
    """With our threads, or without: LangGraph's own server brings its own."""
    if not rooms.keeps:
        return graph.compile()
    return graph.compile(checkpointer=Steps(rooms.memory.checkpointer), store=rooms.memory.store)
