"""Sanitises archived markup: no scripts and no requests to the web, whatever the archive holds. `data/shown.json` lists
the allowed elements and attributes."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import nh3
from lxml import etree
from markupsafe import Markup

from blogcrawler.browse.pages import is_language
from blogcrawler.export.articles import article
from blogcrawler.serialise import load_file
from blogcrawler.urls import is_http

if TYPE_CHECKING:
    from blogcrawler.export.articles import Surroundings

_LANDMARKS = ("main", "nav", "header", "footer", "aside", "section", "article", "hgroup", "address")
"""Elements that readers could mistake for parts of the page itself."""
_FILE = re.compile(r"/files/[0-9a-f]{64}\.[a-z0-9]{1,8}", re.ASCII)
_OWN = re.compile(
    r"/(?:files/[0-9a-f]{64}\.[a-z0-9]{1,8}|(?:posts|blogs)/[0-9]+(?:#comment-[0-9]+)?)|#comment-[0-9]+|#n[0-9a-f]{8}-[0-9]+",
    re.ASCII,
)
_PLACE = re.compile(r"n[0-9a-f]{8}-[0-9]+", re.ASCII)
_MAIL = re.compile(r"mailto:[^\s<>\"']{1,500}", re.IGNORECASE)


def safe_html(html: str | None, text: str | None, base: str, surroundings: Surroundings) -> Markup:
    """Return an article or a comment for a page: `articles.article`, sanitised once more."""
    root = article(html, text, base, surroundings)
    for element in root.iter(*_LANDMARKS):
        element.tag = "div"
    inner = etree.tostring(root, encoding="unicode", method="html", with_tail=False)
    clean = _cleaner().clean(inner)
    return Markup(clean.removeprefix("<div>").removesuffix("</div>"))  # noqa: S704 - this is what makes it safe


def _keep_attribute(_tag: str, attribute: str, value: str) -> str | None:
    if attribute in ("src", "poster"):
        return value if _FILE.fullmatch(value) else None
    if attribute == "href":
        return value if _OWN.fullmatch(value) or is_http(value) or _MAIL.fullmatch(value) else None
    if attribute == "id":
        return value if _PLACE.fullmatch(value) else None
    if attribute in ("lang", "hreflang", "srclang"):
        return value if is_language(value) else None
    return value


@cache
def _cleaner() -> nh3.Cleaner:
    rules = load_file(dict[str, Any], __package__, "shown.json")
    return nh3.Cleaner(
        tags=set(rules["tags"]),
        attributes={tag: set(names) for tag, names in rules["attributes"].items()},
        attribute_filter=_keep_attribute,
        url_schemes={"http", "https", "mailto"},
        link_rel="noreferrer",
    )
