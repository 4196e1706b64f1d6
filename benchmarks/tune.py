"""Teaches the embedded model to write queries: the LoRA adapter that lies beside it (`adapter.gguf`).

    pip install torch transformers accelerate gguf     beside text2sql itself, which does not need them
    python benchmarks/tune.py adapter.gguf             some four hours on two cores, 12 GB
    python benchmarks/tune.py next.gguf --onto adapter.gguf     its last course alone, 90 minutes
    TEXT2SQL_MODEL_ADAPTER=adapter.gguf text2sql eval …

It learns from pairs of a question and its query, in three courses. The first, some 1,500 pairs: those of
`spider-train-600` but for twenty databases, which are kept to judge by (`--held` writes their questions to a
file); questions about the same databases that were written here in Chinese (`questions/`); and those about
the invented databases of `tuning/`, two thirds of them in Chinese. The second, some 1,600 pairs: those of
`spider-train-600` again, and harder ones about its databases that were written here (`tuning/of_spider/`),
in Chinese and most of them in English too. The third, some 1,900 pairs: twenty questions more about each of
those databases (`tuning/of_spider_2/`), and some of Spider's once more. No database of a reported set is
among them, nor one about what those are about. Each pair is learned below the very prompt that the app
writes; of the easy ones, which the model knows, half. A share of what a course taught is kept: part of the
way, the model keeps what it knew.

The weights stay as they are: beside each matrix two thin ones are learned. A schema is read once for about
ten questions, which stand behind it side by side and do not see each other.
"""

import argparse
import json
import math
import random
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from string import Template
from typing import Any, TypeAlias

import gguf
import sqlglot
import torch
import torch.nn.functional as F  # noqa: N812 its usual name
from sqlglot import exp
from transformers import AutoModelForCausalLM, AutoTokenizer

from accuracy_lab import SET, SHIPPED, Place
from other_ways import found_in
from practice import build
from text2sql.agents.prompt_builder import question_text
from text2sql.config import Settings
from text2sql.evaluation.questions import Question
from text2sql.llm.embedded.file import ready_file
from text2sql.schema import ValueSharing, render
from text2sql.sql import mask_literals
from text2sql.sql.query_features import hardness
from text2sql.types import Catalog

HERE = Path(__file__).parent
RANK, SCALE, TOGETHER = 8, 2.0, 10
HELD = 20  # databases of the tuning set that nothing is learned about
EASY_OF_SPIDER, EASY, CHINESE = 0.6, 0.4, 0.65  # shares: of the easy ones that are kept, of Chinese ones
ENGLISH_TOO = 0.55  # share of our own questions about its databases; in the second course all in Chinese
CHINESE_TOO, AGAIN = 0.4, 0.4  # the third course's: of our own in Chinese, of Spider's learned once more
PARTS = {
    "self_attn": {"q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output"},
    "mlp": {"gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down"},
}
Pair: TypeAlias = tuple[str, str]  # what is asked, what is to be written
Lesson: TypeAlias = tuple[str, list[Pair]]  # about one database, whose schema stands in the first
Subject: TypeAlias = tuple[Path, list[Pair], float]  # a database, what is asked of it, the share of easy ones


# -- What is learned -----------------------------------------------------------------------------


def held() -> list[str]:
    names = {one["db_id"] for one in json.loads((SET / "questions.json").read_text())}
    return random.Random(5).sample(sorted(names), HELD)


def judged_by() -> list[dict[str, str]]:
    """Questions about the databases that nothing is learned about, for `text2sql eval`."""
    kept = set(held())
    asked = json.loads((SET / "questions.json").read_text(encoding="utf-8"))
    made = [one for one in asked if one["db_id"] in kept]
    for name in sorted(kept):
        for number, one in enumerate(ours(name)):
            made += [
                {
                    "id": f"{name}-{number}-{tongue}",
                    "db_id": name,
                    "question": one[tongue],
                    "gold_sql": one["sql"],
                }
                for tongue in ("en", "zh")
            ]
    return made


def lessons(subjects: Iterable[Subject]) -> list[Lesson]:
    made = [one for subject in subjects for one in _about(*subject)]
    random.shuffle(made)
    return made


def first_course(folder: Path) -> Iterator[Subject]:
    chinese = [HERE / f"questions/train-databases{n}.zh.json" for n in ("", "-2")]
    for _, path, theirs in _of_spider(*chinese):
        yield path, theirs, EASY_OF_SPIDER
    for file in sorted((HERE / "tuning").glob("*.json")):
        path = folder / f"{file.stem}.sqlite"
        pairs = build(file, path)
        asked = [(one["zh"] if random.random() < CHINESE else one["en"], one["sql"]) for one in pairs]
        yield path, asked, EASY


def second_course(_: Path) -> Iterator[Subject]:
    for name, path, pairs in _of_spider():
        for one in ours(name):
            pairs.append((one["zh"], one["sql"]))
            if random.random() < ENGLISH_TOO:
                pairs.append((one["en"], one["sql"]))
        yield path, pairs, EASY


def third_course(_: Path) -> Iterator[Subject]:
    for name, path, pairs in _of_spider():
        again = [one for one in pairs if random.random() < AGAIN]
        yield (
            path,
            again
            + [
                (one[tongue], one["sql"])
                for one in ours(name, "of_spider_2")
                for tongue, share in (("en", ENGLISH_TOO), ("zh", CHINESE_TOO))
                if random.random() < share
            ],
            EASY,
        )


def _of_spider(*more: Path) -> Iterator[tuple[str, Path, list[Pair]]]:
    files = [SET / "questions.json", *more]
    asked = [one for file in files for one in json.loads(file.read_text(encoding="utf-8"))]
    for name in sorted({one["db_id"] for one in asked} - set(held())):
        pairs = [(one["question"], one["gold_sql"]) for one in asked if one["db_id"] == name]
        yield name, SET / "databases" / name / f"{name}.sqlite", pairs


def ours(name: str, folder: str = "of_spider") -> list[dict[str, str]]:
    """What was written here about a database of the tuning set; nothing about some of them."""
    file = HERE / f"tuning/{folder}/{name}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else []


def _about(path: Path, pairs: list[Pair], easy: float) -> Iterator[Lesson]:
    place = Place(path)
    template = Template((SHIPPED / "generate_sql.md").read_text(encoding="utf-8"))
    system = template.substitute(dialect="SQLite", schema=render(place.catalog, samples=True))
    made: list[Pair] = []
    for asked, sql in pairs:
        if hardness(sql, "sqlite") != "easy" or random.random() < easy:
            found: Any = found_in(Question("", "", asked, ""), place)
            told = question_text(asked, found, ValueSharing("samples", place.schema_context, mask_literals))
            made.append((told, in_its_hand(sql, place.catalog)))
    random.shuffle(made)
    many = max(1, round(len(made) / TOGETHER))
    yield from ((system, made[at::many]) for at in range(many if made else 0))


def in_its_hand(sql: str, catalog: Catalog) -> str:
    """As the model writes it, so that it learns what to write and not how: names as the schema spells them,
    texts in single quotes.
    """
    tables = {table.name.casefold(): table.name for table in catalog.tables}
    columns = {one.name.casefold(): one.name for table in catalog.tables for one in table.columns}
    tree = sqlglot.parse_one(sql, read="sqlite")
    for column in list(tree.find_all(exp.Column)):
        if column.this.args.get("quoted") and not column.table and column.name.casefold() not in columns:
            column.replace(exp.Literal.string(column.name))
    for name in tree.find_all(exp.Identifier):
        known = (columns | tables).get(name.name.casefold())
        if known and not isinstance(name.parent, exp.TableAlias):
            name.replace(exp.to_identifier(known, quoted=not re.fullmatch(r"[A-Za-z_]\w*", known)))
    return tree.sql("sqlite") + ";"


# What is taught, how fast, and the share of all that was learned so far that is kept.
COURSES: tuple[tuple[Callable[[Path], Iterator[Subject]], float, float], ...] = (
    (first_course, 3e-4, 0.5),
    (second_course, 2e-4, 1.0),
    (third_course, 2e-4, 0.5),
)


# -- Learning ------------------------------------------------------------------------------------


class Tuned:
    """The model, with two thin matrices beside each of its own."""

    def __init__(self, file: Path) -> None:
        where = {"gguf_file": file.name, "local_files_only": True}
        self.tokens = AutoTokenizer.from_pretrained(file.parent, **where)
        self.model = AutoModelForCausalLM.from_pretrained(file.parent, dtype=torch.bfloat16, **where)
        self.model.requires_grad_(False)
        self.thin: dict[str, tuple[Any, Any]] = {}
        for at, layer in enumerate(self.model.model.layers):
            for part, names in PARTS.items():
                for theirs, ours in names.items():
                    self._beside(f"blk.{at}.{ours}.weight", getattr(getattr(layer, part), theirs))

    def _beside(self, name: str, matrix: Any) -> None:
        down = torch.randn(RANK, matrix.in_features) / math.sqrt(matrix.in_features)
        up = torch.zeros(matrix.out_features, RANK)
        self.thin[name] = down.requires_grad_(), up.requires_grad_()

        def add(_: Any, given: tuple[Any], out: Any) -> Any:
            return out + F.linear(F.linear(given[0], down.to(out.dtype) * SCALE), up.to(out.dtype))

        matrix.register_forward_hook(add)

    def loss(self, system: str, pairs: list[Pair]) -> Any:
        """Of all answers at once: each sees the schema and its own question, and no other one. What is
        learned reads the schema too, so its gradient goes through all of it.
        """
        ids = self.ids(f"<|im_start|>system\n{system}<|im_end|>\n")
        before = len(ids)
        places, wanted, owner = list(range(before)), [-1] * before, [0] * before
        for number, (asked, sql) in enumerate(pairs, 1):
            a = self.ids(f"<|im_start|>user\n{asked}<|im_end|>\n<|im_start|>assistant\n")
            b = self.ids(f"{sql}<|im_end|>")
            ids += a + b
            places += range(before, before + len(a) + len(b))
            wanted += [-1] * (len(a) - 1) + b + [-1]
            owner += [number] * (len(a) + len(b))
        own, want = torch.tensor(owner), torch.tensor(wanted)
        seen = torch.tril((own[:, None] == own[None, :]) | (own[None, :] == 0))
        mask = torch.zeros(1, 1, len(ids), len(ids), dtype=torch.bfloat16)
        mask.masked_fill_(~seen, torch.finfo(torch.bfloat16).min)
        out = self.model.model(
            torch.tensor([ids]),
            attention_mask=mask,
            position_ids=torch.tensor([places]),
            use_cache=False,
        )
        said = want >= 0
        return F.cross_entropy(self.model.lm_head(out.last_hidden_state[0][said]).float(), want[said])

    def ids(self, text: str) -> list[int]:
        return list(self.tokens(text, add_special_tokens=False)["input_ids"])

    def keep(self, share: float) -> None:
        for _, up in self.thin.values():
            up.data.mul_(share)

    def read(self, path: Path) -> None:
        """Go on from what `write` has written."""
        held = {one.name: torch.tensor(one.data) for one in gguf.GGUFReader(path).tensors}
        for name, both in self.thin.items():
            for what, matrix in zip(("lora_a", "lora_b"), both, strict=True):
                matrix.data.copy_(held[f"{name}.{what}"])

    def write(self, path: Path) -> None:
        """As llama.cpp reads an adapter."""
        out = gguf.GGUFWriter(path, "qwen2")
        out.add_type("adapter")
        out.add_string("adapter.type", "lora")
        out.add_float32("adapter.lora.alpha", SCALE * RANK)
        for name, (down, up) in self.thin.items():
            for what, matrix in (("lora_a", down), ("lora_b", up)):
                out.add_tensor(f"{name}.{what}", matrix.detach().half().numpy())
        out.write_header_to_file()
        out.write_kv_data_to_file()
        out.write_tensors_to_file()
        out.close()


def learn(tuned: Tuned, taught: list[Lesson], rate: float) -> None:
    matrices = [one for both in tuned.thin.values() for one in both]
    optimizer = torch.optim.AdamW(matrices, lr=rate, weight_decay=0.0, betas=(0.9, 0.99))
    began = time.monotonic()
    for done, (system, pairs) in enumerate(taught, 1):
        cooled = 0.05 + 0.475 * (1 + math.cos(math.pi * done / len(taught)))
        optimizer.param_groups[0]["lr"] = rate * min(1.0, done / 10) * cooled
        loss = tuned.loss(system, pairs)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(matrices, 1.0)
        optimizer.step()
        print(f"{done}/{len(taught)}  loss {loss.item():.3f}  {time.monotonic() - began:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--held", action="store_true", help="write the questions to judge by, and learn nothing"
    )
    parser.add_argument("--onto", type=Path, help="go on from this adapter, with the last course alone")
    given = parser.parse_args()
    if given.held:
        given.out.write_text(json.dumps(judged_by(), ensure_ascii=False), encoding="utf-8")
        return
    tuned = Tuned(ready_file(None, Settings()))
    courses = list(enumerate(COURSES, 1))
    if given.onto:
        tuned.read(given.onto)
        courses = courses[-1:]
    for seed, (course, rate, kept) in courses:
        random.seed(seed)
        torch.manual_seed(seed)
        with tempfile.TemporaryDirectory() as folder:
            taught = lessons(course(Path(folder)))
        learn(tuned, taught, rate)
        tuned.keep(kept)
    tuned.write(given.out)


if __name__ == "__main__":
    main()
