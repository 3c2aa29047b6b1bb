"""Numbers that take long to count, kept for a while."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

_FACTOR = 20
"""How many times as long as it took to make it a value is kept: no more than a twentieth of the time goes into it."""
_MOST = 256

T = TypeVar("T")


class Remembered(Generic[T]):
    """Values by their keys. What is quick to make is as good as made anew; after a longer time all are."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        #: until when each holds
        self._values: dict[Hashable, tuple[float, T]] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key, which `make` makes."""
        begun = self._clock()
        known = self._values.get(key)
        if known is not None and begun < known[0]:
            return known[1]
        value = make()
        ended = self._clock()
        if len(self._values) >= _MOST:
            self._values.clear()
        self._values[key] = (ended + _FACTOR * (ended - begun), value)
        return value
