"""Renders the pages of a site from templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from blogcrawler.export.date_labels import date_label, month_label
from blogcrawler.export.site.files import relative
from blogcrawler.export.text import count, encoded
from blogcrawler.templates import templates_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from blogcrawler.export.site.files import Places


class Pages:
    """Writes pages to the folder of a site."""

    def __init__(self, folder: Path, places: Places) -> None:
        self._folder = folder
        self._templates = templates_of("blogcrawler.export.site")
        self._templates.filters.update(date_label=date_label, month_label=lambda month: month and month_label(month))
        self._templates.globals.update(
            lang=_lang, count=count, page_numbers=page_numbers, places=places, several=len(places.folders) != 1
        )

    def write(self, name: str, template: str, **values: Any) -> None:  # noqa: ANN401
        file = self._folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        stream = self._templates.get_template(template).generate(root=relative(name), **{"blog": None, **values})
        with file.open("wb") as opened:
            opened.writelines(map(encoded, stream))


def page_numbers(number: int, last: int) -> Iterator[int]:
    """Return the page numbers that a page links to: first, last and its neighbours; 0 for a gap."""
    before = 0
    for other in sorted({1, last, *range(max(1, number - 2), min(last, number + 2) + 1)}):
        if other != before + 1:
            yield 0
        yield other
        before = other


def _lang(language: str | None) -> str:
    return Markup(' lang="{}"').format(escape(language)) if language else ""
