"""What the terminal itself says, in English and Chinese: help, labels, complaints about a command line.

Errors of the rooms below are in `messages.py`; these rows are of no use to another door.
"""

from collections.abc import Mapping

from text2sql.messages import Language

WORDS: Mapping[str, tuple[str, str]] = {
    # -- help: one row a command, one row an option ---------------------------------------------
    "text2sql": (
        "Ask a database in plain words, and let nothing but a guarded query reach it.",
        "用自然语言查询数据库，只有通过检查的语句才会执行。",
    ),
    "check": (
        "Check one SQL statement, or JSON lines from standard input.",
        "检查一条 SQL 语句，或标准输入中的 JSON 行。",
    ),
    "check.more": (
        "Prints the statement as it may be run. A refused one is explained on standard error, with exit code "
        '3. Without SQL, each input line {"id", "dialect", "sql"} gives one output line '
        '{"id", "allowed", "rule", "reason", "sql"}.',
        "打印可以执行的语句；被拒绝时在标准错误中说明原因，退出码为 3。"
        '不给出 SQL 时，每行输入 {"id", "dialect", "sql"} 对应一行输出 '
        '{"id", "allowed", "rule", "reason", "sql"}。',
    ),
    "check.--dialect": (
        "The SQL dialect, such as postgres; for JSON lines, of those that name none.",
        "SQL 方言，例如 postgres；对 JSON 行，用于未写方言的行。",
    ),
    "check.--policy": (
        "JSON file of the tables and columns that may be seen.",
        "JSON 文件，列出可见的表和列。",
    ),
    "check.--db": (
        "Take dialect and schema from this database.",
        "从该数据库读取方言和结构。",
    ),
    "check.--rows": ("Rows that a query may return.", "查询最多返回的行数。"),
    "check.--json": ("Print the verdict as a JSON object.", "以 JSON 对象打印结果。"),
    "schema": ("Show what a database holds.", "显示数据库中有什么。"),
    "schema.more": (
        "Tables, columns, types, keys, indexes, comments, row estimates and sample values.",
        "表、列、类型、键、索引、注释、行数估计和取值示例。",
    ),
    "schema.--db": ("A URL, or the path of a file.", "URL 或文件路径。"),
    "schema.--table": (
        "Only these tables; * and ? stand for any letters. Repeatable.",
        "只看这些表，可用 * 和 ? 通配，可重复。",
    ),
    "schema.--json": ("Print everything as one JSON object.", "以一个 JSON 对象打印全部内容。"),
    "doctor": (
        "Tell what is installed, what is reachable, and what to do about the rest.",
        "检查安装了什么、能否连接，以及如何修复。",
    ),
    "doctor.more": (
        "Exit code 4 when the named database cannot be used.",
        "指定的数据库无法使用时退出码为 4。",
    ),
    "doctor.--db": ("The database to examine.", "要检查的数据库。"),
    "doctor.--grants": (
        "Print the SQL that makes the least account for a policy.",
        "打印为策略建立最小权限账号的 SQL。",
    ),
    "doctor.--policy": ("The policy, for --grants.", "策略文件，用于 --grants。"),
    "doctor.--dialect": ("The SQL dialect, for --grants.", "SQL 方言，用于 --grants。"),
    "doctor.--account": ("The account's name, for --grants.", "账号名，用于 --grants。"),
    "doctor.--json": ("Print the findings as a JSON object.", "以 JSON 对象打印结果。"),
    "model": (
        "The embedded model: list, pull, path, verify or remove it.",
        "内置模型：查看、获取、路径、校验、删除。",
    ),
    "model.more": (
        "list shows what is there and what runs; pull puts the file together from its packages; path prints "
        "where it is; verify reads every byte of it; remove deletes it with its caches and ends its process.",
        "list 显示文件和进程；pull 由已安装的包合成文件；path 打印位置；"
        "verify 逐字节校验；remove 删除文件和缓存并结束进程。",
    ),
    "model.--from": (
        "With pull: fetch the file from this https address instead.",
        "用于 pull：改从该 https 地址下载。",
    ),
    "model.--json": ("Print the result as a JSON object.", "以 JSON 对象打印结果。"),
    "--lang": ("Language of messages.", "消息的语言。"),
    "--version": ("Print the version.", "打印版本号。"),
    "--help": ("Show this help.", "显示本帮助。"),
    "Usage:": ("Usage:", "用法:"),
    "Options": ("Options", "选项"),
    "Commands": ("Commands", "命令"),
    # -- a command line that cannot be read ------------------------------------------------------
    "no_option": ("There is no option {name}.", "没有选项 {name}。"),
    "no_argument": ("The option {name} needs a value.", "选项 {name} 需要一个值。"),
    "missing": ("{name} is missing.", "缺少 {name}。"),
    "bad_value": ("The value of {name} cannot be used: {detail}", "{name} 的值无法使用：{detail}"),
    "choices": ("choose one of {choices}.", "可选值为 {choices}。"),
    "positive": ("a whole number from {least} up is needed.", "须为不小于 {least} 的整数。"),
    "unreadable": ("The command line cannot be read: {detail}", "无法理解该命令行：{detail}"),
    "try": ("`{command} --help` shows what there is.", "用 `{command} --help` 查看用法。"),
    # -- how a run can end -----------------------------------------------------------------------
    "interrupted": ("Interrupted.", "已中断。"),
    "bug": (
        "text2sql failed in a way it should not ({what}). This is a bug, please report it; "
        "TEXT2SQL_DEBUG=1 shows the trace.",
        "text2sql 内部出错（{what}）。这是程序缺陷，请反馈；设置 TEXT2SQL_DEBUG=1 可查看调用栈。",
    ),
    # -- check -----------------------------------------------------------------------------------
    "reading": (
        "Reading JSON lines from the terminal; Ctrl-D ends them.",
        "正在从终端读取 JSON 行，按 Ctrl-D 结束。",
    ),
    "line.json": ("The line is not JSON: {detail}", "该行不是 JSON：{detail}"),
    "line.object": ("The line is not a JSON object.", "该行不是 JSON 对象。"),
    "line.field": ("“{name}” is missing or not a text.", "“{name}”缺失或不是文本。"),
    # -- schema ----------------------------------------------------------------------------------
    "empty": ("The database holds no tables.", "数据库中没有表。"),
    "many": (
        "{tables} tables: one line each. `--table NAME` shows the columns of one.",
        "共 {tables} 个表，每表一行；用 `--table 表名` 查看列。",
    ),
    "table": ("table", "表"),
    "view": ("view", "视图"),
    "rows": ("~{rows:,} rows", "约 {rows:,} 行"),
    "columns": ("{columns} columns", "{columns} 列"),
    "required": ("not null", "非空"),
    "key": ("key", "主键"),
    "index": ("index", "索引"),
    "unique": ("unique", "唯一索引"),
    # -- model -----------------------------------------------------------------------------------
    "model.absent": ("not there yet; `text2sql model pull`", "尚未获取，请运行 `text2sql model pull`"),
    "model.checked": ("verified", "已校验"),
    "model.unchecked": (
        "not verified yet; `text2sql model verify`",
        "尚未校验，请运行 `text2sql model verify`",
    ),
    "model.prefixes": ("evaluated schemas on disk: {size}", "磁盘上已计算的表结构：{size}"),
    "model.running": (
        "running: process {pid}, ends after {idle:g} s without a question, log in {directory}",
        "运行中：进程 {pid}，空闲 {idle:g} 秒后结束，日志在 {directory}",
    ),
    "model.not_running": ("not running; a question starts it", "未运行，提问时自动启动"),
    "model.pulling": ("Putting the model together", "正在合成模型文件"),
    "model.verifying": ("Verifying", "正在校验"),
    "model.verified": (
        "The file is the publisher's, byte for byte: SHA-256 {sha256}",
        "文件与发布者的完全一致：SHA-256 {sha256}",
    ),
    "model.removed": ("{size} freed, {ended} processes ended.", "已释放 {size}，结束 {ended} 个进程。"),
    # -- doctor ----------------------------------------------------------------------------------
    "compiled": ("compiled", "已编译"),
    "pure": ("pure Python, several times slower", "纯 Python，慢数倍"),
    "optional": ("not installed; needed for such a database only", "未安装，仅访问此类数据库时需要"),
    "database": ("database", "数据库"),
    "reached": ("{tables} tables, read in {seconds:.2f} s", "{tables} 个表，读取用时 {seconds:.2f} 秒"),
    "embedded": ("embedded model", "内置模型"),
    "embedded.missing": ("not installed; a hosted model can be used by name", "未安装，可按名称使用托管模型"),
    "write_refused": (
        "read-only: a write was tried, and the engine refused it",
        "只读：已尝试写入，被数据库引擎拒绝",
    ),
    "write_accepted": (
        "NOT read-only: the engine accepted a write; do not use this connection",
        "并非只读：数据库引擎接受了写入，请勿使用该连接",
    ),
    "read_only": ("opened read-only", "以只读方式打开"),
    "all_well": ("Everything needed is there.", "所需的一切都已就绪。"),
    "no_database": (
        "No database was named; `--db` examines one.",
        "没有指定数据库；用 `--db` 检查一个数据库。",
    ),
}


def word(key: str, lang: Language, **facts: object) -> str:
    return WORDS[key][lang == "zh"].format_map(facts) if facts else WORDS[key][lang == "zh"]
