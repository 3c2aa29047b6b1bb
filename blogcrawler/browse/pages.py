"""HTML pages from templates; some templates are shared with exported sites."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from blogcrawler.backend import BEGIN_MARK, END_MARK
from blogcrawler.export.date_labels import date_label, month_label
from blogcrawler.export.site.pages import page_numbers
from blogcrawler.export.text import count, encoded, size
from blogcrawler.status import time_label
from blogcrawler.templates import templates_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*", re.ASCII)


class Pages:
    """Renders templates."""

    def __init__(self) -> None:
        self._templates = templates_of("blogcrawler.browse", "blogcrawler.export.site")
        self._templates.filters.update(
            date_label=date_label, month_label=_month_label, size=size, marked=_marked, moment=time_label
        )
        self._templates.globals.update(lang=_lang, count=count, page_numbers=page_numbers, name_of=name_of)

    def page(
        self,
        template: str,
        *,
        title: str,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        **values: Any,  # noqa: ANN401
    ) -> HTMLResponse:
        """Render a page with this title."""
        context = {"blog": None, "query": "", "title": " ".join(title.split()), **values}
        content = encoded(self._templates.get_template(template).render(context))
        return HTMLResponse(content, status, headers=headers)


def name_of(title: str | None, otherwise: str) -> str:
    """Return a title in one line, or the substitute for an empty one."""
    return " ".join((title or "").split()) or otherwise


def is_language(language: str | None) -> bool:
    """True if this is a valid language tag."""
    return language is not None and _LANGUAGE.fullmatch(language) is not None


def _lang(language: str | None) -> str:
    return Markup(' lang="{}"').format(language) if is_language(language) else ""


def _month_label(month: str) -> str:
    """Return a month in words; other values unchanged."""
    try:
        return month_label(month) if month else "Without a date"
    except (ValueError, IndexError):
        return month


def _marked(excerpt: str) -> Markup:
    """Return an excerpt with the matching words marked."""
    return Markup(  # noqa: S704 - escaped, but for the marks
        str(escape(excerpt)).replace(BEGIN_MARK, "<mark>").replace(END_MARK, "</mark>")
    )
