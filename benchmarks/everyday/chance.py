"""Random values that are the same in every version of Python."""

import random
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import TypeVar

Item = TypeVar("Item")

TODAY = date(2026, 11, 19)  # the date of the questions; the data ends the day before


class Chance:
    """Draws values with `random()` only, whose sequence Python guarantees."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def part(self) -> float:
        return self._random.random()

    def happens(self, probability: float) -> bool:
        return self.part() < probability

    def number(self, low: int, high: int) -> int:
        return low + int(self.part() * (high - low + 1))

    def amount(self, low: float, high: float, step: float = 0.01) -> float:
        return round(round((low + self.part() * (high - low)) / step) * step, 2)

    def pick(self, items: Sequence[Item]) -> Item:
        return items[int(self.part() * len(items))]

    def weighted(self, items: Sequence[tuple[Item, float]]) -> Item:
        rest = self.part() * sum(weight for _, weight in items)
        for item, weight in items:
            rest -= weight
            if rest < 0:
                return item
        return items[-1][0]

    def day(self, first: date, last: date) -> date:
        return first + timedelta(days=self.number(0, (last - first).days))

    def growing_day(self, first: date, last: date) -> date:
        """A day of the period; later days are up to twice as likely."""
        while True:
            day = self.day(first, last)
            if self.happens(0.5 + 0.5 * (day - first).days / (last - first).days):
                return day

    def moment(self, day: date, first_hour: int = 7, last_hour: int = 22) -> datetime:
        hour = self.number(first_hour, last_hour)
        return datetime(day.year, day.month, day.day, hour, self.number(0, 59), self.number(0, 59))


def before_today(day: date) -> bool:
    return day < TODAY
