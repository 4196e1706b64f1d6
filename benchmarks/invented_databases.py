"""Build the invented databases of `practice/` and their question sets in both languages.

The questions test what a 1.5B model often gets wrong: self-joins, boolean columns, and *none* and *both* over
several tables. Fixes were made from them, so use the figures to choose, not to report.

    python benchmarks/invented_databases.py FOLDER
    text2sql eval FOLDER/en.json --databases FOLDER
"""

import argparse
import json
import sqlite3
from pathlib import Path

HERE = Path(__file__).parent


def build(file: Path, path: Path) -> list[dict[str, str]]:
    """Create the database described by a file, and return the file's questions with their queries."""
    document = json.loads(file.read_text(encoding="utf-8"))
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    with connection:
        for statement in document["ddl"] + document["rows"]:
            connection.execute(statement)
    connection.close()
    pairs: list[dict[str, str]] = document["pairs"]
    return pairs


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    questions: dict[str, list[dict[str, str]]] = {"en": [], "zh": []}
    for file in sorted((HERE / "practice").glob("*.json")):
        name = file.stem
        (folder / name).mkdir(parents=True, exist_ok=True)
        for number, pair in enumerate(build(file, folder / name / f"{name}.sqlite")):
            for language, entries in questions.items():
                entries.append(
                    {
                        "id": f"{name}-{number}-{language}",
                        "db_id": name,
                        "question": pair[language],
                        "gold_sql": pair["sql"],
                    }
                )
    for language, entries in questions.items():
        (folder / f"{language}.json").write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    print(f"{len(questions['en'])} questions in {folder}/en.json and {folder}/zh.json")


if __name__ == "__main__":
    main()
