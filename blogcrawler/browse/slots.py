"""How many downloads are made at a time."""

from __future__ import annotations

import threading

from starlette.exceptions import HTTPException


class Slots:
    """So many at most, each of which takes time, and room on the disk."""

    def __init__(self, most: int = 2) -> None:
        self._most = most
        self._free = threading.BoundedSemaphore(most)

    def take(self) -> None:
        """Take one. Raises HTTPException where none is free."""
        if not self._free.acquire(blocking=False):
            raise HTTPException(
                503, f"{self._most} downloads are being made; try again when one is done.", {"Retry-After": "10"}
            )

    def give_back(self) -> None:
        """Let another one have it."""
        self._free.release()
