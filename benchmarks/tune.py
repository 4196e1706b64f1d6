"""Train the LoRA adapter of the embedded model (`adapter.gguf`) to write queries.

    pip install torch transformers accelerate gguf     in addition to text2sql, which does not need them
    python benchmarks/tune.py adapter.gguf             about four hours on two cores, 12 GB
    python benchmarks/tune.py next.gguf --resume adapter.gguf     the last stage only, 90 minutes
    TEXT2SQL_MODEL_ADAPTER=adapter.gguf text2sql eval …

The training data are pairs of a question and its query, in three stages:

1. about 1,500 pairs: those of `spider-train-600` without twenty held-out databases (`--held-out` writes their
   questions to a file); Chinese questions about the same databases (`questions/`); and questions about the
   databases in `tuning/`, two thirds of them in Chinese
2. about 1,600 pairs: those of `spider-train-600` again, and harder ones about its databases
   (`tuning/of_spider/`), all in Chinese and most of them in English, too
3. about 1,900 pairs: twenty more questions about each of those databases (`tuning/of_spider_2/`), and some of
   Spider's again

No database of a reported set is among them. Each pair uses the prompt of the app. Of the easy pairs, only a
part is used. After a stage the adapter is scaled down, so that the model keeps what it knew before.

The weights of the model are frozen. About ten questions share one pass over a schema; the attention mask
hides them from each other.
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
import torch.nn.functional as F  # noqa: N812 -- its usual name
from sqlglot import exp
from transformers import AutoModelForCausalLM, AutoTokenizer

from compare_prompts import SET, SHIPPED, BenchmarkDatabase
from invented_databases import build
from second_query import schema_info
from text2sql.agents.prompt_builder import question_text
from text2sql.config import Settings
from text2sql.evaluation.questions import Question
from text2sql.llm.embedded.file import ready_file
from text2sql.schema import ValueSharing, render
from text2sql.sql import mask_literals
from text2sql.sql.query_features import hardness
from text2sql.types import Catalog

HERE = Path(__file__).parent
RANK, SCALE = 8, 2.0
BATCH = 10  # questions that share one pass over a schema
HELD_OUT = 20  # databases that are not trained on
EASY_OF_SPIDER, EASY = 0.6, 0.4  # shares of the easy pairs that are used
CHINESE = 0.65  # share of Chinese questions in the first stage
ENGLISH = 0.55  # share of our questions about Spider's databases that are also used in English
CHINESE_3, SPIDER_3 = 0.4, 0.4  # third stage: shares of our questions in Chinese, and of Spider's pairs
PARTS = {
    "self_attn": {"q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output"},
    "mlp": {"gate_proj": "ffn_gate", "up_proj": "ffn_up", "down_proj": "ffn_down"},
}
Pair: TypeAlias = tuple[str, str]  # question, query
Batch: TypeAlias = tuple[str, list[Pair]]  # system prompt with the schema, pairs about it
Subset: TypeAlias = tuple[Path, list[Pair], float]  # database, pairs about it, share of easy pairs to use


# -- Training data -------------------------------------------------------------------------------


def held_out_databases() -> list[str]:
    names = {entry["db_id"] for entry in json.loads((SET / "questions.json").read_text())}
    return random.Random(5).sample(sorted(names), HELD_OUT)


def held_out_questions() -> list[dict[str, str]]:
    """Questions about the databases that are not trained on, for `text2sql eval`."""
    names = set(held_out_databases())
    spider = json.loads((SET / "questions.json").read_text(encoding="utf-8"))
    questions = [entry for entry in spider if entry["db_id"] in names]
    for name in sorted(names):
        for number, pair in enumerate(own_pairs(name)):
            questions += [
                {
                    "id": f"{name}-{number}-{language}",
                    "db_id": name,
                    "question": pair[language],
                    "gold_sql": pair["sql"],
                }
                for language in ("en", "zh")
            ]
    return questions


def batches(subsets: Iterable[Subset]) -> list[Batch]:
    all_batches = [batch for subset in subsets for batch in _batches_of(*subset)]
    random.shuffle(all_batches)
    return all_batches


def first_stage(folder: Path) -> Iterator[Subset]:
    chinese = [HERE / f"questions/train-databases{n}.zh.json" for n in ("", "-2")]
    for _, path, pairs in _spider_pairs(*chinese):
        yield path, pairs, EASY_OF_SPIDER
    for file in sorted((HERE / "tuning").glob("*.json")):
        path = folder / f"{file.stem}.sqlite"
        entries = build(file, path)
        yield path, [(_either_language(entry), entry["sql"]) for entry in entries], EASY


def _either_language(entry: dict[str, str]) -> str:
    return entry["zh"] if random.random() < CHINESE else entry["en"]


def second_stage(_: Path) -> Iterator[Subset]:
    for name, path, pairs in _spider_pairs():
        for entry in own_pairs(name):
            pairs.append((entry["zh"], entry["sql"]))
            if random.random() < ENGLISH:
                pairs.append((entry["en"], entry["sql"]))
        yield path, pairs, EASY


def third_stage(_: Path) -> Iterator[Subset]:
    for name, path, pairs in _spider_pairs():
        repeated = [pair for pair in pairs if random.random() < SPIDER_3]
        for entry in own_pairs(name, "of_spider_2"):
            for language, share in (("en", ENGLISH), ("zh", CHINESE_3)):
                if random.random() < share:
                    repeated.append((entry[language], entry["sql"]))
        yield path, repeated, EASY


def _spider_pairs(*more: Path) -> Iterator[tuple[str, Path, list[Pair]]]:
    files = [SET / "questions.json", *more]
    entries = [entry for file in files for entry in json.loads(file.read_text(encoding="utf-8"))]
    for name in sorted({entry["db_id"] for entry in entries} - set(held_out_databases())):
        pairs = [(entry["question"], entry["gold_sql"]) for entry in entries if entry["db_id"] == name]
        yield name, SET / "databases" / name / f"{name}.sqlite", pairs


def own_pairs(name: str, folder: str = "of_spider") -> list[dict[str, str]]:
    """Our questions about one of Spider's databases; some have none."""
    file = HERE / f"tuning/{folder}/{name}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else []


def _batches_of(path: Path, pairs: list[Pair], easy: float) -> Iterator[Batch]:
    database = BenchmarkDatabase(path)
    template = Template((SHIPPED / "generate_sql.md").read_text(encoding="utf-8"))
    system = template.substitute(dialect="SQLite", schema=render(database.catalog, samples=True))
    sharing = ValueSharing("samples", database.schema_context, mask_literals)
    examples: list[Pair] = []
    for question, sql in pairs:
        if hardness(sql, "sqlite") != "easy" or random.random() < easy:
            linked: Any = schema_info(Question("", "", question, ""), database)
            examples.append((question_text(question, linked, sharing), normalized(sql, database.catalog)))
    random.shuffle(examples)
    count = max(1, round(len(examples) / BATCH))
    yield from ((system, examples[at::count]) for at in range(count if examples else 0))


def normalized(sql: str, catalog: Catalog) -> str:
    """The query in the model's own notation, so that training does not change it: names as the schema spells
    them, texts in single quotes.
    """
    tables = {table.name.casefold(): table.name for table in catalog.tables}
    columns = {column.name.casefold(): column.name for table in catalog.tables for column in table.columns}
    tree = sqlglot.parse_one(sql, read="sqlite")
    for column in list(tree.find_all(exp.Column)):
        if column.this.args.get("quoted") and not column.table and column.name.casefold() not in columns:
            column.replace(exp.Literal.string(column.name))
    for name in tree.find_all(exp.Identifier):
        known = (columns | tables).get(name.name.casefold())
        if known and not isinstance(name.parent, exp.TableAlias):
            name.replace(exp.to_identifier(known, quoted=not re.fullmatch(r"[A-Za-z_]\w*", known)))
    return tree.sql("sqlite") + ";"


# Training data, learning rate, and the factor that the adapter is scaled by afterwards.
STAGES: tuple[tuple[Callable[[Path], Iterator[Subset]], float, float], ...] = (
    (first_stage, 3e-4, 0.5),
    (second_stage, 2e-4, 1.0),
    (third_stage, 2e-4, 0.5),
)


# -- Training ------------------------------------------------------------------------------------


class LoraModel:
    """The frozen model with a LoRA adapter: two low-rank matrices for each of its matrices."""

    def __init__(self, file: Path) -> None:
        where = {"gguf_file": file.name, "local_files_only": True}
        self.tokens = AutoTokenizer.from_pretrained(file.parent, **where)
        self.model = AutoModelForCausalLM.from_pretrained(file.parent, dtype=torch.bfloat16, **where)
        self.model.requires_grad_(False)
        self.lora: dict[str, tuple[Any, Any]] = {}
        for at, layer in enumerate(self.model.model.layers):
            for part, names in PARTS.items():
                for torch_name, gguf_name in names.items():
                    self._add_lora(f"blk.{at}.{gguf_name}.weight", getattr(getattr(layer, part), torch_name))

    def _add_lora(self, name: str, matrix: Any) -> None:
        down = torch.randn(RANK, matrix.in_features) / math.sqrt(matrix.in_features)
        up = torch.zeros(matrix.out_features, RANK)
        self.lora[name] = down.requires_grad_(), up.requires_grad_()

        def add(_: Any, inputs: tuple[Any], out: Any) -> Any:
            return out + F.linear(F.linear(inputs[0], down.to(out.dtype) * SCALE), up.to(out.dtype))

        matrix.register_forward_hook(add)

    def loss(self, system: str, pairs: list[Pair]) -> Any:
        """The loss of all answers in one pass: each attends to the schema and its own question only. The
        adapter also applies to the schema, so the gradient covers all of it.
        """
        ids = self.ids(f"<|im_start|>system\n{system}<|im_end|>\n")
        before = len(ids)
        positions, labels, owners = list(range(before)), [-1] * before, [0] * before
        for number, (question, sql) in enumerate(pairs, 1):
            prompt = self.ids(f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n")
            reply = self.ids(f"{sql}<|im_end|>")
            ids += prompt + reply
            positions += range(before, before + len(prompt) + len(reply))
            labels += [-1] * (len(prompt) - 1) + reply + [-1]
            owners += [number] * (len(prompt) + len(reply))
        owner, label = torch.tensor(owners), torch.tensor(labels)
        visible = torch.tril((owner[:, None] == owner[None, :]) | (owner[None, :] == 0))
        mask = torch.zeros(1, 1, len(ids), len(ids), dtype=torch.bfloat16)
        mask.masked_fill_(~visible, torch.finfo(torch.bfloat16).min)
        out = self.model.model(
            torch.tensor([ids]),
            attention_mask=mask,
            position_ids=torch.tensor([positions]),
            use_cache=False,
        )
        predicted = label >= 0
        logits = self.model.lm_head(out.last_hidden_state[0][predicted]).float()
        return F.cross_entropy(logits, label[predicted])

    def ids(self, text: str) -> list[int]:
        return list(self.tokens(text, add_special_tokens=False)["input_ids"])

    def scale(self, factor: float) -> None:
        for _, up in self.lora.values():
            up.data.mul_(factor)

    def read(self, path: Path) -> None:
        """Load an adapter that `write` has written."""
        tensors = {tensor.name: torch.tensor(tensor.data) for tensor in gguf.GGUFReader(path).tensors}
        for name, pair in self.lora.items():
            for suffix, matrix in zip(("lora_a", "lora_b"), pair, strict=True):
                matrix.data.copy_(tensors[f"{name}.{suffix}"])

    def write(self, path: Path) -> None:
        """Write the adapter in the format of llama.cpp."""
        out = gguf.GGUFWriter(path, "qwen2")
        out.add_type("adapter")
        out.add_string("adapter.type", "lora")
        out.add_float32("adapter.lora.alpha", SCALE * RANK)
        for name, (down, up) in self.lora.items():
            for suffix, matrix in (("lora_a", down), ("lora_b", up)):
                out.add_tensor(f"{name}.{suffix}", matrix.detach().half().numpy())
        out.write_header_to_file()
        out.write_kv_data_to_file()
        out.write_tensors_to_file()
        out.close()


def train(model: LoraModel, data: list[Batch], rate: float) -> None:
    matrices = [matrix for pair in model.lora.values() for matrix in pair]
    optimizer = torch.optim.AdamW(matrices, lr=rate, weight_decay=0.0, betas=(0.9, 0.99))
    began = time.monotonic()
    for done, (system, pairs) in enumerate(data, 1):
        cooled = 0.05 + 0.475 * (1 + math.cos(math.pi * done / len(data)))
        optimizer.param_groups[0]["lr"] = rate * min(1.0, done / 10) * cooled
        loss = model.loss(system, pairs)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(matrices, 1.0)
        optimizer.step()
        print(f"{done}/{len(data)}  loss {loss.item():.3f}  {time.monotonic() - began:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--held-out", action="store_true", help="write the held-out questions, do not train")
    parser.add_argument("--resume", type=Path, help="run the last stage only, on top of this adapter")
    arguments = parser.parse_args()
    if arguments.held_out:
        arguments.out.write_text(json.dumps(held_out_questions(), ensure_ascii=False), encoding="utf-8")
        return
    model = LoraModel(ready_file(None, Settings()))
    stages = list(enumerate(STAGES, 1))
    if arguments.resume:
        model.read(arguments.resume)
        stages = stages[-1:]
    for seed, (stage, rate, factor) in stages:
        random.seed(seed)
        torch.manual_seed(seed)
        with tempfile.TemporaryDirectory() as folder:
            data = batches(stage(Path(folder)))
        train(model, data, rate)
        model.scale(factor)
    model.write(arguments.out)


if __name__ == "__main__":
    main()
