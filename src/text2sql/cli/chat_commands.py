"""The slash commands of a chat. Each is an entry of `COMMANDS`."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TypeAlias

from rich.cells import set_cell_size

from text2sql.charts import KINDS
from text2sql.cli import charting, exporting
from text2sql.cli.answer_view import answer_parts, available_space, receipt_lines, show, sql_text
from text2sql.cli.conversation import Conversation, answer_from_result, new_thread
from text2sql.cli.schema import READABLE, select_tables
from text2sql.cli.schema_view import print_table_list, print_tables
from text2sql.cli.table import ROWS
from text2sql.errors import DatabaseError, UsageError
from text2sql.i18n import cli_text, refusal
from text2sql.llm import open_model
from text2sql.types import Answer, QueryResult, ResultColumn, SqlRejected

Action: TypeAlias = Callable[[Conversation, str], None]

_USAGE = 26  # width of the first column of the help


def run_command(chat: Conversation, line: str) -> None:
    name, _, argument = line.partition(" ")
    action = COMMANDS.get(name.lower())
    if action is None:
        close = get_close_matches(name, COMMANDS, n=3) or ["/help"]
        raise UsageError("usage.chat_command", name=name, commands=", ".join(close))
    action(chat, argument.strip())


def help_(chat: Conversation, _: str) -> None:
    for name in COMMANDS:
        usage, about = cli_text(f"chat{name}", chat.lang).split(" | ")
        chat.say(f"  {set_cell_size(usage, _USAGE)}{about}")
    chat.say(cli_text("chat.keys", chat.lang), "dim")


def sql(chat: Conversation, statement: str) -> None:
    if not statement:
        answer = _last_answer(chat)
        show(chat.out, [sql_text(answer.sql or answer.receipt.sql)])
        return
    result = chat.db.query(statement)
    if isinstance(result, SqlRejected):
        chat.say(f"{refusal(result, chat.lang)} [{result.rule}]", "red")
        return
    answer = answer_from_result(statement, result)
    chat.set_last_answer(answer)
    show(chat.out, answer_parts(answer, chat.lang, available_space(chat.out), receipt="")[1:])


def schema(chat: Conversation, table: str) -> None:
    catalog = chat.db.catalog()
    tables = select_tables(catalog, table.split())
    if not tables:
        chat.say(cli_text("schema.empty", chat.lang))
    elif table or len(tables) <= READABLE:
        print_tables(tables, catalog.default_schema, chat.lang)
    else:
        print_table_list(tables, catalog.default_schema, chat.lang)


def page(chat: Conversation, argument: str) -> None:
    answer = _last_rows(chat)
    total = _total(chat, answer)
    pages = None if total is None else max(1, -(-total // ROWS))
    number = _number(argument, chat.page, pages)
    chat.show_page(number, _page(chat, answer, number))
    key = "chat.page" if pages is None else "chat.page_of"
    chat.say(cli_text(key, chat.lang, number=number, pages=pages, rows=total), "dim")


def export(chat: Conversation, name: str) -> None:
    answer = _last_rows(chat)
    target = exporting.target_of(name, exporting.FORMATS, "usage.export_name")
    _confirm_overwrite(chat, target)
    exporting.write_rows(target, answer.columns, answer.rows)
    chat.say(cli_text("chat.exported", chat.lang, rows=len(answer.rows), path=target))
    if answer.truncated:
        chat.say(cli_text("table.row_limit", chat.lang, count=len(answer.rows)), "yellow")


def chart(chat: Conversation, arguments: str) -> None:
    """`/chart`, `/chart pie`, `/chart sales.png`, `/chart pie sales.png`."""
    answer = _last_rows(chat)
    first, _, rest = arguments.partition(" ")
    kind, name = (first, rest.strip()) if first in KINDS else ("", arguments)
    if name and "." not in name:
        raise UsageError("usage.chart_kind", name=name, kinds=", ".join(charting.drawable(answer).kinds))
    if not name:
        chat.say(charting.chart_text(answer, chat.lang, available_space(chat.out).width, kind), "cyan")
        suited = ", ".join(charting.drawable(answer, kind).kinds)
        chat.say(cli_text("chart.kinds", chat.lang, kinds=suited), "dim")
        return
    target = charting.target_of(name)
    _confirm_overwrite(chat, target)
    warning = charting.write(target, answer, chat.lang, chat.options.settings, kind)
    chat.say(cli_text("chart.written", chat.lang, path=target))
    if warning:
        chat.say(warning, "yellow")


def model(chat: Conversation, name: str) -> None:
    if name:
        open_model(name, chat.options.settings)  # rejects an invalid name; this loads nothing
        chat.model = name
    current = chat.model or chat.options.model or chat.options.settings.model
    chat.say(cli_text("chat.model", chat.lang, name=current))


def receipt(chat: Conversation, _: str) -> None:
    chat.say("\n".join(receipt_lines(_last_answer(chat).receipt, chat.lang)))


def history(chat: Conversation, _: str) -> None:
    turns = chat.db.threads.history(chat.thread, user=chat.user)
    if not turns:
        chat.say(cli_text("chat.no_turns", chat.lang))
    for number, turn in enumerate(turns, 1):
        chat.say(f"{number:>3}. {turn['question']}  [{turn['status']}]")
        if turn["sql"]:
            chat.say(f"     {turn['sql']}", "dim")


def undo(chat: Conversation, _: str) -> None:
    if not chat.db.threads.history(chat.thread, user=chat.user):
        chat.say(cli_text("chat.no_turns", chat.lang))
        return
    left = chat.db.threads.roll_back(chat.thread, turns=1, user=chat.user)
    chat.set_last_answer(None)
    chat.say(cli_text("chat.undone", chat.lang, left=left))


def new(chat: Conversation, _: str) -> None:
    chat.thread = new_thread()
    chat.set_last_answer(None)
    chat.say(cli_text("chat.new", chat.lang, thread=chat.thread))


def lang(chat: Conversation, name: str) -> None:
    """Switch the language; without an argument, to the other one."""
    if name not in ("", "en", "zh"):
        raise UsageError("usage.chat_lang", name=name)
    other = "en" if chat.lang == "zh" else "zh"
    chat.language = name or other
    chat.lang = "zh" if chat.language == "zh" else "en"
    chat.say(cli_text("chat.lang", chat.lang))


def quit_(chat: Conversation, _: str) -> None:
    chat.ended = True


COMMANDS: Mapping[str, Action] = {
    "/help": help_,
    "/sql": sql,
    "/schema": schema,
    "/page": page,
    "/export": export,
    "/chart": chart,
    "/model": model,
    "/receipt": receipt,
    "/history": history,
    "/undo": undo,
    "/new": new,
    "/lang": lang,
    "/quit": quit_,
}


def _last_answer(chat: Conversation) -> Answer:
    if chat.last is None:
        raise UsageError("usage.chat_nothing")
    return chat.last


def _last_rows(chat: Conversation) -> Answer:
    """The last answer, which must have rows."""
    answer = _last_answer(chat)
    if not answer.columns:
        raise UsageError("usage.chat_nothing")
    return answer


def _confirm_overwrite(chat: Conversation, path: Path) -> None:
    if path.exists() and not chat.prompt.confirm(cli_text("chat.overwrite", chat.lang, path=path)):
        raise UsageError("usage.export_exists", path=str(path))


def _total(chat: Conversation, answer: Answer) -> int | None:
    """The total number of rows; None if counting them exceeds a database limit."""
    if not answer.truncated or not answer.result_id:
        return len(answer.rows)
    try:
        return chat.db.results.count(answer.result_id, user=chat.user)
    except DatabaseError:
        return None


def _number(text: str, current: int, pages: int | None) -> int:
    steps = {"": current + 1, "next": current + 1, "prev": current - 1}
    if text not in steps and not text.isdecimal():
        raise UsageError("usage.chat_page", name=text, pages=pages or "?")
    number = steps[text] if text in steps else int(text)
    if number < 1 or (pages is not None and number > pages):
        raise UsageError("usage.chat_page", name=number, pages=pages or "?")
    return number


def _page(chat: Conversation, answer: Answer, number: int) -> QueryResult:
    """One page of rows: from memory if the result is complete, else by a query with a stable order."""
    if answer.truncated and answer.result_id:
        return chat.db.results.page(answer.result_id, number=number, size=ROWS, user=chat.user)
    columns = tuple(ResultColumn(name, "") for name in answer.columns)
    return QueryResult(columns, answer.rows[(number - 1) * ROWS : number * ROWS])
