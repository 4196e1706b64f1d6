"""Cut a question into pieces: times, values, names of the schema, cues, and the words that are left."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from text2sql.question.cues import find_cues
from text2sql.types import (
    Cue,
    QuestionTerm,
    SchemaCandidate,
    SchemaMention,
    TimeReading,
    ValueMention,
)

# Cues that yield to a name of the same length.
_WEAK = frozenset(
    "ignore list each sum count most least latest earliest rate transaction amount follow only exclude when "
    "pronoun money".split()
)
_NEVER_NAMES = ("never", "exclude", "each")
_CERTAIN = 0.95
_NAME_SCORE = 0.75  # from this score on, words are a name and not just like a part of one


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the question. Which field is set says what it is; a name may be a cue as well (*total*)."""

    start: int
    end: int
    text: str
    cues: tuple[Cue, ...] = ()
    mention: SchemaMention | None = None
    value: ValueMention | None = None
    is_time: bool = False

    def cue(self, *kinds: str) -> Cue | None:
        return next((cue for cue in self.cues if cue.kind in kinds), None)

    def candidates(self, *kinds: str) -> tuple[SchemaCandidate, ...]:
        if self.mention is None:
            return ()
        return tuple(candidate for candidate in self.mention.candidates if candidate.kind in kinds)


@dataclass(slots=True)
class Pieces:
    """The pieces in the order of the question, and which of them a part of the query stands for."""

    items: list[Piece]
    mentions: tuple[SchemaMention, ...] = ()  # all, also those that are no pieces
    used: set[int] = field(default_factory=set)

    def __iter__(self) -> Iterator[tuple[int, Piece]]:
        return iter(enumerate(self.items))

    def __getitem__(self, index: int) -> Piece:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def use(self, *indexes: int) -> None:
        self.used.update(indexes)

    def after(self, index: int, most: int = 3) -> Iterator[int]:
        return iter(range(index + 1, min(len(self.items), index + 1 + most)))

    def before(self, index: int, most: int = 3) -> Iterator[int]:
        return iter(range(index - 1, max(-1, index - 1 - most), -1))

    def with_cue(self, *kinds: str) -> list[int]:
        return [index for index, piece in self if piece.cue(*kinds)]

    def named_in(self, index: int, kind: str) -> list[SchemaCandidate]:
        """The candidates of all mentions within a piece, also if the piece was taken for something else."""
        piece = self.items[index]
        return [
            candidate
            for mention in self.mentions
            if piece.start <= mention.start and mention.end <= piece.end
            for candidate in mention.candidates
            if candidate.kind == kind
        ]

    def unused_texts(self, *, follow_up: bool = False) -> list[str]:
        """What nothing in the query stands for. Words that carry no content are not among the pieces."""
        idle = ("ignore", "list", "time_per", "follow") if follow_up else ("ignore", "list", "time_per")
        return [
            piece.text
            for index, piece in self
            if index not in self.used and not piece.is_time and not _is_idle(piece, idle)
        ]


def _is_idle(piece: Piece, idle: Sequence[str]) -> bool:
    """Whether a cue says nothing that a query could ignore: *which*, *show me*, in a follow-up *only*."""
    return (
        piece.mention is None
        and piece.value is None
        and bool(piece.cues)
        and (all(cue.kind in idle for cue in piece.cues) or ("follow" in idle and bool(piece.cue("follow"))))
    )


@dataclass(frozen=True, slots=True)
class QuestionParts:
    """What was found in a question, by the packages that know how to: positions are in the folded text."""

    text: str  # folded
    terms: tuple[QuestionTerm, ...]
    mentions: tuple[SchemaMention, ...]
    values: tuple[ValueMention, ...]
    times: TimeReading


def cut(parts: QuestionParts, *, follow_up: bool = False) -> Pieces:
    """At one place the longest piece wins; times win over everything."""
    text = parts.text
    all_cues = _cues_of(parts, follow_up=follow_up)
    all_cues = [cue for cue in all_cues if not _is_inside_word(cue, parts.terms)]
    taken: list[Piece] = [
        Piece(start, end, text[start:end], is_time=True) for start, end in _spans(parts.times)
    ]
    found = [
        *(Piece(value.start, value.end, value.text, value=value) for value in parts.values),
        *(
            Piece(mention.start, mention.end, mention.text, mention=mention)
            for mention in parts.mentions
            if _is_name(mention, all_cues)
        ),
        *(Piece(cue.start, cue.end, cue.text, cues=(cue,)) for cue in all_cues),
    ]
    for piece in sorted(found, key=_rank, reverse=True):
        overlapping = [index for index, other in enumerate(taken) if _overlap(piece, other)]
        if not overlapping:
            taken.append(piece)
        elif len(overlapping) == 1 and piece.cues and _same_place(piece, taken[overlapping[0]]):
            taken[overlapping[0]] = _with_cues(taken[overlapping[0]], piece.cues)
    for term in parts.terms:
        if not term.is_phrase:
            taken += _uncovered(term, taken, text)
    items = sorted(taken, key=lambda piece: piece.start)
    return Pieces([piece for piece in items if not _only_ignored(piece)], parts.mentions)


def _is_inside_word(cue: Cue, terms: Sequence[QuestionTerm]) -> bool:
    """Whether a character that says little alone is a part of a known word: the 签 of 签收."""
    if len(cue.text) > 1 or cue.kind not in ("transaction", "ignore", "count"):
        return False
    return any(
        term.start <= cue.start and cue.end <= term.end and cue.text != term.text
        for term in terms
        if term.meanings and (cue.kind != "count" or cue.text == "量")
    )


def _uncovered(term: QuestionTerm, taken: Sequence[Piece], text: str) -> list[Piece]:
    """The parts of a term that no piece contains: the 途 of 在途, whose 在 alone says nothing."""
    free = [
        at
        for at in range(term.start, term.end)
        if text[at].isalnum() and not any(piece.start <= at < piece.end for piece in taken)
    ]
    starts = [at for at in free if at - 1 not in free]
    ends = [at + 1 for at in free if at + 1 not in free]
    return [Piece(start, end, text[start:end]) for start, end in zip(starts, ends, strict=True)]


def _only_ignored(piece: Piece) -> bool:
    return bool(piece.cues) and not piece.mention and all(cue.kind == "ignore" for cue in piece.cues)


def _cues_of(parts: QuestionParts, *, follow_up: bool) -> list[Cue]:
    """The cues that count: those of follow-ups only in one, and no pronoun for what stands before it."""
    starts = [*(mention.start for mention in parts.mentions), *(value.start for value in parts.values)]
    named = min(starts, default=len(parts.text))
    return [
        cue
        for cue in find_cues(parts.text.lower())
        if follow_up or (cue.kind != "follow" and not (cue.kind == "pronoun" and named < cue.start))
    ]


def _is_name(mention: SchemaMention, cues: Sequence[Cue]) -> bool:
    """Words that are only like a part of a name yield to a cue at the same place."""
    score = mention.candidates[0].score
    if mention.candidates[0].kind == "measure" and any(
        cue.kind == "transaction" and (cue.start, cue.end) == (mention.start, mention.end) for cue in cues
    ):
        return False  # what is *sold* is not always an amount
    if score < _CERTAIN and any(
        cue.kind == "count" and mention.start <= cue.start and cue.end <= mention.end for cue in cues
    ):
        return False  # *order count* is no name of a quantity
    if score < _CERTAIN and any(
        cue.kind in _NEVER_NAMES and (cue.start, cue.end) == (mention.start, mention.end) for cue in cues
    ):
        return False  # *no* is not `code`
    if score >= _NAME_SCORE:
        return True
    return not any(
        cue.start <= mention.start and mention.end <= cue.end and cue.kind != "each" for cue in cues
    )


def _rank(piece: Piece) -> tuple[int, int]:
    kind = 3 if piece.value else 2 if piece.mention else 1
    if piece.mention is not None and piece.mention.candidates[0].score < _NAME_SCORE:
        return (1, kind)
    weak = piece.cues and all(cue.kind in _WEAK for cue in piece.cues)
    return (piece.end - piece.start if not weak else (piece.end - piece.start) - 1, kind)


def _spans(times: TimeReading) -> list[tuple[int, int]]:
    ranges = [*times.ranges, *(times.comparison.ranges if times.comparison else ())]
    spans = [item.span for item in ranges if item.certain]
    spans += [item.span for item in times.parts]
    spans += [item.span for item in times.buckets]
    spans += [item.span for item in times.windows]
    if times.comparison is not None and not times.comparison.ranges:
        spans.append(times.comparison.span)
    merged: list[tuple[int, int]] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _overlap(left: Piece, right: Piece) -> bool:
    return left.start < right.end and right.start < left.end


def _same_place(cue: Piece, other: Piece) -> bool:
    return not other.is_time and cue.start >= other.start and cue.end <= other.end and other.value is None


def _with_cues(piece: Piece, cues: tuple[Cue, ...]) -> Piece:
    new = tuple(cue for cue in cues if cue.kind != "ignore" and piece.mention is not None)
    if not new and piece.mention is None and piece.start == cues[0].start and piece.end == cues[0].end:
        new = cues
    return Piece(piece.start, piece.end, piece.text, (*piece.cues, *new), piece.mention, piece.value)
