"""What goes into a prompt, within the model's budget: real token counts, never a guess.

When it does not fit, what matters least goes first: earlier turns, then hints, then samples, comments and
types of the schema, then the tables that score lowest. A question itself is bounded by the settings.
"""

from collections.abc import Sequence
from typing import TypeAlias, cast

from text2sql.agents.desk import Desk
from text2sql.agents.state import Hit, SchemaInfo, SQLMessageState
from text2sql.database.dialects import BY_NAME
from text2sql.errors import PromptTooLong
from text2sql.llm import AsyncChatModel
from text2sql.llm.prompts import between
from text2sql.llm.prompts import render as prompt
from text2sql.memory import Pair
from text2sql.schema import Knowledge, ddl, render
from text2sql.schema.names import label
from text2sql.types import Catalogue, Message, Table

Alike: TypeAlias = Sequence[tuple[float, Pair]]

_EXAMPLES, _ALIKE = 2, 0.3  # verified pairs to show, and how much like the question they must be
_TURNS = 3  # earlier questions that a follow-up may lean on
_EARLIER = 400  # tokens for those before them, a line each
_OVERHEAD = 16  # tokens a chat template spends on one message, rather too many


def schema_room(desk: Desk) -> int:
    """Tokens that a schema may take. The embedded model reads 45 a second, a hosted one reads a quarter of
    its window before anybody notices.
    """
    can = desk.model.capabilities
    return desk.settings.schema_tokens or (can.context // 4 if can.schema else min(3_000, can.context // 4))


async def schema_fits(catalogue: Catalogue, desk: Desk) -> bool:
    """Whether the whole schema may stand in every prompt. Large ones are not even rendered."""
    most = schema_room(desk)
    if sum(len(table.columns) for table in catalogue.tables) > most:
        return False
    key = ("fits", catalogue.fingerprint, desk.model.name, most)
    if key in desk.rooms.prepared:
        return bool(desk.rooms.prepared[key])
    text = render(catalogue)
    return desk.rooms.prepare(key, len(text) <= most or await desk.model.count_tokens(text) <= most)


async def generation(
    state: SQLMessageState,
    desk: Desk,
    knowledge: Knowledge,
    alike: Alike,
    *,
    shrink: bool = False,
    printed: bool = False,
) -> tuple[Message, ...]:
    """The prompt of the generator: rules and schema as a stable prefix, then turns, or questions like this
    one, then the question. `printed`: the schema as its engine would print it, if that fits.
    """
    model = desk.model
    room = budget(model, desk) // (2 if shrink else 1)
    info = _chosen(state)
    told = question_text(state["question"], info)
    if printed:  # and nothing of what was found: what is told again leads to the same mistakes again
        system, told = await _printed(desk, knowledge, room), state["question"]
    else:
        system = await prefix(state, desk, knowledge, room)
    asked = Message("user", await _led_up_to(state, model) + told)
    left = room - await tokens(model, (system, asked))
    if left < 0:
        asked, left = Message("user", state["question"]), 0
    shown = await _latest(_turns(state) if state.get("follow_up") else _examples(alike), model, left)
    return await bounded((system, *shown, asked), desk, room)


async def conversation(state: SQLMessageState, desk: Desk, about: str) -> tuple[Message, ...]:
    """The prompt of a reply that needs no data: what this database is about, and what was asked before."""
    asked = await _short(earlier(state), desk.model)
    system = prompt("chat", desk.settings, desk.language, about=about, earlier=asked)
    return await bounded((Message("system", system), Message("user", state["question"])), desk)


async def prefix(state: SQLMessageState, desk: Desk, knowledge: Knowledge, room: int) -> Message:
    """The stable part of this question's prompts: its evaluation is kept and found again."""
    name = "write_sql" if state.get("wants_write") else "generate_sql"
    return await _system(name, _chosen(state), desk, knowledge, room)


def _chosen(state: SQLMessageState) -> SchemaInfo:
    info = state["schema_info"]
    if info is None:
        raise RuntimeError("the schema agent comes first")
    return info


async def alike_to(state: SQLMessageState, desk: Desk) -> Alike:
    """Questions like this one whose queries a person has found right, best first."""
    source, user = desk.rooms.library.key, desk.asked.user
    return await desk.rooms.memory.recall(source, state["question"], _EXAMPLES, user)


async def bounded(messages: tuple[Message, ...], desk: Desk, room: int | None = None) -> tuple[Message, ...]:
    """The messages, if they fit; nothing that does not is ever sent."""
    room = budget(desk.model, desk) if room is None else room
    taken = await tokens(desk.model, messages)
    if taken > room:
        raise PromptTooLong(desk.model.name, f"{taken} tokens of prompt, {room} fit")
    return messages


def budget(model: AsyncChatModel, desk: Desk) -> int:
    """Tokens a prompt may take: the model's window without what it may answer."""
    return model.capabilities.context - desk.settings.max_tokens - 64


async def system_message(desk: Desk, knowledge: Knowledge) -> Message:
    """The stable prefix of a database whose schema fits: what warming up evaluates."""
    info = SchemaInfo(fingerprint="", tables=[], values=[], hints=[])
    return await _system("generate_sql", info, desk, knowledge, budget(desk.model, desk))


async def _system(name: str, info: SchemaInfo, desk: Desk, knowledge: Knowledge, room: int) -> Message:
    catalogue = knowledge.catalogue
    key = ("system", name, catalogue.fingerprint, tuple(info["tables"]), desk.model.name, room)
    if key in desk.rooms.prepared:
        return cast("Message", desk.rooms.prepared[key])
    dialect = BY_NAME[catalogue.dialect].product
    bare = prompt(name, desk.settings, dialect=dialect, schema="")
    most = min(schema_room(desk), room // 2 - await desk.model.count_tokens(bare))
    text = await fitted(catalogue, _tables(info, knowledge), most, desk.model) if most > 0 else ""
    system = Message("system", prompt(name, desk.settings, dialect=dialect, schema=text))
    return desk.rooms.prepare(key, system)


async def _printed(desk: Desk, knowledge: Knowledge, room: int) -> Message:
    """Like the stable prefix, in other words."""
    catalogue = knowledge.catalogue
    key = ("printed", catalogue.fingerprint, desk.model.name, room)
    if key in desk.rooms.prepared:
        return cast("Message", desk.rooms.prepared[key])
    most = min(schema_room(desk), room // 2)
    text = ddl(catalogue) if await schema_fits(catalogue, desk) else ""
    if not text or await desk.model.count_tokens(text) > most:
        raise PromptTooLong(desk.model.name, f"the schema does not fit in {most} tokens")
    dialect = BY_NAME[catalogue.dialect].product
    shown = prompt("generate_sql", desk.settings, dialect=dialect, schema=text)
    return desk.rooms.prepare(key, Message("system", shown))


async def fitted(
    catalogue: Catalogue, tables: tuple[Table, ...] | None, most: int, model: AsyncChatModel
) -> str:
    """The fullest rendering that fits. `render` counts letters; what one costs is taken from the text. Values
    of people's tables are shown to a model on this machine only.
    """
    text = render(catalogue, tables, samples=not model.capabilities.schema)
    counted = await model.count_tokens(text)
    while counted > most and text:
        letters = int(len(text) * most / counted * 0.98)
        text = render(catalogue, tables, budget=letters)
        counted = await model.count_tokens(text)
    return text


def _tables(info: SchemaInfo, knowledge: Knowledge) -> tuple[Table, ...] | None:
    if not info["tables"]:
        return None
    by_label = {label(table, knowledge.catalogue): table for table in knowledge.catalogue.tables}
    return tuple(by_label[name] for name in info["tables"] if name in by_label)


def question_text(question: str, info: SchemaInfo) -> str:
    """The question, and below it what was found in the database about its words: facts, one a line."""
    lines = [question]
    lines += [f"{hit['table']}.{hit['column']} = {_quoted(hit['value'])}" for hit in _sure(info["values"])]
    lines += [f"{said}: {name}" for said, name in info["hints"]]
    return "\n".join(lines)


def _sure(hits: Sequence[Hit]) -> list[Hit]:
    """Of a word that stands in one column only: told of two, a small model takes both."""
    places: dict[str, set[tuple[str, str]]] = {}
    for hit in hits:
        places.setdefault(hit["said"], set()).add((hit["table"], hit["column"]))
    return [hit for hit in hits if len(places[hit["said"]]) == 1]


def _quoted(value: str) -> str:
    return "'" + " ".join(value.split()).replace("'", "''") + "'"


def _turns(state: SQLMessageState) -> list[tuple[str, str]]:
    """Earlier questions with their queries. Only a follow-up needs them: to a small model they are noise."""
    return [(turn["question"], turn["sql"]) for turn in state.get("turns", []) if turn["sql"]][-_TURNS:]


def earlier(state: SQLMessageState, shown: int = 0) -> list[str]:
    """What was asked in this thread, without the last turns if those are shown whole."""
    turns = state.get("turns", [])
    return [
        *state.get("summary", "").splitlines(),
        *(turn["question"] for turn in turns[: len(turns) - shown]),
    ]


async def _led_up_to(state: SQLMessageState, model: AsyncChatModel) -> str:
    """Questions before those that a follow-up is shown with. To a small model they would be noise."""
    if not state.get("follow_up") or not model.capabilities.schema:
        return ""
    asked = await _short(earlier(state, _TURNS), model)
    return f"{between('asked_earlier', asked)}\n" if asked else ""


async def _short(questions: Sequence[str], model: AsyncChatModel) -> str:
    """One a line, the last ones that fit."""
    lines: list[str] = []
    left = _EARLIER
    for question in reversed(questions):
        line = " ".join(question.split())
        left -= await model.count_tokens(line) + 1
        if left < 0:
            break
        lines.insert(0, line)
    return "\n".join(lines)


def _examples(alike: Alike) -> list[tuple[str, str]]:
    """The nearest stands last, next to the question."""
    return [(pair.question, pair.sql) for score, pair in reversed(alike) if score >= _ALIKE]


async def _latest(pairs: Sequence[tuple[str, str]], model: AsyncChatModel, left: int) -> list[Message]:
    """As a conversation, the last ones that fit."""
    kept: list[Message] = []
    for question, sql in reversed(pairs):
        pair = [Message("user", question), Message("assistant", sql)]
        cost = await tokens(model, pair)
        if cost > left:
            break
        left -= cost
        kept = [*pair, *kept]
    return kept


async def tokens(model: AsyncChatModel, messages: Sequence[Message]) -> int:
    return sum([await model.count_tokens(one.content) + _OVERHEAD for one in messages])
