"""A report as a self-contained HTML page."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from blogcrawler.export.date_labels import month_label
from blogcrawler.export.text import count, size
from blogcrawler.report import plots
from blogcrawler.report.facts import pages_by_kind
from blogcrawler.templates import templates_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def page(facts: Mapping[str, Any]) -> str:
    """Return the page of a report's facts (see `facts`)."""
    templates = templates_of("blogcrawler.report")
    templates.filters.update(month_label=month_label, size=size, shell=shlex.quote)
    kinds = pages_by_kind(facts)
    drawn = {
        "harvest": plots.harvest(facts["harvest"]) if len(facts["harvest"]) > 1 else "",
        "requests": plots.requests(kinds) if kinds else "",
        "months": plots.months(facts["months"]) if facts["months"] else "",
        "fields": plots.fields(facts["fields"]) if facts["records"]["handed_on"] else "",
    }
    plots_by_name = {name: Markup(svg) for name, svg in drawn.items()}  # noqa: S704 - drawn by the library, which escapes labels
    return templates.get_template("report.html").render(facts, kinds=kinds, plots=plots_by_name, count=count)
