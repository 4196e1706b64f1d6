"""The whole graph, on one screen.

    classifier → schema → generator → validator → executor → interpreter
                    ↑         ↓           ↓ ↑ ↘ confirmation ↗
                    └───── recovery ──────┘←── (what failed, or is in doubt)

Nodes are agents, one module each. Edges are rows of `supervisor.ROUTES`. The chart needs no step of
its own: `chart.py` chooses it from the rows that the interpreter has in hand.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias, cast

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from text2sql.agents.classifier import classifier
from text2sql.agents.confirmation import confirmation
from text2sql.agents.desk import Agent, Asked, Node, Rooms, Update, staged
from text2sql.agents.executor import executor
from text2sql.agents.generator import generator
from text2sql.agents.interpreter import interpreter
from text2sql.agents.recovery import recovery
from text2sql.agents.schema import schema
from text2sql.agents.state import SQLMessageState, Stage
from text2sql.agents.steps import Steps, is_loss
from text2sql.agents.supervisor import END, ROUTES, next_stage
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

# A query may take long, and who cancels it goes on from the check that it has passed.
_BEGINS = frozenset({"executor", END})


def build(rooms: Rooms) -> Graph:
    graph = StateGraph(SQLMessageState, context_schema=Asked)
    graph.add_edge(START, "classifier")
    nodes = {name: staged(name, agent, rooms) for name, agent in AGENTS.items()}
    for name in AGENTS:
        leads_to = tuple(route.then for route in ROUTES if route.after == name)
        graph.add_node(name, _stepped(name, nodes, rooms), destinations=leads_to)
    return compiled(graph, rooms)


def _stepped(
    first: Stage, nodes: Mapping[Stage, Node], rooms: Rooms
) -> Callable[..., Awaitable[Command[str]]]:
    """A step of the graph: an agent, and those after it as long as a crash would cost nothing of worth. One
    step costs LangGraph more than most agents. Its own server has its own threads: there, each is a step.
    """

    async def step(state: SQLMessageState, runtime: Runtime[Asked]) -> Command[str]:
        began, paid, name, update = time.monotonic(), state.get("usage"), first, Update()
        while True:
            update |= await nodes[name](state, runtime)
            state = {**state, **update}  # type: ignore[typeddict-item]
            then = next_stage(state)
            if then in _BEGINS or not rooms.keeps or is_loss(state, paid, began):
                # a conditional edge would have LangGraph read the whole state once more
                return Command(update=update, goto=then)
            name = cast("Stage", then)

    return step


def compiled(graph: "StateGraph[SQLMessageState, Asked, Any, Any]", rooms: Rooms) -> Graph:
    """With our threads, or without: LangGraph's own server brings its own."""
    if not rooms.keeps:
        return graph.compile()
    return graph.compile(checkpointer=Steps(rooms.memory.checkpointer), store=rooms.memory.store)
