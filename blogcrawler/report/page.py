"""A report as one page of HTML that needs no other file, and asks for none."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from blogcrawler.export.moments import month_label
from blogcrawler.export.text import count, size
from blogcrawler.report import plots
from blogcrawler.report.facts import pages_by_kind
from blogcrawler.urls import is_http

if TYPE_CHECKING:
    from collections.abc import Mapping


def page(facts: Mapping[str, Any]) -> str:
    """The page of a report's facts, see `facts`."""
    templates = Environment(
        loader=PackageLoader("blogcrawler.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(month_label=month_label, size=size, shell=shlex.quote)
    templates.tests["web"] = lambda url: bool(url) and is_http(url)
    kinds = pages_by_kind(facts)
    drawn = {
        "harvest": plots.harvest(facts["harvest"]) if len(facts["harvest"]) > 1 else "",
        "requests": plots.requests(kinds) if kinds else "",
        "months": plots.months(facts["months"]) if facts["months"] else "",
        "fields": plots.fields(facts["fields"]) if facts["records"]["handed_on"] else "",
    }
    shown = {name: Markup(svg) for name, svg in drawn.items()}  # noqa: S704 - drawn by the library, which escapes labels
    return templates.get_template("report.html").render(facts, kinds=kinds, plots=shown, count=count)
