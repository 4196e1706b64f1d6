"""What an emulator does not play, where the service itself has it. The suite leaves that out on the emulator,
and nothing else; `docs/databases.md` shows the same.
"""

from collections.abc import Mapping

from text2sql.database.dialects import Gap

FAKESNOW: Mapping[Gap, str] = {
    "comments": "a comment on a column is forgotten",
    "arrays": "a list cannot be described; JSON can",
}
LOCAL_BIGQUERY: Mapping[Gap, str] = {
    "keys": "a key that refers to a table cannot be declared",
    "error_position": "an error says where it stands only where the words are wrong, not the names",
    "plan_cost": "a dry run reads no bytes",
    "own_time_limit": "a job has no time limit of its own",
    "privileges": "there are no accounts",
}
