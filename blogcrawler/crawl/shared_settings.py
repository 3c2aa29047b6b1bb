"""What spiders that share a crawl must agree on, so that it makes no difference which of them gets a post."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blogcrawler import __version__
from blogcrawler.errors import BadArgument, BlogcrawlerError, UnreadableRules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import BaseSettings

FLAGS = ("COMMENTS", "MEDIA", "SCREENSHOTS", "WARC", "ROBOTSTXT_OBEY")
NUMBERS = ("CONFIDENCE_MINIMUM", "MEDIA_MAX_BYTES", "MEDIA_MAX_COUNT", "MEDIA_MAX_TOTAL")
OTHERS = ("RENDER", "MEDIA_TYPES")
"""Settings on which it hangs what is kept of a post: comments, files, pages."""


def terms(settings: BaseSettings) -> dict[str, Any]:
    """The version, and the settings on which it hangs what is kept of a post, as JSON types."""
    flags = {name: settings.getbool(name) for name in FLAGS}
    numbers = {name: settings.getfloat(name) for name in NUMBERS}
    return {"version": __version__, "settings": flags | numbers | {name: settings.getlist(name) for name in OTHERS}}


def disagreement(ours: Mapping[str, Any], theirs: Mapping[str, Any] | None, home: str) -> BlogcrawlerError | None:
    """Why a spider cannot join others that are at work on a blog; None where it can."""
    if theirs is None or theirs.get("version") != ours["version"]:
        return UnreadableRules(
            f"The spiders that are at work on {home} are of another version of blogcrawler; give this machine the same "
            "one.",
            url=home,
        )
    kept = theirs.get("settings", {})
    others = [name for name, value in ours["settings"].items() if kept.get(name, value) != value]
    if not others:
        return None
    return BadArgument(
        f"The spiders that are at work on {home} have {_told(others, kept)}; give this one the same, or wait until "
        "they have ended.",
        url=home,
    )


def _told(names: list[str], settings: Mapping[str, Any]) -> str:
    """As they are given to a command."""
    return ", ".join(f"{name}={_shown(settings[name])}" for name in names)


def _shown(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, list):
        return ",".join(value)
    return f"{value:.12g}" if type(value) is float else str(value)
