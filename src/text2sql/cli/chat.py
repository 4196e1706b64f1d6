"""`text2sql chat`: an interactive conversation. Questions may refer to earlier ones, the schema is read while
the user types, and errors do not end the chat.
"""

import os
import traceback
from contextlib import closing
from functools import partial
from typing import Any

import click

from text2sql.cli.answer_view import screen
from text2sql.cli.chat_commands import COMMANDS, run_command
from text2sql.cli.click_i18n import Command
from text2sql.cli.conversation import Conversation
from text2sql.cli.prompt_input import Names, prompt_input
from text2sql.cli.question_options import open_app, question_params, read_options
from text2sql.client.sync_client import Text2SQL
from text2sql.database import open_database, redacted
from text2sql.errors import Text2SQLError
from text2sql.i18n import Language, cli_text, explain


def command(lang: Language) -> click.Command:
    return Command("chat", lang, run, question_params())


def run(lang: Language, **arguments: Any) -> int:
    options = read_options(lang, arguments)
    source = options.db or options.settings.db
    with open_database(source, options.settings):
        pass  # reject an invalid source before the prompt appears; this makes no connection
    with closing(open_app(options)) as db:
        db.warm(background=True)
        prompt = prompt_input(options.settings, Names([*COMMANDS], partial(names_of, db)))
        chat = Conversation(db, prompt, options, lang, screen())
        if chat.out.is_terminal:
            chat.say(cli_text("chat.welcome", lang, source=redacted(source)), "dim")
        run_conversation(chat)
        if chat.out.is_terminal:
            chat.say(cli_text("chat.bye", chat.lang, thread=chat.thread), "dim")
    return 0


def run_conversation(chat: Conversation) -> None:
    while not chat.ended:
        try:
            line = chat.prompt.read_line().strip()
        except EOFError:
            return
        except KeyboardInterrupt:
            chat.say(cli_text("chat.hint", chat.lang), "dim")
            continue
        if line:
            answer_line(chat, line)


def answer_line(chat: Conversation, line: str) -> None:
    try:
        if line.startswith("/"):
            run_command(chat, line)
        else:
            chat.ask(line)
    except KeyboardInterrupt:
        chat.say(cli_text("chat.cancelled", chat.lang), "yellow")
    except Text2SQLError as error:
        chat.say(explain(error, chat.lang), "red")
    except BrokenPipeError:
        raise  # the reader closed the pipe
    except Exception as error:  # noqa: BLE001 an error in one question must not end the chat
        if os.environ.get("TEXT2SQL_DEBUG"):
            chat.say("".join(traceback.format_exception(error)))
        chat.say(cli_text("error.bug", chat.lang, what=f"{type(error).__name__}: {error}"), "red")


def names_of(db: Text2SQL) -> list[str]:
    """The names for completion: tables first, then columns."""
    tables = db.catalog().tables
    columns = {column.name for table in tables for column in table.columns}
    names = {table.name for table in tables}
    return [*sorted(names), *sorted(columns - names)]
