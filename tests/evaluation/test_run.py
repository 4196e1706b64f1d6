"""Running an evaluation: verdicts, records and resuming."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from text2sql.errors import ModelUnavailable, Text2SQLError, UsageError
from text2sql.evaluation.questions import Question
from text2sql.evaluation.records import Record, read_records
from text2sql.evaluation.run import EvaluatedApp, evaluate
from text2sql.evaluation.subjects import SubjectAnswer
from text2sql.types import Answer, Certainty, Problem, Receipt, Usage


def question(number: int, gold: str, text: str = "", **facts: object) -> Question:
    return Question(str(number), "shop", text or f"question {number}", gold, **facts)  # type: ignore[arg-type]


class Scripted:
    """Answers each question with its mapped query, after `pauses` seconds."""

    def __init__(
        self, answers: Mapping[str, SubjectAnswer | Answer | str], pauses: Mapping[str, float] | None = None
    ) -> None:
        self.answers = answers
        self.pauses = pauses or {}
        self.questions: list[str] = []
        self.threads: list[str] = []
        self.open: list[str] = []
        self.closed: list[str] = []
        self.most = self.busy = 0

    def __call__(self, source: str) -> "Scripted":
        assert Path(source).is_file()
        self.open.append(Path(source).stem)
        return self

    async def ask(self, text: str, thread: str = "", today: str = "") -> SubjectAnswer:
        self.questions.append(text)
        self.threads.append(thread)
        self.busy += 1
        self.most = max(self.most, self.busy)
        try:
            await asyncio.sleep(self.pauses.get(text, 0))
        finally:
            self.busy -= 1
        answer = self.answers[text]
        if isinstance(answer, SubjectAnswer):
            return answer
        if isinstance(answer, Answer):
            return SubjectAnswer(answer)
        if answer == "down":
            raise ModelUnavailable("local", "gone")
        return SubjectAnswer(
            Answer("answered", text, "", sql=answer, receipt=Receipt(usage=Usage(1, 100, 90, 12)))
        )

    async def close(self) -> None:
        self.closed.append(self.open[-1])


def run(
    questions: Sequence[Question], folder: Path, ask: Scripted, out: Path | None = None, parallel: int = 1
) -> list[Record]:
    def where(question: Question) -> str:
        return str(question.database(folder))

    return asyncio.run(evaluate(questions, where, [EvaluatedApp(ask, out)], parallel=parallel))[0]


def verdicts(records: list[Record]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(record.id, record.verdict, record.failure) for record in records]


def test_an_answer_is_judged_by_the_rows_of_its_query(databases: Path) -> None:
    gold = "SELECT a FROM t WHERE b = 'x'"
    ask = Scripted(
        {
            "question 1": "SELECT a FROM t WHERE a <> 2",
            "question 2": "SELECT a, b FROM t WHERE b = 'x'",
            "question 3": "SELECT c FROM t",
            "question 4": Answer("refused", "", "", error=Problem("table", "")),
            "question 5": "down",
            "question 6": "SELECT 1",
            "question 7": "SELECT a FROM t ORDER BY a",
            "question 8": "DELETE FROM t",
            "question 9": Answer("clarify", "", "", sql="SELECT a FROM t WHERE b = 'nowhere'"),
            "question 10": Answer("clarify", "", "", sql="SELECT c FROM t"),
        }
    )
    golds = [gold, gold, gold, gold, gold, "SELECT absent FROM t", "SELECT a FROM t ORDER BY a DESC", gold]
    golds += [gold, gold]
    records = run([question(at, gold) for at, gold in enumerate(golds, 1)], databases, ask)
    assert verdicts(records) == [
        ("1", "right", ()),
        ("2", "wrong", ("column_count", "output_column")),
        ("3", "error", ("unknown_column",)),
        ("4", "none", ("table",)),
        ("5", "none", ("unavailable",)),
        ("6", "unjudged", ("unknown_column",)),
        ("7", "wrong", ("ordering",)),
        ("8", "error", ("guard:not_a_query",)),
        ("9", "none", ("clarify",)),
        ("10", "none", ("clarify",)),
    ]
    assert [record.id for record in records if record.ran] == ["1", "2", "7", "9"]
    assert (records[0].calls, records[0].prompt_tokens, records[0].completion_tokens) == (1, 100, 12)
    assert records[0].hardness == "easy"
    assert (ask.open, ask.closed) == (["shop"], ["shop"])


def test_expected_rows_may_replace_the_reference_query(databases: Path) -> None:
    expected = (("x", 2), ("y", 1))
    ask = Scripted(
        {
            "question 1": "SELECT count(*), b FROM t GROUP BY b ORDER BY b DESC",
            "question 2": "SELECT count(*), b FROM t GROUP BY b ORDER BY b DESC",
            "question 3": "SELECT b FROM t",
            "question 4": "SELECT count(*), b FROM t GROUP BY b HAVING b = 'x'",
            "question 5": "SELECT count(*) + 1, b FROM t GROUP BY b",
        }
    )
    questions = [question(at, "", rows=expected, ordered=at == 2) for at in range(1, 6)]
    assert verdicts(run(questions, databases, ask)) == [
        ("1", "right", ()),
        ("2", "wrong", ("rows",)),
        ("3", "wrong", ("column_count",)),
        ("4", "wrong", ("row_count",)),
        ("5", "wrong", ("rows",)),
    ]


def test_long_decimals_are_compared_as_numbers(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    exact = "SELECT 12345678901234567890.12::DECIMAL(38, {}) FROM t"
    ask = Scripted({"question 1": exact.format(4), "question 2": exact.format(2).replace("12345", "12346")})
    questions = [question(at, exact.format(2)) for at in (1, 2)]
    source = str(tmp_path / "t.csv")
    records = asyncio.run(evaluate(questions, lambda _: source, [EvaluatedApp(ask)]))[0]
    assert [record.verdict for record in records] == ["right", "wrong"]


def test_a_foreign_question_should_be_declined(databases: Path) -> None:
    ask = Scripted(
        {
            "question 1": Answer("no_data", "", ""),
            "question 2": Answer("clarify", "", ""),
            "question 3": "SELECT a FROM t",
            "question 4": Answer("failed", "", "", error=Problem("timeout", "")),
        }
    )
    questions = [question(at, "SELECT name FROM animal", foreign="zoo") for at in range(1, 5)]
    assert verdicts(run(questions, databases, ask)) == [
        ("1", "declined", ()),
        ("2", "declined", ()),
        ("3", "taken", ("answered",)),
        ("4", "taken", ("timeout",)),
    ]


def test_a_right_candidate_is_recorded_even_if_it_was_not_chosen(databases: Path) -> None:
    wrong, right = "SELECT b FROM t", "SELECT a FROM t"
    answer = Answer("answered", "", "", sql=wrong, receipt=Receipt(candidates=(wrong, right)))
    ask = Scripted(
        {
            "question 1": SubjectAnswer(answer, (wrong, right)),
            "question 2": SubjectAnswer(answer, (wrong, "SELECT 1")),
            "question 3": SubjectAnswer(answer),
        }
    )
    records = run([question(at, right) for at in (1, 2, 3)], databases, ask)
    assert [(record.verdict, record.among, record.candidates) for record in records] == [
        ("wrong", True, 2),
        ("wrong", False, 2),
        ("wrong", None, 2),
    ]


def test_an_interrupted_run_resumes_after_its_last_record(databases: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    ask = Scripted({f"question {at}": "SELECT a FROM t" for at in range(3)})
    questions = [question(at, "SELECT a FROM t") for at in range(3)]
    run(questions[:2], databases, ask, out)
    with out.open("a") as opened:
        opened.write('{"id": "2", "db_i')  # killed in the middle of a line
    records = run(questions, databases, ask, out)
    assert ask.questions == ["question 0", "question 1", "question 2"]
    assert [record.verdict for record in records] == ["right"] * 3
    assert list(read_records(out).values()) == records


def test_a_question_whose_model_was_unavailable_is_asked_again(databases: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    questions = [question(at, "SELECT a FROM t") for at in range(2)]
    run(questions, databases, Scripted({"question 0": "down", "question 1": "SELECT a FROM t"}), out)
    ask = Scripted({"question 0": "SELECT a FROM t"})
    assert [record.verdict for record in run(questions, databases, ask, out)] == ["right"] * 2
    assert ask.questions == ["question 0"]
    assert [record.verdict for record in read_records(out).values()] == ["right"] * 2


def test_parallel_questions_are_recorded_in_their_order(databases: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    names = [f"question {at}" for at in range(8)]
    pauses = {name: 0.02 * (8 - at) for at, name in enumerate(names)}
    ask = Scripted(dict.fromkeys(names, "SELECT a FROM t"), pauses)
    records = run([question(at, "SELECT a FROM t") for at in range(8)], databases, ask, out, parallel=4)
    assert ask.most == 4
    assert [record.id for record in records] == [str(at) for at in range(8)] == list(read_records(out))


def test_without_parallelism_questions_do_not_overlap(databases: Path) -> None:
    ask = Scripted({f"question {at}": "SELECT a FROM t" for at in range(5)})
    run([question(at, "SELECT a FROM t") for at in range(5)], databases, ask)
    assert (ask.most, ask.questions) == (1, [f"question {at}" for at in range(5)])


def test_finished_answers_are_recorded_when_a_run_is_canceled(databases: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    names = [f"question {at}" for at in range(6)]
    ask = Scripted(dict.fromkeys(names, "SELECT a FROM t"), {"question 2": 60})
    questions = [question(at, "SELECT a FROM t") for at in range(6)]

    async def stopped() -> None:
        def where(question: Question) -> str:
            return str(question.database(databases))

        running = asyncio.create_task(evaluate(questions, where, [EvaluatedApp(ask, out)], parallel=2))
        while len(ask.questions) < 6:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(stopped())
    assert list(read_records(out)) == ["0", "1", "3", "4", "5"]
    assert out.read_bytes().endswith(b"}\n")
    assert ask.closed == ["shop"]


def test_known_records_are_reused_and_new_ones_passed_on_at_once(databases: Path) -> None:
    questions = [question(at, "SELECT a FROM t") for at in range(4)]
    ask = Scripted({question.question: "SELECT a FROM t" for question in questions}, {"question 1": 0.5})
    [known] = run(questions[:1], databases, ask)
    record_ids: list[str] = []

    async def keep(record: Record) -> None:
        record_ids.append(record.id)

    async def again() -> list[Record]:
        contestant = EvaluatedApp(ask, known={known.id: known}, keep=keep)
        source = str(questions[0].database(databases))
        return (await evaluate(questions, lambda _: source, [contestant], parallel=2))[0]

    assert [record.id for record in asyncio.run(again())] == ["0", "1", "2", "3"]
    assert ask.questions == [question.question for question in questions]
    assert sorted(record_ids) == ["1", "2", "3"]
    assert record_ids[-1] == "1"  # the slow question


def test_a_database_is_open_while_its_questions_are_asked(databases: Path) -> None:
    ask = Scripted({"1": "SELECT 1", "2": "SELECT 1", "3": "SELECT 1"})
    questions = [
        Question(name, db_id, name, "SELECT 1")
        for name, db_id in zip("123", ("shop", "shop", "zoo"), strict=True)
    ]
    run(questions, databases, ask)
    assert (ask.open, ask.closed) == (["shop", "zoo"], ["shop", "zoo"])


def test_apps_take_turns_by_database(databases: Path, tmp_path: Path) -> None:
    questions = [
        Question(name, db_id, name, "SELECT 1")
        for name, db_id in zip("123", ("shop", "shop", "zoo"), strict=True)
    ]
    order: list[str] = []

    class Named(Scripted):
        def __init__(self, name: str, sql: str) -> None:
            super().__init__(dict.fromkeys("123", sql))
            self.name = name

        async def ask(self, text: str, thread: str = "", today: str = "") -> SubjectAnswer:
            order.append(f"{self.name}{text}")
            return await super().ask(text, thread, today)

    apps = [
        EvaluatedApp(Named("a", "SELECT 1"), tmp_path / "a.jsonl"),
        EvaluatedApp(Named("b", "SELECT 2"), tmp_path / "b.jsonl"),
    ]
    ours, others = asyncio.run(evaluate(questions, lambda question: str(question.database(databases)), apps))
    assert order == ["a1", "a2", "b1", "b2", "a3", "b3"]
    assert [question.verdict for question in ours + others] == ["right"] * 3 + ["wrong"] * 3
    assert list(read_records(tmp_path / "b.jsonl").values()) == others


def test_a_missing_model_ends_the_run(databases: Path, tmp_path: Path) -> None:
    absent = Answer("failed", "", "", error=Problem("file", "The model's file is not there."))
    ask = Scripted({"question 0": "SELECT a FROM t", **{f"question {at}": absent for at in range(1, 9)}})
    out = tmp_path / "run.jsonl"
    with pytest.raises(Text2SQLError, match=r"evaluation\.stopped.*not there"):
        run([question(at, "SELECT a FROM t") for at in range(9)], databases, ask, out)
    assert list(read_records(out)) == ["0"]
    assert len(ask.questions) <= 3  # the next one may have begun


def test_a_record_line_has_the_documented_fields(databases: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    receipt = Receipt(confidence=0.75, signals={"doubt": 0.1}, repairs=("typo",), attempts=2, model="local")
    answer = Answer("answered", "", "", sql="SELECT 1", receipt=receipt)
    run([question(1, "SELECT 1", "几个？", difficulty="easy")], databases, Scripted({"几个？": answer}), out)
    line = json.loads(out.read_text(encoding="utf-8"))
    assert list(line)[:10] == [
        "id", "db_id", "question", "sql", "status", "verdict", "seconds", "calls", "prompt_tokens",
        "completion_tokens",
    ]  # fmt: skip
    assert (line["question"], line["status"], line["verdict"]) == ("几个？", "answered", "right")
    assert (line["confidence"], line["signals"], line["repairs"]) == (0.75, {"doubt": 0.1}, ["typo"])
    assert (line["attempts"], line["difficulty"], line["model"]) == (2, "easy", "local")
    assert "几个？" in out.read_text(encoding="utf-8")


def test_lone_surrogates_survive_in_records(databases: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    run([question(1, "SELECT 1")], databases, Scripted({"question 1": "SELECT '\ud800'"}), out)
    assert read_records(out)["1"].sql == "SELECT '\ud800'"


def test_evidence_is_sent_with_its_question(databases: Path) -> None:
    ask = Scripted({"how many\n(a is the number)": "SELECT 1"})
    questions = Question("1", "shop", "how many", "SELECT 1", "a is the number")
    assert run([questions], databases, ask)[0].verdict == "right"


def test_a_file_that_is_not_a_record_file_is_refused_and_left_unchanged(
    databases: Path, tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("dear diary\nno records\n")
    with pytest.raises(UsageError, match="line 1"):
        run([question(1, "SELECT 1")], databases, Scripted({}), path)
    assert path.read_text() == "dear diary\nno records\n"


def test_a_last_line_without_a_newline_is_kept(databases: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    ask = Scripted({f"question {at}": "SELECT 1" for at in range(2)})
    run([question(0, "SELECT 1")], databases, ask, out)
    out.write_bytes(out.read_bytes().rstrip(b"\n"))
    run([question(at, "SELECT 1") for at in range(2)], databases, ask, out)
    assert ask.questions == ["question 0", "question 1"]
    assert list(read_records(out)) == ["0", "1"]


def test_the_turns_of_a_conversation_are_asked_one_after_the_other(databases: Path, tmp_path: Path) -> None:
    questions = [
        question(1, "SELECT 1", thread="a"),
        question(2, "SELECT 2"),
        question(3, "SELECT 3", thread="b"),
        question(4, "SELECT 4", thread="a"),
        question(5, "SELECT 5", thread="b"),
    ]
    answers = {each.question: each.gold_sql for each in questions}
    ask = Scripted(answers, {"question 1": 0.2, "question 3": 0.1})
    records = run(questions, databases, ask, tmp_path / "run.jsonl", parallel=5)
    assert verdicts(records) == [(f"{at}", "right", ()) for at in range(1, 6)]
    assert [record.thread for record in records] == ["a", "", "b", "a", "b"]
    asked = list(zip(ask.questions, ask.threads, strict=True))
    assert [text for text, thread in asked if thread == "a"] == ["question 1", "question 4"]
    assert [text for text, thread in asked if thread == "b"] == ["question 3", "question 5"]
    assert ask.most == 3


def test_a_conversation_is_resumed_from_its_first_turn(databases: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    questions = [question(at, "SELECT 1", thread="a" if at < 4 else "b") for at in range(1, 6)]
    ask = Scripted({f"question {at}": "SELECT 1" for at in range(1, 6)})
    run([questions[0], *questions[3:]], databases, ask, out)
    again = Scripted(ask.answers)
    records = run(questions, databases, again, out)
    assert again.questions == ["question 1", "question 2", "question 3"]
    assert len(records) == 5


def test_an_answer_is_judged_by_its_status_and_its_sentence(databases: Path) -> None:
    gold = "SELECT count(*) FROM t"

    def answered(sql: str, sentence: str, certainty: Certainty = "sure") -> Answer:
        return Answer("answered", "", sentence, sql=sql, receipt=Receipt(certainty=certainty))

    cases: list[tuple[Question, Answer]] = [
        (question(1, gold, facts=(("3",),)), answered(gold, "There are 3.")),
        (question(2, gold, facts=(("3",),)), answered(gold, "There are many.")),
        (question(3, "", statuses=("conversation",)), Answer("conversation", "", "Welcome!")),
        (question(4, "", statuses=("conversation",)), answered(gold, "3")),
        (question(5, "", statuses=("refused",)), Answer("refused", "", "", error=Problem("not_a_query", ""))),
        (question(6, gold), answered("SELECT 4", "4", "not_sure")),
        (question(7, gold), Answer("clarify", "", "Which one?")),
        (question(8, gold), Answer("no_data", "", "Nothing.")),
        (question(9, gold), Answer("failed", "", "", error=Problem("timeout", ""))),
        (question(10, gold, statuses=("answered", "no_data")), Answer("no_data", "", "Nothing.")),
        (question(11, "", statuses=()), answered(gold, "3")),
        (question(12, "SELECT 4", any_of=(gold,)), answered(gold, "3")),
        (question(13, "SELECT 4", any_of=("SELECT absent",)), answered(gold, "3")),
    ]
    ask = Scripted({each.question: answer for each, answer in cases})
    records = run([each for each, _ in cases], databases, ask)
    assert [(record.verdict, record.outcome) for record in records] == [
        ("right", "right"),
        ("wrong", "wrong_without_doubt"),
        ("right", "right"),
        ("wrong", "wrong_without_doubt"),
        ("right", "right"),
        ("wrong", "doubted"),
        ("none", "doubted"),
        ("none", "refused"),
        ("none", "failed"),
        ("right", "right"),
        ("unjudged", "unjudged"),
        ("right", "right"),
        ("unjudged", "unjudged"),
    ]
    assert records[1].failure == ("facts", "3")


def test_a_lenient_question_allows_further_columns_and_any_order_unless_it_asks_for_one(
    databases: Path,
) -> None:
    gold = "SELECT b, count(*) AS n FROM t GROUP BY b ORDER BY n DESC"
    wider = "SELECT count(*), b, max(a) FROM t GROUP BY b ORDER BY b DESC"
    questions = [
        question(1, gold, match="lenient"),
        question(2, gold, match="lenient", ordered=True),
        question(3, gold),
        question(4, "", match="lenient", rows=(("x", 2), ("y", 1))),
    ]
    records = run(questions, databases, Scripted({each.question: wider for each in questions}))
    assert [record.verdict for record in records] == ["right", "wrong", "wrong", "right"]


def test_one_of_several_databases_that_cannot_be_opened_fails_its_own_questions(databases: Path) -> None:
    (databases / "notes.txt").write_text("no database", encoding="utf-8")
    broken = Question("2", "notes.txt", "question 2", "SELECT 1", kind="file")
    ask = Scripted({"question 1": "SELECT 1"})
    records = run([question(1, "SELECT 1"), broken], databases, ask)
    assert [(record.verdict, record.outcome, record.kind) for record in records] == [
        ("right", "right", ""),
        ("none", "failed", "file"),
    ]
    assert records[1].failure == ("usage.db_not_a_database",)
    with pytest.raises(UsageError):
        run([broken], databases, ask)
