"""Questions that were written to find out what a 1.5B model gets wrong, and to mend it: rows that tie two of
one kind together, yes and no, none and both over several tables. They are about invented databases, in both
languages (`practice/`), and were read while the repairs were made: figures for choosing, not for quoting.

    python benchmarks/practice.py FOLDER
    text2sql eval FOLDER/en.json --databases FOLDER
"""

import argparse
import json
import sqlite3
from pathlib import Path

HERE = Path(__file__).parent


def build(file: Path, path: Path) -> list[dict[str, str]]:
    """The database that a file tells of, at a path; the file's questions, each with its query."""
    told = json.loads(file.read_text(encoding="utf-8"))
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    with connection:
        for statement in told["ddl"] + told["rows"]:
            connection.execute(statement)
    connection.close()
    pairs: list[dict[str, str]] = told["pairs"]
    return pairs


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    asked: dict[str, list[dict[str, str]]] = {"en": [], "zh": []}
    for file in sorted((HERE / "practice").glob("*.json")):
        name = file.stem
        (folder / name).mkdir(parents=True, exist_ok=True)
        for number, pair in enumerate(build(file, folder / name / f"{name}.sqlite")):
            for tongue, held in asked.items():
                held.append(
                    {
                        "id": f"{name}-{number}-{tongue}",
                        "db_id": name,
                        "question": pair[tongue],
                        "gold_sql": pair["sql"],
                    }
                )
    for tongue, held in asked.items():
        (folder / f"{tongue}.json").write_text(json.dumps(held, ensure_ascii=False), encoding="utf-8")
    print(f"{len(asked['en'])} questions in {folder}/en.json and {folder}/zh.json")


if __name__ == "__main__":
    main()
