"""The plots of a report as inline SVG, drawn by a plotting library."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pygal
from lxml.etree import strip_elements
from pygal.style import Style

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml.etree import _Element as Element

# pygal adds an import hook for its maps that causes a warning at each later import before Python 3.12
sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__module__ != "pygal"]

BLUE, ORANGE = "#1b5e91", "#c2410c"
SOURCES = {
    "feed": "#1b5e91",
    "rule": "#2e7d32",
    "metadata": "#7b3fa0",
    "url": "#8a6d00",
    "fallback": "#c2410c",
}
WIDTH, HEIGHT = 480, 260
"""Size of a plot, in its own units. On a page of 400 pixels it is nearly unscaled, on wider pages it is enlarged."""
MOST_TICKS = 6
MOST_LABELS = 8


def _style(*colors: str) -> Style:
    return Style(
        background="#ffffff",
        plot_background="#ffffff",
        foreground="#333333",
        foreground_strong="#111111",
        foreground_subtle="#595959",
        opacity=".95",
        colors=colors,
        font_family="system-ui, sans-serif",
        label_font_size=12,
        major_label_font_size=12,
        legend_font_size=13,
        title_font_size=13,
    )


def _options(*colors: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {
        "style": _style(*colors),
        "js": (),
        "disable_xml_declaration": True,
        "width": WIDTH,
        "height": HEIGHT,
        "show_legend": False,
        "truncate_label": -1,
        "truncate_legend": -1,
        "print_values": False,
        "margin": 10,
        **more,
    }


def _drawn(chart: Any) -> str:  # noqa: ANN401
    """Return the SVG without the library's script for tooltips."""
    chart.add_xml_filter(_without_scripts)
    return str(chart.render(is_unicode=True))


def _without_scripts(root: Element) -> Element:
    strip_elements(root, "{*}script", with_tail=False)
    return root


def _ticks(most: int) -> list[int]:
    """Return axis ticks: whole numbers from 0 to at least the maximum, at most `MOST_TICKS` + 1."""
    step = next(size * 10**power for power in range(12) for size in (1, 2, 5) if size * 10**power * MOST_TICKS >= most)
    return list(range(0, most + step, step))


def harvest(points: Sequence[tuple[int, int]]) -> str:
    """Posts found against pages fetched."""
    chart = pygal.XY(
        **_options(BLUE, dots_size=1.5, x_title="pages fetched", y_title="posts found", include_x_axis=True)
    )
    chart.x_labels, chart.y_labels = _ticks(points[-1][0]), _ticks(max(y for _, y in points))
    chart.add("posts", list(points))
    return _drawn(chart)


def requests(kinds: Mapping[str, int]) -> str:
    """Requests by kind, as bars."""
    names = list(kinds)[::-1]
    height = 60 + 26 * len(names)
    chart = pygal.HorizontalBar(**_options(BLUE, height=height))
    chart.x_labels, chart.y_labels = names, _ticks(max(kinds.values()))
    chart.add("requests", [kinds[name] for name in names])
    return _drawn(chart)


def months(report_months: Sequence[Mapping[str, Any]]) -> str:
    """Posts per month; months that seem incomplete have another colour, with the missing posts on top."""
    is_any_low = any(month["looks_incomplete"] for month in report_months)
    legend = {"show_legend": is_any_low, "legend_at_bottom": True, "legend_at_bottom_columns": 1}
    titles = {"x_title": "month", "y_title": "posts"}
    chart = pygal.StackedBar(
        **_options(BLUE, ORANGE, _paler(ORANGE), spacing=2, height=HEIGHT + 40, **legend, **titles)
    )
    missing = [_missing(month) for month in report_months]
    chart.x_labels = _month_labels([month["month"] for month in report_months])
    chart.y_labels = _ticks(max(month["posts"] + lacks for month, lacks in zip(report_months, missing, strict=True)))
    chart.add("posts", [None if month["looks_incomplete"] else month["posts"] for month in report_months])
    if is_any_low:
        chart.add(
            "posts, month looks incomplete", _of_incomplete(report_months, [month["posts"] for month in report_months])
        )
        chart.add("posts that seem to be missing", _of_incomplete(report_months, missing))
    return _drawn(chart)


def _missing(month: Mapping[str, Any]) -> int:
    return int(max(month["lost"], round(month["usual"] or 0) - month["posts"], 0))


def _of_incomplete(report_months: Sequence[Mapping[str, Any]], values: Sequence[int]) -> list[int | None]:
    return [value if month["looks_incomplete"] else None for month, value in zip(report_months, values, strict=True)]


def _month_labels(names: Sequence[str]) -> list[str]:
    """Return labels for some of the months, or of the years of a long life; the others are empty."""
    years = [name for name in names if name.endswith("-01")]
    is_long = len(years) > MOST_LABELS // 4
    candidates = years if is_long else list(names)
    labelled = set(candidates[:: max(1, -(-len(candidates) // MOST_LABELS))])
    return [(name[:4] if is_long else name) if name in labelled else "" for name in names]


def fields(report_fields: Mapping[str, Any]) -> str:
    """Records by source for each field; uncertain values are paler."""
    names = list(report_fields)[::-1]
    chart = pygal.HorizontalStackedBar(**_options(show_legend=True, legend_at_bottom=True, height=80 + 34 * len(names)))
    present = {source["source"] for one in report_fields.values() for source in one["sources"]}
    sources = [source for source in SOURCES if source in present]
    colors: list[str] = []
    for source in sources:
        for is_sure, label in ((True, source), (False, f"{source}, not sure")):
            values = [_share(report_fields[name]["sources"], source, is_sure=is_sure) for name in names]
            if any(values):
                colors.append(SOURCES[source] if is_sure else _paler(SOURCES[source]))
                chart.add(label, values)
    if any(one["empty"] for one in report_fields.values()):
        colors.append("#e3e5e8")
        chart.add("empty", [report_fields[name]["empty"] for name in names])
    chart.config.style = _style(*colors)
    chart.x_labels, chart.y_labels = names, _ticks(max(map(_records_of, report_fields.values())))
    return _drawn(chart)


def _records_of(field: Mapping[str, Any]) -> int:
    return int(field["empty"] + sum(one["records"] for one in field["sources"]))


def _share(sources: Sequence[Mapping[str, Any]], name: str, *, is_sure: bool) -> int:
    counts = [
        source["sure"] if is_sure else source["fair"] + source["doubtful"]
        for source in sources
        if source["source"] == name
    ]
    return int(sum(counts))


def _paler(color: str) -> str:
    parts = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(part + (255 - part) * 0.55):02x}" for part in parts)
