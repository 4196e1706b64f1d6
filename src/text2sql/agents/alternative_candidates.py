"""Alternative queries, for when one is not enough: resampled from the model's low-margin tokens, or generated
from the schema as plain DDL and without the fine-tuned adapter, which makes different mistakes. Plain samples
mostly differ in irrelevant details (benchmarks/ACCURACY.md). `confidence.py` decides between them.
"""

from collections.abc import Sequence
from dataclasses import replace

from text2sql.agents.node_context import NodeContext
from text2sql.agents.state import TokenAlternative
from text2sql.types import Alternative, Candidate, ModelRequest, Reply

DDL_GAP = -1.5  # log-probability assumed for the query of the untuned model
_MAX_ALTERNATIVES = 2  # alternatives: a third was never worth its call
_QUOTES = b" \"'`["
_EQUIVALENT = frozenset(("join", "inner", "left", "as"))  # interchangeable keywords


def token_alternatives(candidate: Candidate) -> list[TokenAlternative]:
    """The model's nearest alternatives to its own tokens, likeliest first."""
    alternatives: list[TokenAlternative] = []
    prefix = ""
    for token in candidate.tokens:
        alternatives += [
            TokenAlternative(
                begun=prefix,
                token=alternative.id,
                data=alternative.data.hex(),
                gap=round(alternative.logprob - token.logprob, 4),
            )
            for alternative in token.others
            if _is_different(token.text, alternative.data)
        ]
        prefix += token.text
    return sorted(alternatives, key=lambda alternative: -alternative["gap"])[:_MAX_ALTERNATIVES]


def _is_different(chosen: str, data: bytes) -> bool:
    """Whether a token is a different word: not another spelling, nor the same word split into other tokens,
    of which the last may end inside a character.
    """
    text = data.decode(errors="ignore")
    if len(text.encode()) < len(data):
        return not chosen.encode().strip(_QUOTES).startswith(data.strip(_QUOTES))
    first, second = (text.strip().strip("\"'`[").casefold() for text in (chosen, text))
    if not second or first.startswith(second) or second.startswith(first) or {first, second} <= _EQUIVALENT:
        return False
    return any(map(str.isalnum, first + second)) or bool(set(first + second) & set("<>="))


async def resample_alternatives(
    alternatives: Sequence[TokenAlternative], request: ModelRequest, ctx: NodeContext
) -> list[tuple[float, Reply]]:
    """Continue from each alternative token. These calls are not streamed: they may lead to nothing."""
    return [
        (
            alternative["gap"],
            await ctx.ask(replace(request, begun=alternative["begun"], forced=_forced(alternative))),
        )
        for alternative in alternatives
    ]


def _forced(alternative: TokenAlternative) -> Alternative:
    return Alternative(alternative["token"], bytes.fromhex(alternative["data"]))


async def regenerate_from_ddl(request: ModelRequest, ctx: NodeContext) -> list[tuple[float, Reply]]:
    """Ask the untuned model with the schema as the engine's DDL. That prompt is evaluated once per database
    and cached.
    """
    return [(DDL_GAP, await ctx.ask(replace(request, plain=True)))]
