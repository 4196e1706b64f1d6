"""Teaches the embedded model what it gets wrong most: a LoRA adapter, for `TEXT2SQL_MODEL_ADAPTER`.

    pip install torch transformers gguf            beside text2sql itself, which does not need them
    python benchmarks/tune.py adapter.gguf         about an hour on two cores, 6 GB
    TEXT2SQL_MODEL_ADAPTER=adapter.gguf text2sql eval …

It learns from questions that were written for this project, each with its query: about the invented databases
of `tuning/` (1,272, in both languages) and about databases of the tuning set (`questions/`, 270). No question
of Spider is among them, and no database of the reported sets, nor one about what those are about. Each is
learned once, in one of its languages, below the very prompt that the app writes; of the easy ones, which the
model knows, a third.

The weights stay as they are. Beside each matrix two thin ones are learned, and the schema, which many
questions share, is read once for all of them: what it costs to learn is the question and the query.
"""

import argparse
import json
import math
import random
import re
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any, TypeAlias

import gguf
import torch
import torch.nn.functional as F  # noqa: N812 its usual name
from transformers import AutoModelForCausalLM, AutoTokenizer, DynamicCache

from accuracy_lab import SET, SHIPPED, Place
from other_ways import found_in
from text2sql.agents.context import question_text
from text2sql.config import Settings
from text2sql.evaluation.questions import Question
from text2sql.llm.embedded.file import ready_file
from text2sql.schema import render

HERE = Path(__file__).parent
RANK, SCALE, RATE, TOGETHER, SEED = 8, 2.0, 2.5e-4, 5, 1
EASY = 0.3  # the share of easy questions that is kept
PARTS = {
    "self_attn": {"q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output"},
    "mlp": {"gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down"},
}
Pair: TypeAlias = tuple[str, str]  # what is asked, what is to be written


@dataclass
class Lesson:
    system: str
    pairs: list[Pair] = field(default_factory=list)


# -- What is learned -----------------------------------------------------------------------------


def lessons(folder: Path) -> Iterator[Lesson]:
    """A lesson a database."""
    for file in sorted((HERE / "tuning").glob("*.json")):
        told = json.loads(file.read_text(encoding="utf-8"))
        path = folder / f"{file.stem}.sqlite"
        with sqlite3.connect(path) as connection:
            for statement in told["ddl"] + told["rows"]:
                connection.execute(statement)
        yield lesson(path, [(one["hardness"], one["en"], one["zh"], one["sql"]) for one in told["pairs"]])
    written: dict[str, list[tuple[str, str, str, str]]] = {}
    for name in ("train-databases", "train-databases-2"):
        languages = [json.loads((HERE / f"questions/{name}.{one}.json").read_text()) for one in ("en", "zh")]
        for en, zh in zip(*languages, strict=True):
            entry = (en["hardness"], en["question"], zh["question"], en["gold_sql"])
            written.setdefault(en["db_id"], []).append(entry)
    for name, entries in written.items():
        yield lesson(SET / "databases" / name / f"{name}.sqlite", entries)


def lesson(path: Path, entries: list[tuple[str, str, str, str]]) -> Lesson:
    place = Place(path)
    template = Template((SHIPPED / "generate_sql.md").read_text(encoding="utf-8"))
    made = Lesson(template.substitute(dialect="SQLite", schema=render(place.catalogue, samples=True)))
    for hardness, en, zh, sql in entries:
        if hardness != "easy" or random.random() < EASY:
            asked = random.choice((en, zh))
            told = question_text(asked, found_in(Question("", "", asked, ""), place))  # type: ignore[arg-type]
            made.pairs.append((told, in_its_hand(sql)))
    made.pairs.sort(key=lambda pair: len(pair[0]) + len(pair[1]))  # of one length together: less is padded
    return made


def in_its_hand(sql: str) -> str:
    """As the model writes it, so that it learns what to write and not how."""
    return re.sub(r"\b(count|avg|sum|min|max) ?\(", lambda one: one[0].upper(), sql) + ";"


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
            low = F.linear(given[0], down.to(out.dtype))
            return out + F.linear(low, up.to(out.dtype)) * SCALE

        matrix.register_forward_hook(add)

    def read(self, system: str) -> list[tuple[Any, Any]]:
        ids = torch.tensor([self.ids(f"<|im_start|>system\n{system}<|im_end|>\n")])
        with torch.no_grad():
            read = self.model.model(ids, use_cache=True).past_key_values
        return [(layer.keys, layer.values) for layer in read.layers]

    def loss(self, read: list[tuple[Any, Any]], pairs: list[Pair]) -> Any:
        texts = [
            (
                self.ids(f"<|im_start|>user\n{asked}<|im_end|>\n<|im_start|>assistant\n"),
                self.ids(f"{sql}<|im_end|>"),
            )
            for asked, sql in pairs
        ]
        many, long, before = len(texts), max(len(a) + len(b) for a, b in texts), read[0][0].shape[2]
        ids, mask = torch.zeros(many, long, dtype=torch.long), torch.zeros(many, long, dtype=torch.long)
        wanted = torch.full((many, long), -1)
        for row, (a, b) in enumerate(texts):
            ids[row, : len(a) + len(b)] = torch.tensor(a + b)
            mask[row, : len(a) + len(b)] = 1
            wanted[row, len(a) - 1 : len(a) + len(b) - 1] = torch.tensor(b)
        cache = DynamicCache()
        for at, (keys, values) in enumerate(read):
            cache.update(keys.expand(many, -1, -1, -1), values.expand(many, -1, -1, -1), at)
        seen = torch.cat([torch.ones(many, before, dtype=torch.long), mask], 1)
        places = torch.arange(before, before + long)[None].expand(many, -1)
        out = self.model.model(ids, past_key_values=cache, attention_mask=seen, position_ids=places)
        said = wanted >= 0
        return F.cross_entropy(self.model.lm_head(out.last_hidden_state[said]).float(), wanted[said])

    def ids(self, text: str) -> list[int]:
        return list(self.tokens(text, add_special_tokens=False)["input_ids"])

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


def learn(tuned: Tuned, taught: list[Lesson]) -> None:
    matrices = [one for both in tuned.thin.values() for one in both]
    optimizer = torch.optim.AdamW(matrices, lr=RATE, weight_decay=0.0, betas=(0.9, 0.99))
    steps, done, began = sum(math.ceil(len(one.pairs) / TOGETHER) for one in taught), 0, time.monotonic()
    for one in taught:
        read = tuned.read(one.system)
        for at in random.sample(range(0, len(one.pairs), TOGETHER), math.ceil(len(one.pairs) / TOGETHER)):
            done += 1
            cooled = 0.1 + 0.45 * (1 + math.cos(math.pi * done / steps))
            optimizer.param_groups[0]["lr"] = RATE * min(1.0, done / 10) * cooled
            loss = tuned.loss(read, one.pairs[at : at + TOGETHER])
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(matrices, 1.0)
            optimizer.step()
            print(f"{done}/{steps}  loss {loss.item():.3f}  {time.monotonic() - began:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    random.seed(SEED)
    torch.manual_seed(SEED)
    with tempfile.TemporaryDirectory() as folder:
        taught = list(lessons(Path(folder)))
    random.shuffle(taught)
    tuned = Tuned(ready_file(None, Settings()))
    learn(tuned, taught)
    tuned.write(given.out)


if __name__ == "__main__":
    main()
