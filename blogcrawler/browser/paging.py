"""How a comment system parts its answers: by pages, by a cursor, by the oldest time that was told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blogcrawler.browser.answers import at, has, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Paging"]


class Paging:
    """Where in a thread the next answer begins, and whether there is one."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self._told = told
        self._page = 1
        self._comments = 0
        self._parts: dict[str, str] = {}
        self.is_at_end = False

    @property
    def parts(self) -> dict[str, str]:
        """What requests may name: `page` and `start` from 1, `offset` from 0, `cursor`, `least`."""
        comments = self._comments
        return {
            "page": str(self._page),
            "offset": str(comments),
            "start": str(comments + 1),
            "cursor": "",
            **self._parts,
        }

    def advance(self, answer: Any, items: Sequence[Any], comments: int, total: int | None) -> None:  # noqa: ANN401
        """Go on behind an answer, which had some items; so many `comments` are known now, of a `total`."""
        told = self._told
        adds_nothing, self._comments = comments == self._comments, comments
        if "pages" in told:
            is_last = self._page >= (number(at(answer, told["pages"])) or 1)
        elif "size" in told:
            is_last = len(items) < told["size"]
        elif "more" in told:
            is_last = at(answer, told["more"]) is not True
        else:
            is_last = not told.get("to_total") or comments >= (total or 0)
        self.is_at_end = is_last or adds_nothing
        self._page += 1
        if "cursor" in told:
            self._parts["cursor"] = str(at(answer, told["cursor"]))
        if "least" in told:
            counted = [item for item in items if "unless" not in told or not has(told["unless"], item)]
            values = [value for item in counted if (value := number(at(item, told["least"]))) is not None]
            self._parts["least"] = str(min(values, default=0))
