"""What people read, in English and Chinese. One row a sentence; a test holds both columns complete.

A row says what happened and why; a row whose key ends in `.hint` says what to do next.
"""

import os
from collections.abc import Mapping
from typing import Literal, TypeAlias

from text2sql.errors import DatabaseError, Text2SQLError

Language: TypeAlias = Literal["en", "zh"]

MESSAGES: Mapping[str, tuple[str, str]] = {
    "usage.setting": (
        "The setting {name} is “{value}”, which is not of the type {kind}.",
        "设置 {name} 的值“{value}”不是 {kind} 类型。",
    ),
    "usage.setting.hint": (
        "Correct or unset the environment variable.",
        "请更正或删除该环境变量。",
    ),
    "usage.setting_positive": (
        "The setting {name} is “{value}”; it must be greater than zero.",
        "设置 {name} 的值为“{value}”，必须大于零。",
    ),
    "usage.setting_positive.hint": (
        "Correct or unset the environment variable.",
        "请更正或删除该环境变量。",
    ),
    "missing_driver": (
        "Reading {database} needs a driver that is not installed.",
        "读取 {database} 所需的驱动尚未安装。",
    ),
    "missing_driver.hint": (
        'Install it: pip install "text2sql[{extra}]"',
        '请安装：pip install "text2sql[{extra}]"',
    ),
    "database.syntax": ("The database cannot read the query: {detail}", "数据库无法解析该查询：{detail}"),
    "database.syntax.hint": (
        "Look at the query near the place named; the dialect may differ.",
        "请检查所指位置附近的语句，方言可能不同。",
    ),
    "database.unknown_table": (
        "The query names a table that does not exist: {detail}",
        "查询用到了不存在的表：{detail}",
    ),
    "database.unknown_table.hint": (
        "`text2sql schema` lists the tables.",
        "用 `text2sql schema` 查看有哪些表。",
    ),
    "database.unknown_column": (
        "The query names a column that does not exist: {detail}",
        "查询用到了不存在的列：{detail}",
    ),
    "database.unknown_column.hint": (
        "`text2sql schema` lists the columns of every table.",
        "用 `text2sql schema` 查看每个表的列。",
    ),
    "database.ambiguous_column": (
        "A column name could mean more than one table's: {detail}",
        "列名有歧义，多个表都有它：{detail}",
    ),
    "database.ambiguous_column.hint": (
        "Write the table's name before the column's.",
        "请在列名前写明表名。",
    ),
    "database.type": ("A value has the wrong type: {detail}", "值的类型不符：{detail}"),
    "database.type.hint": (
        "Convert one side, for example with CAST.",
        "请转换其中一侧的类型，例如使用 CAST。",
    ),
    "database.permission": (
        "The account may not do that: {detail}",
        "当前账号没有这项权限：{detail}",
    ),
    "database.permission.hint": (
        "`text2sql doctor --grants` prints the grants an account needs.",
        "`text2sql doctor --grants` 会打印账号所需的授权语句。",
    ),
    "database.timeout": (
        "The query ran longer than {seconds:g} s and was stopped.",
        "查询超过 {seconds:g} 秒，已被停止。",
    ),
    "database.timeout.hint": (
        "Ask for less, for example a shorter period, or raise TEXT2SQL_TIME_LIMIT.",
        "请缩小范围（例如更短的时间段），或调大 TEXT2SQL_TIME_LIMIT。",
    ),
    "database.connection": (
        "The database cannot be reached: {detail}",
        "无法连接数据库：{detail}",
    ),
    "database.connection.hint": (
        "Check that the server runs and that host, port and database name are right.",
        "请确认服务器正在运行，且主机、端口、库名正确。",
    ),
    "database.lock": (
        "Somebody else holds a lock on the data: {detail}",
        "数据被其他会话锁定：{detail}",
    ),
    "database.lock.hint": ("Try again in a moment.", "请稍后重试。"),
    "database.busy": (
        "All {size} connections to the database are in use; none came free in {wait:g} s.",
        "数据库的 {size} 个连接都在使用中，等待 {wait:g} 秒仍无空闲。",
    ),
    "database.busy.hint": (
        "Try again in a moment, or raise TEXT2SQL_POOL_SIZE.",
        "请稍后重试，或调大 TEXT2SQL_POOL_SIZE。",
    ),
    "database.resource": (
        "The query needs more than the database may spend: {detail}",
        "查询所需资源超出数据库的限额：{detail}",
    ),
    "database.resource.hint": ("Ask for less at once.", "请缩小一次查询的范围。"),
    "database.forbidden": (
        "The database's read-only wall refused the statement: {detail}",
        "数据库的只读防护拒绝了该语句：{detail}",
    ),
    "database.forbidden.hint": ("Only reading is possible here.", "这里只能读取数据。"),
    "database.cancelled": ("The query was cancelled.", "查询已取消。"),
    "database.cancelled.hint": ("Ask again when you are ready.", "需要时请重新提问。"),
    "database.other": ("The database reported an error: {detail}", "数据库报告错误：{detail}"),
    "database.other.hint": (
        "`text2sql doctor --db …` checks the connection.",
        "可用 `text2sql doctor --db …` 检查连接。",
    ),
}


def language(wanted: str = "", environment: Mapping[str, str] = os.environ) -> Language:
    """The reader's language: as wanted, else by the setting, else by the system's locale."""
    spoken = (
        wanted
        or environment.get("TEXT2SQL_LANG")
        or environment.get("LC_ALL")
        or environment.get("LC_MESSAGES")
        or environment.get("LANG")
        or "en"
    )
    return "zh" if spoken.lower().startswith("zh") else "en"


def say(key: str, lang: Language, **facts: object) -> str:
    return MESSAGES[key][lang == "zh"].format_map(facts)


def explain(error: Text2SQLError, lang: Language) -> str:
    """What happened and why, then on a line of its own what to do next."""
    key = error.message_key
    told = say(key, lang, **error.facts)
    hint = f"{key}.hint"
    if hint not in MESSAGES and isinstance(error, DatabaseError):
        hint = f"database.{error.kind}.hint"
    return f"{told}\n{say(hint, lang, **error.facts)}" if hint in MESSAGES else told
