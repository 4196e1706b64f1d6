"""The texts of the CLI in English and Chinese: help, labels, command line errors.

Error messages that other front ends share are in `i18n/messages.toml`.
"""

from collections.abc import Mapping

from text2sql.i18n import Language

WORDS: Mapping[str, tuple[str, str]] = {
    # -- help: one row a command, one row an option ---------------------------------------------
    "text2sql": (
        "Ask a database questions in plain words; only checked, read-only queries reach it.",
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
        "The SQL dialect, such as postgres; for JSON lines, the default.",
        "SQL 方言，例如 postgres；对 JSON 行，用于未写方言的行。",
    ),
    "check.--policy": (
        "JSON file of the tables and columns that may be seen.",
        "JSON 文件，列出可见的表和列。",
    ),
    "check.--role": (
        "A role of the user, as named in the policy. Repeatable.",
        "提问者的角色，按策略中的名称；可重复给出。",
    ),
    "check.--claim": (
        "A claim of the user, for the policy's row conditions: region=north, tenant=7.",
        "提问者的声明，用于策略中的行条件：region=north、tenant=7。",
    ),
    "check.--db": (
        "Take dialect and schema from this database.",
        "从该数据库读取方言和结构。",
    ),
    "check.--rows": ("Rows that a query may return.", "查询最多返回的行数。"),
    "check.--json": ("Print the verdict as a JSON object.", "以 JSON 对象打印结果。"),
    "schema": ("Show the schema of a database.", "显示数据库中有什么。"),
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
        "Check what is installed and reachable, and show how to fix problems.",
        "检查安装了什么、能否连接，以及如何修复。",
    ),
    "doctor.more": (
        "Exit code 4 when the named database cannot be used.",
        "指定的数据库无法使用时退出码为 4。",
    ),
    "doctor.--db": ("The database to examine.", "要检查的数据库。"),
    "doctor.--grants": (
        "Print the SQL that creates a least-privilege account for a policy.",
        "打印为策略建立最小权限账号的 SQL。",
    ),
    "doctor.--policy": ("The policy, for --grants.", "策略文件，用于 --grants。"),
    "doctor.--dialect": ("The SQL dialect, for --grants.", "SQL 方言，用于 --grants。"),
    "doctor.--role": (
        "Only what people with this role may read, for --grants. Repeatable.",
        "只授予拥有该角色的人可读的内容，用于 --grants，可重复。",
    ),
    "doctor.--account": (
        "The account's name, for --grants; text2sql_reader if not given, with the roles after it.",
        "账号名，用于 --grants；默认为 text2sql_reader，后接角色名。",
    ),
    "doctor.settings": ("settings", "设置"),
    "doctor.no_file": ("no text2sql.toml or .env was found", "没有找到 text2sql.toml 或 .env"),
    "doctor.unknown": ("{name} is no setting", "{name} 不是设置"),
    "doctor.unknown_close": (
        "{name} is no setting; perhaps {close}",
        "{name} 不是设置；您要找的可能是 {close}",
    ),
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
    "ask": ("Ask one question in plain words.", "用自然语言提一个问题。"),
    "ask.more": (
        "Prints the query, the rows, a sentence and what it cost. QUESTION can be - for standard input. Exit "
        "code 3 when the question was refused or a write not confirmed, 4 when it failed.",
        "打印查询、数据、一句话回答和开销。问题写作 - 时从标准输入读取。"
        "被拒绝或写入未确认时退出码为 3，失败时为 4。",
    ),
    "ask.--yes": (
        "Confirm a write in advance, for non-interactive use.",
        "预先确认写入，用于无人应答的场合。",
    ),
    "ask.--receipt": ("Show in full how the answer was produced.", "完整显示答案的来历。"),
    "ask.--chart": (
        "Write the chart to a .png, .svg or .json (Vega-Lite) file.",
        "把图表写入 .png、.svg 或 .json（Vega-Lite）文件。",
    ),
    "ask.--no-chart": ("Do not sketch the chart in the terminal.", "不在终端中画图表草图。"),
    "ask.--json": ("Print the answer as one JSON object.", "以一个 JSON 对象打印答案。"),
    "ask.--quiet": ("Do not show progress.", "不显示进度。"),
    "chat": ("Talk with a database: questions may refer to earlier ones.", "与数据库对话，可以连续追问。"),
    "chat.more": (
        "/help lists the commands. Ctrl-C stops a question, Ctrl-D ends the chat. Without a "
        "terminal, each line of standard input is a question.",
        "输入 /help 查看可用命令。Ctrl-C 停止当前问题，Ctrl-D 结束对话。"
        "不在终端中时，标准输入的每一行是一个问题。",
    ),
    "stats": ("Show statistics about the questions.", "统计提问的情况。"),
    "stats.more": (
        "Number, outcomes, time per stage and errors. No database is needed.",
        "提问次数、结果、各阶段用时和出错情况。不需要数据库。",
    ),
    "stats.--days": ("Only the last N days.", "只统计最近若干天。"),
    "stats.--json": ("Print the numbers as a JSON object.", "以 JSON 对象打印统计数据。"),
    "report": (
        "Fill in a template whose placeholders are questions.",
        "填写以问题为占位符的报告模板。",
    ),
    "report.more": (
        "The template is Markdown, HTML or Word: {{ revenue in :last_month }}, {{ orders by city | table }}, "
        "{{ revenue by month | chart:line }}. The queries are kept in a lock file beside it: the next report "
        "needs no model. Prints the path of the report. Exit code 4 when a placeholder could not be filled; "
        "the report is written all the same and says why.",
        "模板为 Markdown、HTML 或 Word：{{ :last_month 的总收入 }}、{{ 各城市订单数 | table }}、"
        "{{ 每月收入 | chart:line }}。查询保存在模板旁的锁文件中，下次生成无需模型。打印报告的路径。"
        "有占位符无法填写时退出码为 4，报告仍会写出并注明原因。",
    ),
    "report.--out": (
        "The report: .md, .html, .docx or .pdf; {date} in its name is the day.",
        "报告文件：.md、.html、.docx 或 .pdf；文件名中的 {date} 为日期。",
    ),
    "report.--param": ("A value for :NAME in the questions. Repeatable.", "问题中 :NAME 的值，可重复。"),
    "report.--date": (
        "The day of the report, for :last_month and other periods.",
        "报告日期，用于 :last_month 等时间段。",
    ),
    "report.--lock": ("The lock file, if it is not beside the template.", "锁文件（不在模板旁时）。"),
    "report.--locked": (
        "Call no model: questions that are not in the lock file fail.",
        "不询问模型：锁文件中没有的即为失败。",
    ),
    "report.--anew": ("Generate all queries again.", "重新生成全部查询。"),
    "report.--record": ("Write the record of the run to this JSON file.", "把运行记录写入该 JSON 文件。"),
    "report.--attempts": (
        "Queries that the model may write for one question; 1 repairs none. Default: 2.",
        "模型可为一个问题编写的查询数，1 表示不修正，默认 2。",
    ),
    "report.--parallel": (
        "Questions at a time; the embedded model takes one.",
        "同时询问的问题数；内置模型每次一个。",
    ),
    "report.--every": (
        'Keep running and create it on schedule: "0 8 * * 1" is Mondays at 8.',
        "常驻并按时生成：“0 8 * * 1”为每周一 8 点。",
    ),
    "report.--json": ("Print the record of the run as a JSON object.", "以 JSON 对象打印运行记录。"),
    "report.--quiet": ("Print the path and nothing else.", "只打印路径。"),
    "report.stage.draft": ("writing", "生成"),
    "report.stage.run": ("running", "执行"),
    "report.stage.repair": ("repairing", "修正"),
    "report.told": (
        "{filled} of {placeholders} placeholders filled; questions: {locked} from the lock file, {first} at "
        "the first try, {repaired} repaired; {calls} model calls, {seconds:.1f} s.",
        "{placeholders} 个占位符已填写 {filled} 个；问题：{locked} 个来自锁文件，{first} 个一次成功，"
        "{repaired} 个经修正；模型调用 {calls} 次，用时 {seconds:.1f} 秒。",
    ),
    "eval": (
        "Ask a whole question set, and see how often the answer is right.",
        "评测整个问题集，统计回答的正确率。",
    ),
    "eval.more": (
        "QUESTIONS is a JSON or YAML list; answers are judged by what their queries return. "
        "`text2sql eval compare A.jsonl B.jsonl` tells whether two runs differ.",
        "QUESTIONS 是 JSON 或 YAML 列表，按查询返回的结果判定对错。"
        "`text2sql eval compare A.jsonl B.jsonl` 比较两次运行。",
    ),
    "eval.--databases": (
        "Folder of the databases: DIR/<db_id>/<db_id>.sqlite.",
        "数据库所在目录：DIR/<db_id>/<db_id>.sqlite。",
    ),
    "eval.--db": ("The one database that all questions are about.", "所有问题所针对的一个数据库。"),
    "eval.--limit": ("Only N questions, sampled with the seed.", "只取若干个问题，由种子决定。"),
    "eval.--seed": ("The seed for sampling questions; default 0.", "抽取问题的种子，默认 0。"),
    "eval.--out": (
        "Keep a line of JSON for each question; the lines that are there are not asked again.",
        "每个问题保存一行 JSON；已有的行不再提问。",
    ),
    "eval.--report": (
        "Write the report as FILE.md, FILE.html or FILE.json.",
        "写入报告：FILE.md、FILE.html 或 FILE.json。",
    ),
    "eval.--parallel": (
        "Questions at a time, if the model is hosted; 4 if not given. The embedded one takes one.",
        "托管模型同时处理的问题数，默认 4；内置模型一次一个。",
    ),
    "eval.--foreign": (
        "Mix in questions of other databases, this many for each of the set's own; they should be declined.",
        "按此比例混入其他数据库的问题，这些问题应当被婉拒。",
    ),
    "eval.--bare": (
        "Ask the bare model the same questions for comparison: one call with the DDL.",
        "同时让裸模型回答同样的问题以作比较：仅凭 DDL 调用一次。",
    ),
    "eval.--json": ("Print the summary as a JSON object.", "以 JSON 对象打印汇总。"),
    "demo": ("Ask a shop six questions, and see what happens.", "向一家商店提六个问题，看看效果。"),
    "demo.more": (
        "Builds the shop, asks three questions in English and three in Chinese, one of them hostile, and "
        "says what to try next.",
        "建立演示数据库，用英文和中文各提三个问题（其中一个是恶意的），然后告诉您接下来可以试什么。",
    ),
    "demo.--db": (
        "Where to create the shop database; default: the user's cache.",
        "演示数据库的位置，默认在用户缓存目录。",
    ),
    "demo.--model": ("The model to ask.", "使用的模型。"),
    "demo.--quick": ("Three questions instead of six.", "只提三个问题。"),
    "serve": (
        "Serve databases over HTTP, with a page, to this machine or to all who have a key.",
        "通过 HTTP 提供数据库问答，并附带网页，供本机或持有密钥者使用。",
    ),
    "serve.more": (
        "Questions, pages and exports over HTTP until Ctrl-C. Without TEXT2SQL_AUTH it listens on the "
        "loopback address alone: anyone who reaches it may ask. The log is JSON lines on standard error.",
        "通过 HTTP 提供提问、分页和导出，直到按下 Ctrl-C。未设置 TEXT2SQL_AUTH 时只监听本机回环地址："
        "能连上的人即可提问。日志以 JSON 行写到标准错误。",
    ),
    "keys": (
        "API keys of the server: create, list, revoke.",
        "服务器的密钥：生成、列出、吊销。",
    ),
    "keys.more": (
        "`add NAME` makes a key and prints it, once: only a digest is kept. Two keys of one name are the "
        "same person. `revoke` takes an id, or a name for all of its keys.",
        "`add 名称` 生成密钥并只显示一次：系统只保存其摘要。同名的密钥属于同一使用者。"
        "`revoke` 后接编号，或接名称以吊销其全部密钥。",
    ),
    "keys.--role": ("A role of the policy; repeatable.", "策略中的角色，可重复。"),
    "keys.--claim": (
        "A value for the policy's rows, such as region=north; the same name again makes a list.",
        "供行级策略使用的值，如 region=north；同名多次则成为列表。",
    ),
    "keys.--source": (
        "A source that may be asked; repeatable, all without it.",
        "可访问的数据源，可重复；默认全部。",
    ),
    "keys.--days": ("Number of days until it expires; default: never.", "多少天后过期；默认永不过期。"),
    "keys.--json": ("Print JSON.", "输出 JSON。"),
    "keys.added": (
        "This is the key of {name}, id {id}. It cannot be shown again.",
        "以上是 {name} 的密钥，编号 {id}。之后无法再次显示。",
    ),
    "keys.revoked": ("Revoked: {count}.", "已吊销 {count} 个。"),
    "keys.open": ("active", "有效"),
    "keys.over": ("expired", "过期"),
    "keys.revoked_key": ("revoked", "已吊销"),
    "audit": (
        "Show who asked what, which SQL ran, and how many rows it returned.",
        "谁问了什么、执行了哪条 SQL、返回多少行。",
    ),
    "audit.more": (
        "The records of the audit log, as they happened, the latest ones. Records are added, never changed.",
        "审计日志中最近的记录，按发生顺序显示。记录只增不改。",
    ),
    "audit.--user": ("Only this user, as named in the log.", "只看某个用户，按日志中的名称。"),
    "audit.--days": ("Only the last N days.", "最近若干天。"),
    "audit.--limit": ("At most N records.", "最多显示多少条。"),
    "audit.--json": ("Print JSON lines.", "输出 JSON 行。"),
    "serve.--db": (
        "A database, with a name if there are several: sales=postgresql://… Repeatable, first the default.",
        "数据库；有多个时可命名：sales=postgresql://…。可重复，第一个为默认。",
    ),
    "serve.--host": ("The address to listen on.", "监听的地址。"),
    "serve.--port": ("The port; 0 takes a free one.", "端口；0 表示任选空闲端口。"),
    "serve.--model": ("The model to ask.", "使用的模型。"),
    "serve.--policy": (
        "JSON file of what may be seen by whom; with a source's name in front, of that source.",
        "JSON 文件，说明谁可以看到什么；前面可加数据源名称。",
    ),
    "serve.--accounts": (
        "JSON file of the database accounts that run the queries of single roles.",
        "JSON 文件，指定由哪些数据库账户执行各角色的查询。",
    ),
    "serve.accounts_open": (
        "Others on this machine can read {path}, which holds passwords. chmod 600 {path}",
        "本机其他用户可以读取 {path}，其中含有密码。请执行 chmod 600 {path}",
    ),
    "serve.--allow-writes": (
        "Let a person confirm a write; without it every write is refused.",
        "允许在人工确认后写入；否则一律拒绝写入。",
    ),
    "serve.--reports": (
        "A YAML file of reports that are made on a schedule.",
        "按时间表生成的报告清单（YAML 文件）。",
    ),
    "serve.--workers": ("Processes.", "进程数。"),
    "serve.ready": ("Open {address} (Ctrl-C ends it)", "请打开 {address}（按 Ctrl-C 结束）"),
    "mcp": (
        "Serve the database as tools to another program's model.",
        "以 MCP 工具的形式向其他程序提供数据库。",
    ),
    "mcp.more": (
        "Speaks the Model Context Protocol on standard input and output, or with --http on the loopback "
        "address. Nothing can be written.",
        "通过标准输入输出使用 Model Context Protocol；加 --http 时在本机回环地址上提供。不能写入任何数据。",
    ),
    "mcp.--http": (
        "Streamable HTTP on 127.0.0.1 instead of stdio.",
        "用 127.0.0.1 上的 HTTP 代替标准输入输出。",
    ),
    "mcp.--port": ("The port for --http; 0 takes a free one.", "--http 使用的端口；0 表示任选空闲端口。"),
    "mcp.ready": ("MCP at {address}", "MCP 地址：{address}"),
    # options of a question, whichever command asks it
    "--db": ("The database: a URL, or the path of a file.", "数据库：URL 或文件路径。"),
    "--model": (
        "The model: local, a .gguf file, or provider:model.",
        "模型：local、.gguf 文件或“提供方:模型”。",
    ),
    "--thread": (
        "The conversation; a later question with the same name can refer to it.",
        "所属的会话；之后用同一名称可以追问。",
    ),
    "--user": ("Whose conversation it is; users do not see each other's.", "会话属于谁；用户之间互不可见。"),
    "--mode": (
        "Let rules and the model decide whether it is a data question, or set it.",
        "由程序判断是否是数据问题，或直接指定。",
    ),
    "--preset": ("How far a question may go.", "一个问题最多做到什么程度。"),
    "--attempts": (
        "Queries that the model may write for one question; default: 3, or the preset's.",
        "模型可为一个问题编写的查询数，默认 3 或预设的值。",
    ),
    "--explain": (
        "EXPLAIN the query before it runs; default: the preset's.",
        "执行前先用 EXPLAIN 检查查询，默认由预设决定。",
    ),
    "--repair": (
        "After a failure, ask the model for another query; default: the preset's.",
        "失败后让模型重写查询，默认由预设决定。",
    ),
    "--summary": (
        "How the answer is phrased: template, model, or off for the number of rows only.",
        "回答的写法：template（模板）、model（模型），off 只给出行数。",
    ),
    "--share-values": (
        "Values of the database that a model may be shown.",
        "允许向模型展示的数据库中的值。",
    ),
    "--policy": ("JSON file of the tables and columns that may be seen.", "JSON 文件，列出可见的表和列。"),
    "--tables": ("Only these tables may be seen, separated by commas.", "只允许查看这些表，用逗号分隔。"),
    "--allow-writes": (
        "Let a person confirm a write; without it all are refused.",
        "允许经确认的写入，否则一律拒绝。",
    ),
    "--rows": ("Rows that a query may return.", "查询最多返回的行数。"),
    "--seconds": ("Seconds for the whole question.", "整个问题的时限（秒）。"),
    "--lang": ("Language of messages.", "消息的语言。"),
    "--config": (
        "A text2sql.toml or .env file to read and to trust; none reads neither.",
        "要读取并信任的 text2sql.toml 或 .env 文件；none 表示两者都不读取。",
    ),
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
    "positive": ("it must be an integer of at least {least}.", "须为不小于 {least} 的整数。"),
    "positive_number": ("it must be a number greater than {least}.", "须为大于 {least} 的数。"),
    "unreadable": ("The command line cannot be read: {detail}", "无法理解该命令行：{detail}"),
    "try": ("`{command} --help` shows the options.", "用 `{command} --help` 查看用法。"),
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
    "empty": ("The database has no tables.", "数据库中没有表。"),
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
    "model.absent": ("not installed yet; `text2sql model pull`", "尚未获取，请运行 `text2sql model pull`"),
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
    # -- what is going on ------------------------------------------------------------------------
    "stage.": ("opening the database", "打开数据库"),
    "stage.classifier": ("understanding the question", "理解问题"),
    "stage.schema": ("choosing tables", "选择相关的表"),
    "stage.generator": ("writing the query", "编写查询"),
    "stage.validator": ("checking the query", "检查查询"),
    "stage.confirmation": ("trying the write", "预演写入"),
    "stage.executor": ("running the query", "执行查询"),
    "stage.recovery": ("repairing the query", "修正查询"),
    "stage.interpreter": ("phrasing the answer", "组织回答"),
    "stage.chart": ("drawing a chart", "绘制图表"),
    "ask.rows_found": ("rows: {rows}", "行数：{rows}"),
    "ask.queued": ("waiting for the model, {ahead} ahead", "等待模型，前面还有 {ahead} 个"),
    # -- an answer -------------------------------------------------------------------------------
    "ask.choose": ("Answer with a number, or rephrase the question.", "请回答序号，或换一种说法。"),
    "ask.needs_yes": (
        "Nothing was changed. Ask again with --yes to run it, or at a terminal to be asked.",
        "没有更改任何数据。加上 --yes 重新提问即可执行，或在终端中提问以便确认。",
    ),
    "chart.written": ("The chart is in {path}", "图表已写入 {path}"),
    "chart.kinds": ("suits: {kinds}", "适合的类型：{kinds}"),
    "grid.rows": (
        "{count:,} more rows: /page in a chat, or --json",
        "还有 {count:,} 行：对话中用 /page，或用 --json",
    ),
    "grid.columns": ("{count} more columns: --json has all", "还有 {count} 列：用 --json 查看全部"),
    "grid.limit": (
        "cut off after {count:,} rows, the row limit; the database has more",
        "已达行数上限，只取了 {count:,} 行，数据库中还有更多",
    ),
    "receipt.calls": ("calls {calls}, tokens {tokens:,}", "调用 {calls} 次，{tokens:,} 个 token"),
    "receipt.time": ("{seconds:.1f} s", "{seconds:.1f} 秒"),
    "receipt.repaired": ("fixed: {repairs}", "已修正：{repairs}"),
    "receipt.sent": (
        "sent: values of {columns} columns, {rows} rows",
        "已发送：{columns} 列的值，{rows} 行",
    ),
    "receipt.spent": (
        "calls {calls}, prompt tokens {prompt_tokens:,} (cached {cached_tokens:,}), written tokens "
        "{completion_tokens:,}, {seconds:.1f} s",
        "调用 {calls} 次，提示 {prompt_tokens:,} 个 token（缓存 {cached_tokens:,}），"
        "生成 {completion_tokens:,} 个，{seconds:.1f} 秒",
    ),
    "receipt.sure": (
        "{kind}, {confidence:.0%} by {method}: {reason}",
        "{kind}，{confidence:.0%}（依据 {method}）：{reason}",
    ),
    "receipt.usage": ("cost", "开销"),
    "receipt.model": ("model", "模型"),
    "receipt.kind": ("taken for", "判定为"),
    "receipt.mode": ("mode / preset", "模式 / 预设"),
    "receipt.dialect": ("dialect", "方言"),
    "receipt.tables": ("tables", "表"),
    "receipt.values": ("values found", "匹配到的值"),
    "receipt.assumptions": ("assumed", "假设"),
    "receipt.checks": ("checks passed", "通过的检查"),
    "receipt.repairs": ("fixes", "修正"),
    "receipt.shared": ("sent to the model", "发送给模型的值"),
    "receipt.shared.local": ("nothing left this machine", "没有数据离开本机"),
    "receipt.shared.nothing": ("no values of the database", "未发送数据库中的值"),
    "receipt.shared.values": ("values of {columns}; rows: {rows}", "{columns} 的值；行数：{rows}"),
    "receipt.path": ("path", "经过的阶段"),
    "receipt.seconds": ("seconds", "用时（秒）"),
    "receipt.attempts": ("queries written", "编写的查询数"),
    "receipt.statements": ("statements sent", "发往数据库的语句数"),
    "receipt.confidence": ("confidence", "把握"),
    "receipt.certainty": ("certainty", "把握程度"),
    "receipt.taken_for": ("query in words", "查询含义"),
    "receipt.errors": ("errors on the way", "途中的错误"),
    # -- chat: usage | what it does --------------------------------------------------------------
    "chat/help": ("/help | this list", "/help | 显示本列表"),
    "chat/sql": (
        "/sql [SELECT …] | the last query; or run your own, through the same guard",
        "/sql [SELECT …] | 显示上一条查询；或执行自己的语句，同样经过检查",
    ),
    "chat/schema": ("/schema [TABLE] | the schema of the database", "/schema [表名] | 显示数据库中有什么"),
    "chat/page": (
        "/page [N|next|prev] | more rows of the last answer",
        "/page [N|next|prev] | 翻看上一个答案的更多行",
    ),
    "chat/export": (
        "/export FILE.csv|.json | the last answer's rows as a file",
        "/export 文件.csv|.json | 把上一个答案的数据存为文件",
    ),
    "chat/chart": (
        "/chart [KIND] [FILE.png] | draw the last answer; as another kind, or to a file",
        "/chart [类型] [文件.png] | 为上一个答案画图，可指定类型或存为文件",
    ),
    "chat/model": ("/model [NAME] | show or change the model", "/model [名称] | 显示或更换模型"),
    "chat/receipt": ("/receipt | how the last answer was produced", "/receipt | 上一个答案的来历"),
    "chat/history": ("/history | the questions of this conversation", "/history | 本会话的提问"),
    "chat/undo": ("/undo | forget the last question", "/undo | 撤回上一个问题"),
    "chat/new": ("/new | begin a new conversation", "/new | 开始新的会话"),
    "chat/lang": ("/lang [en|zh] | the language of messages and answers", "/lang [en|zh] | 消息和回答的语言"),
    "chat/quit": ("/quit | end the chat", "/quit | 结束对话"),
    "chat.keys": (
        "Tab completes names, arrow up finds old questions, Ctrl-C stops a question, Ctrl-D ends the chat.",
        "Tab 补全名称，上箭头找回之前的问题，Ctrl-C 停止当前问题，Ctrl-D 结束对话。",
    ),
    "chat.welcome": (
        "Ask {source} in plain words. /help lists the commands.",
        "请用自然语言向 {source} 提问。输入 /help 查看可用命令。",
    ),
    "chat.bye": (
        "`text2sql chat --thread {thread}` goes on from here.",
        "用 `text2sql chat --thread {thread}` 可以继续本次会话。",
    ),
    "chat.hint": ("/quit or Ctrl-D ends the chat.", "输入 /quit 或按 Ctrl-D 结束对话。"),
    "chat.cancelled": ("Stopped. The chat goes on.", "已停止，对话继续。"),
    "chat.page": ("page {number}", "第 {number} 页"),
    "chat.page_of": (
        "page {number} of {pages}, {rows:,} rows in all",
        "第 {number} 页，共 {pages} 页，{rows:,} 行",
    ),
    "chat.overwrite": ("{path} is there already. Overwrite it?", "{path} 已存在，要覆盖吗？"),
    "chat.exported": ("{rows:,} rows written to {path}", "已将 {rows:,} 行写入 {path}"),
    "chat.model": ("The model is {name}.", "当前模型：{name}"),
    "chat.no_turns": ("Nothing has been asked in this conversation yet.", "本会话中还没有提问。"),
    "chat.undone": ("Forgotten. Questions left: {left}.", "已撤回，还剩 {left} 个问题。"),
    "chat.new": ("A new conversation: {thread}", "新的会话：{thread}"),
    "chat.lang": ("Messages and answers are in English now.", "现在消息和回答都使用中文。"),
    # -- stats -----------------------------------------------------------------------------------
    "stats.none": (
        'No question has been asked yet. `text2sql ask "…" --db shop.db` asks the first.',
        '还没有提过问题。用 `text2sql ask "…" --db shop.db` 提第一个问题。',
    ),
    "stats.none_lately": ("No question was asked in {days} days.", "最近 {days} 天没有提问。"),
    "stats.questions": ("questions", "提问"),
    "stats.first_pass": ("right at the first try", "一次成功率"),
    "stats.repaired": ("repaired on the way", "经修正的比例"),
    "stats.calls": ("model calls an answer", "每个答案的模型调用次数"),
    "stats.tokens": ("tokens an answer", "每个答案的 token 数"),
    "stats.statements": ("statements sent to databases", "发往数据库的语句"),
    "stats.models": ("models", "模型"),
    "stats.errors": ("errors on the way", "途中的错误"),
    "stats.seconds": (
        "seconds by stage: half took less than the first, 95 % less than the second",
        "各阶段用时（秒）：中位数、95 百分位",
    ),
    "status.answered": ("answered", "已回答"),
    "status.clarify": ("asked back", "反问"),
    "status.refused": ("refused", "已拒绝"),
    "status.no_data": ("no such data", "没有相关数据"),
    "status.conversation": ("conversation", "闲聊"),
    "status.confirm": ("waiting for confirmation", "等待确认"),
    "status.failed": ("failed", "失败"),
    # -- eval ------------------------------------------------------------------------------------
    "eval.running": ("right {share:.1%}", "正确率 {share:.1%}"),
    "eval.resumed": (
        "Resuming: {path} already has {done} lines.",
        "继续：{path} 中已有 {done} 行。",
    ),
    "eval.kept": (
        "{done} lines are saved in {path}; the same command resumes the run.",
        "已有 {done} 行保存在 {path}，用同一命令可以继续。",
    ),
    "eval.bare_model": ("bare model", "裸模型"),
    "eval.questions": ("questions", "问题"),
    "eval.right": ("right", "正确"),
    "eval.executable": ("executable", "可执行"),
    "eval.turned_away": ("answerable, turned away", "可回答却被婉拒"),
    "eval.declined": ("foreign, turned away", "无关问题被婉拒"),
    "eval.passed": ("right among candidates", "候选中有正确的"),
    "eval.loss": ("right, but not chosen", "有正确的但未选中"),
    "eval.risk": ("risk at half coverage / overall", "覆盖一半时的风险 / 总风险"),
    "eval.calls": ("model calls a question", "每题模型调用次数"),
    "eval.tokens": ("tokens a question: read + written", "每题 token：读 + 写"),
    "eval.seconds": ("seconds: median / 95 %", "用时（秒）：中位数 / 95 百分位"),
    "eval.unjudged": ("references that do not run", "参考答案无法执行"),
    "eval.difficulty": ("right, by difficulty", "各难度的正确率"),
    "eval.failures": ("failures, by class", "各类失败"),
    "eval.compared": (
        "Against the bare model, on {questions} questions: {won} won, {lost} lost, p = {p:.4f} (McNemar).",
        "与裸模型相比，共 {questions} 题：胜 {won}，负 {lost}，p = {p:.4f}（McNemar 检验）。",
    ),
    "eval.compared_runs": (
        "The second against the first, on {questions} questions: {won} won, {lost} lost, p = {p:.4f} "
        "(McNemar).",
        "后者与前者相比，共 {questions} 题：胜 {won}，负 {lost}，p = {p:.4f}（McNemar 检验）。",
    ),
    # -- demo ------------------------------------------------------------------------------------
    "demo.building": ("Building the shop: {path}", "正在建立演示数据库：{path}"),
    "demo.no_model": (
        "Without a model there is nothing to show. `text2sql doctor` tells what is missing; "
        "`text2sql demo --model provider:name` asks a hosted one.",
        "没有可用的模型，无法继续演示。`text2sql doctor` 会说明缺少什么；"
        "也可以用 `text2sql demo --model 提供方:模型` 使用托管模型。",
    ),
    "demo.next": ("Your turn", "接下来请您试试"),
    "demo.question": ("How many customers are there in each city?", "每个城市有多少客户？"),
    # -- doctor ----------------------------------------------------------------------------------
    "compiled": ("compiled", "已编译"),
    "pure": ("pure Python, several times slower", "纯 Python，慢数倍"),
    "optional": ("not installed; needed for such a database only", "未安装，仅访问此类数据库时需要"),
    "database": ("database", "数据库"),
    "reached": ("{tables} tables, read in {seconds:.2f} s", "{tables} 个表，读取用时 {seconds:.2f} 秒"),
    "embedded": ("embedded model", "内置模型"),
    "embedded.missing": ("not installed; a hosted model can be used by name", "未安装，可按名称使用托管模型"),
    "similarity": ("similar asked", "相似问题"),
    "similarity.words": ("verified questions are compared by words", "按词语比较已验证的问题"),
    "similarity.meaning": ("compared by meaning, with {model}", "按语义比较，使用 {model}"),
    "write_refused": (
        "read-only: a write was tried, and the engine refused it",
        "只读：已尝试写入，被数据库引擎拒绝",
    ),
    "write_accepted": (
        "NOT read-only: the engine accepted a write; do not use this connection",
        "并非只读：数据库引擎接受了写入，请勿使用该连接",
    ),
    "read_only": ("opened read-only", "以只读方式打开"),
    "all_well": ("Everything needed is installed.", "所需的一切都已就绪。"),
    "no_database": (
        "No database was named; `--db` examines one.",
        "没有指定数据库；用 `--db` 检查一个数据库。",
    ),
}


def word(key: str, lang: Language, **facts: object) -> str:
    return WORDS[key][lang == "zh"].format_map(facts) if facts else WORDS[key][lang == "zh"]
