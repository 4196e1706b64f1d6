"""Chinese numerals: 二〇二五, 三十一, 两百."""

_DIGITS = {
    digit: value
    for value, digits in enumerate(("〇零", "一", "二两", "三", "四", "五", "六", "七", "八", "九"))
    for digit in digits
}
_UNITS = {"十": 10, "百": 100, "千": 1000}
CHARACTERS = "".join((*_DIGITS, *_UNITS))


def chinese_number(text: str) -> int:
    """The value of a Chinese numeral, positional (二〇二五) or with units (二十五)."""
    if not any(character in _UNITS for character in text):
        return int("".join(str(_DIGITS[character]) for character in text))
    total, digit = 0, 0
    for character in text:
        if character in _UNITS:
            total += (digit or 1) * _UNITS[character]
            digit = 0
        else:
            digit = _DIGITS[character]
    return total + digit
