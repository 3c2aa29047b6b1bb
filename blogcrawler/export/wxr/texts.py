"""Values in WordPress's form: slugs, times and HTML; and their notation in XML."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from lxml import html as lxml_html

from blogcrawler.dom import fragment
from blogcrawler.dom.anchors import number_anchors
from blogcrawler.dom.references import drop_sizes, sizes_of
from blogcrawler.errors import UNREADABLE
from blogcrawler.export.date_labels import local_time
from blogcrawler.export.text import xml_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

UNKNOWN_TIME = "0000-00-00 00:00:00"
"""An unknown time, which WordPress computes from the other time and the time zone of the site."""
LONGEST_SLUG = 200
"""Maximum length of a slug in WordPress's database, in bytes."""
_LATIN = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_NO_SLUG = re.compile(
    "[!-,:-@[-^`{-~\u00a1\u00a9\u00ab\u00ae\u00b0\u00b4\u00bb\u00bf\u02ca\u0300\u0301\u0304\u030c\u0341"
    "\u200b-\u200f\u2018-\u201f\u2022\u2026\u2028-\u202e\u2039\u203a\u2122\ufeff]"
)
"""Characters that slugs do not contain."""
_LETTERS = str.maketrans({"ß": "s", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_BETWEEN = re.compile(r"[\s./\u2010-\u2015-]+")
_ENDING = re.compile(r"\.(?:x?html?|php|aspx?|jsp|cgi)$", re.IGNORECASE)
_INDEX = re.compile(r"^(?:index|default)?$", re.IGNORECASE)
_PARAGRAPHS = re.compile(r"\n\s*\n")
_BREAKS = re.compile(r"[\r\n]+")
_VERBATIM = frozenset({"pre", "textarea"})


class Moment(NamedTuple):
    """A time such as `2014-05-02 10:00:00`, as local time of the blog and in UTC."""

    local: str
    gmt: str

    @property
    def rfc822(self) -> str:
        """The time in RSS's form; the local time is used as UTC if the time zone is unknown."""
        known = self.gmt if self.gmt != UNKNOWN_TIME else self.local
        return datetime.fromisoformat(known).strftime("%a, %d %b %Y %H:%M:%S +0000")


def cdata(text: str | None) -> str:
    """A text as a CDATA section."""
    return "<![CDATA[" + xml_text(text or "").replace("]]>", "]]]]><![CDATA[>") + "]]>"


def moment(stated: str | None) -> Moment | None:
    """Convert a time of a record; None if it is missing. Missing parts are replaced by their earliest values."""
    text = local_time(stated).replace("-00", "-01")
    try:
        local = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        zone = datetime.fromisoformat(stated or "").tzinfo
        gmt = f"{local.replace(tzinfo=zone).astimezone(UTC):%Y-%m-%d %H:%M:%S}" if zone else UNKNOWN_TIME
    except (ValueError, OverflowError):
        gmt = UNKNOWN_TIME
    return Moment(str(local), gmt if gmt[:1] != " " else UNKNOWN_TIME)


def slug(text: str) -> str:
    """The slug for a text, made like WordPress's `sanitize_title`; may be empty."""
    plain = (
        unicodedata.normalize("NFC", _LATIN.sub(_without_accents, unquote(xml_text(text)))).lower().translate(_LETTERS)
    )
    words = _BETWEEN.sub("-", _NO_SLUG.sub("", plain)).strip("-")
    return _begin(quote(letter, safe="-_").lower() for letter in words).strip("-")


def post_name(url: str, title: str | None) -> str:
    """The slug of a post: from the last part of its URL, or else from its title."""
    last = urlsplit(url).path.rstrip("/").rpartition("/")[2]
    named = _ENDING.sub("", last)
    return (slug(named) if not _INDEX.match(named) else "") or slug(title or "")


def as_html(html: str | None, text: str | None, moved: Mapping[str, str] | None = None) -> str:
    """An article or comment without line breaks, since WordPress makes `<br>` of line breaks, and paragraphs of empty
    lines. `moved` maps URLs of files to their new URLs."""
    if html is None:
        paragraphs = (escape(part.strip(), quote=False) for part in _PARAGRAPHS.split(text or ""))
        return "".join(f"<p>{_BREAKS.sub(' ', part)}</p>" for part in paragraphs if part)
    try:
        root = fragment(html)
    except UNREADABLE:
        return as_html(None, text)
    number_anchors(root, html)
    if moved:
        _move(root, moved)
    for element in root.iter():
        if element.text and not _is_verbatim(element):
            element.text = _BREAKS.sub(" ", element.text)
        if element is not root and element.tail and not _is_verbatim(element.getparent()):
            element.tail = _BREAKS.sub(" ", element.tail)
    whole = lxml_html.tostring(root, encoding="unicode", with_tail=False)
    return whole[whole.index(">") + 1 : whole.rindex("<")].strip() if "</" in whole else ""


def _move(root: lxml_html.HtmlElement, moved: Mapping[str, str]) -> None:
    """Replace the URLs of files. A picture in several sizes keeps only one size, if possible one with a new URL."""
    for image in list(root.iter("img")):
        moved_url = next((url for url in sizes_of(image) if url in moved), None)
        if moved_url is not None:
            image.set("src", moved_url)
            drop_sizes(image)
    for element in root.iter("img", "audio", "video", "source", "track", "a"):
        for name in ("src", "href", "poster"):
            if element.get(name) in moved:
                element.set(name, moved[element.get(name)])


def _is_verbatim(element: lxml_html.HtmlElement) -> bool:
    return element.tag in _VERBATIM or any(above.tag in _VERBATIM for above in element.iterancestors())


def _without_accents(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKD", match[0]).encode("ascii", "ignore").decode() or match[0]


def _begin(parts: Iterable[str]) -> str:
    """The beginning that is short enough for a slug and ends with a whole letter."""
    short = ""
    for part in parts:
        if len(short) + len(part) > LONGEST_SLUG:
            break
        short += part
    return short
