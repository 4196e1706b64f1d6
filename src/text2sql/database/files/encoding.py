"""Detects the encoding of a text file, and locates the first byte that does not belong to it."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from text2sql.database.files.limits import read_head
from text2sql.errors import UsageError

_CHUNK = 1 << 20
_SAMPLE = 1 << 18  # bytes on which encodings are compared
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
NAMES = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16 LE",
    "utf-16-be": "UTF-16 BE",
    "utf-32": "UTF-32",
    "gb18030": "GB18030",
    "big5hkscs": "Big5",
    "cp932": "Shift-JIS",
    "cp949": "EUC-KR",
    "cp1252": "Windows-1252",
    "cp1251": "Windows-1251",
}
_MULTIBYTE = ("gb18030", "big5hkscs", "cp932", "cp949")
_SINGLE_BYTE = ("cp1252", "cp1251")
# The bytes that the common characters of an encoding begin with.
_FIRST_LEVEL = {
    "gb18030": ("gb2312", 0xB0, 0xD7),
    "big5hkscs": ("big5", 0xA4, 0xC6),
    "cp932": ("shift_jis", 0x88, 0x97),
    "cp949": ("euc_kr", 0xB0, 0xC8),
}
_ENOUGH = 0.75  # share of common characters from which on an encoding is believed
_KOREAN = 0.98  # all common Chinese characters are hangul in EUC-KR, so it needs nearly all
_KOREAN_CHARACTERS = 10
_LATIN = frozenset(
    "àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿßœšžÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝŸŒŠŽ€£©®°²³µ½¼«»¡¿–—‘’“”•…™ªº·§\xa0"
)


@dataclass(frozen=True, slots=True)
class WrongByte:
    """The first byte that cannot be decoded."""

    line: int
    column: int  # characters, from 1
    byte: str  # hexadecimal


def detect(path: Path, requested: str = "") -> str:
    """The encoding of the whole file, as Python calls it. Raises with the place of a wrong byte."""
    head = read_head(path, _SAMPLE)
    if requested:
        encoding = _known(requested, path)
        _require_valid(path, encoding)
        return encoding
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            _require_valid(path, encoding)
            return encoding
    if (encoding := _utf16_without_mark(head)) or (encoding := _binary_or_none(head, path)):
        _require_valid(path, encoding)
        return encoding
    utf8_error = first_wrong_byte(path, "utf-8")
    if utf8_error is None:
        return "utf-8"
    if is_mostly_utf8(head):
        raise _wrong_byte_error(path, "utf-8", utf8_error)
    encoding = guess(non_ascii_lines(path))
    if not encoding:
        raise _wrong_byte_error(path, "utf-8", utf8_error)
    _require_valid(path, encoding)
    return encoding


def guess(sample: bytes) -> str:
    """The encoding in which the text that is not ASCII consists of common characters; "" if there is none."""
    shares = {encoding: _common_share(sample, encoding) for encoding in _MULTIBYTE}
    characters = sum(byte > 0x7F for byte in sample) // 2
    if shares["cp949"] < _KOREAN or characters < _KOREAN_CHARACTERS:
        shares["cp949"] = 0.0
    else:
        return "cp949"
    best = max(shares, key=lambda encoding: shares[encoding])
    latin = {encoding: _latin_share(sample, encoding) for encoding in _SINGLE_BYTE}
    single = max(latin, key=lambda encoding: latin[encoding])
    if shares[best] >= _ENOUGH and shares[best] >= latin[single]:
        return best
    return single if latin[single] >= _ENOUGH else best if shares[best] >= _ENOUGH else ""


def is_mostly_utf8(head: bytes) -> bool:
    """Whether nearly all that is not ASCII is valid UTF-8: the rest is damage, not another encoding."""
    text = head.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    right = sum(character > "\x7f" for character in text) - wrong
    return right >= 4 and right > 4 * wrong


def non_ascii_lines(path: Path) -> bytes:
    """The bytes around those that are not ASCII, of the whole file but no more than a sample."""
    found = bytearray()
    with path.open("rb") as file:
        while len(found) < _SAMPLE and (lines := file.readlines(_CHUNK)):
            found += b"".join(line for line in lines if not line.isascii())
    return bytes(found[:_SAMPLE])


def first_wrong_byte(path: Path, encoding: str) -> WrongByte | None:
    """The place of the first byte that is invalid in the encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line, start = 1, ""  # the current line's number, and as much of it as has been decoded
    with path.open("rb") as file:
        while True:
            chunk = file.read(_CHUNK)
            try:
                text = decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                valid = start + error.object[: error.start].decode(encoding, "replace")
                column = len(valid.rpartition("\n")[2].lstrip("\ufeff")) + 1
                return WrongByte(line + valid.count("\n"), column, f"0x{error.object[error.start]:02X}")
            if not chunk:
                return None
            line += text.count("\n")
            start = text.rpartition("\n")[2] if "\n" in text else start + text


def decoded_chunks(path: Path, encoding: str) -> Iterator[str]:
    """The text of the file in pieces."""
    with path.open(encoding=encoding, newline="") as file:
        while text := file.read(_CHUNK):
            yield text


def _require_valid(path: Path, encoding: str) -> None:
    wrong = first_wrong_byte(path, encoding)
    if wrong is not None:
        raise _wrong_byte_error(path, encoding, wrong)


def _wrong_byte_error(path: Path, encoding: str, wrong: WrongByte) -> UsageError:
    return UsageError(
        "usage.file_encoding",
        file=path.name,
        encoding=NAMES.get(encoding, encoding),
        line=wrong.line,
        column=wrong.column,
        byte=wrong.byte,
    )


def _known(requested: str, path: Path) -> str:
    try:
        name = codecs.lookup(requested).name
        "".encode(name)
    except (LookupError, UnicodeError):
        raise UsageError("usage.file_option", file=path.name, option=f"encoding={requested}") from None
    aliases = {"gbk": "gb18030", "gb2312": "gb18030", "big5": "big5hkscs", "shift_jis": "cp932"}
    return aliases.get(name, name)


def _utf16_without_mark(head: bytes) -> str:
    """UTF-16 text of Latin letters has a zero in every second byte."""
    sample = head[: len(head) & ~1][:4096]
    if len(sample) < 8:
        return ""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > half * 0.3 and even < half * 0.02:
        return "utf-16-le"
    return "utf-16-be" if even > half * 0.3 and odd < half * 0.02 else ""


def _binary_or_none(head: bytes, path: Path) -> str:
    at = head.find(b"\0")
    if at < 0:
        return ""
    line = head.count(b"\n", 0, at) + 1
    column = at - head.rfind(b"\n", 0, at)
    raise UsageError("usage.file_binary", file=path.name, line=line, column=column)


def _common_share(sample: bytes, encoding: str) -> float:
    """The share of characters beyond ASCII that are common in texts of the encoding."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError as error:
        if len(sample) < _SAMPLE or error.start < len(sample) - 4:  # a sample may be cut within a character
            return 0.0
        text = sample[: error.start].decode(encoding)
    beyond = [character for character in text if character > "\x7f"]
    return sum(_is_common(character, encoding) for character in beyond) / len(beyond) if beyond else 0.0


def _is_common(character: str, encoding: str) -> bool:
    if "\u3000" <= character <= "\u303f" or "\uff01" <= character <= "\uff5e":
        return True  # punctuation and full-width letters
    if encoding == "cp932" and ("\u3041" <= character <= "\u30ff"):
        return True
    name, lowest, highest = _FIRST_LEVEL[encoding]
    try:
        encoded = character.encode(name)
    except UnicodeEncodeError:
        return False
    return len(encoded) == 2 and (lowest <= encoded[0] <= highest or character in "￥—“”‘’…·℃①②③㈱Ⅰ")


def _latin_share(sample: bytes, encoding: str) -> float:
    """The share of characters beyond ASCII that are letters of European texts, in short runs."""
    text = sample.decode(encoding, "replace")
    beyond = plausible = run = 0
    for character in text:
        run = run + 1 if character > "\x7f" else 0
        if run:
            beyond += 1
            if encoding == "cp1251":
                plausible += "\u0400" <= character <= "\u045f" or character in "№«»–—"
            else:
                plausible += character in _LATIN and run <= 2
    return plausible / beyond if beyond else 0.0
