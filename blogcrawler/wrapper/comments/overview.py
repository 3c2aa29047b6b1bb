"""What can be told of comments at a glance: how many days a page shows, and how a form looks as an expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.wrapper.comments.view import View
from blogcrawler.wrapper.rules import has_token
from blogcrawler.wrapper.training import DateReader

if TYPE_CHECKING:
    from datetime import datetime

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.comments.units import Form
    from blogcrawler.wrapper.wrapper import Wrapper

__all__ = ["days_shown", "expression"]


def days_shown(tree: HtmlElement, url: str, wrapper: Wrapper, fetched: datetime | None = None) -> int:
    """How many places of a page tell a day: each comment that is shown with its date adds one. O(n)."""
    return len(View(tree, url, DateReader(wrapper.dates.languages), fetched).anchors)


def expression(form: Form) -> str:
    """An XPath expression for the elements in which comments of a form stand, as far as names tell them."""
    names = "".join(f"[{has_token('class', name)}]" for name in sorted(form.tokens[-1]))
    return f"//{form.chain[-1]}{names}"
