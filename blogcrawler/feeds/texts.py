"""Values in feeds: texts that may be HTML or plain text whatever their declared type, names, and languages."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Any

from lxml.html import defs

from blogcrawler.dom import fragment, inline_text
from blogcrawler.errors import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from blogcrawler.items import Entry

_MAX_TITLE = 4_000
_NEW = "bdi data dialog main picture rb rtc search slot template"
_HTML = frozenset(defs.tags).union(_NEW.split())
#: elements of formulas and drawings whose names are ordinary words if they occur alone
_INNER = """
annotation annotation-xml circle clippath defs desc ellipse g image line lineargradient marker mask menclose merror
mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup
msup mtable mtd mtext mtr munder munderover path pattern polygon polyline radialgradient rect semantics stop symbol text
textpath tspan use
"""
_NAMES = _HTML.union(_INNER.split())
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]{0,30})(?=[\s/>])([^<>]*)>")
#: elements that need no end tag (HTML Standard, section 13.1.2)
_ENDLESS = "area br col dd dt embed hr img input li link meta option p rp rt source td th tr track wbr"
_LONE = frozenset(_ENDLESS.split())
_ATTRIBUTE = re.compile(r"\s[A-Za-z][\w:.-]{0,60}\s{0,9}=")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
#: entities that remain if a text was escaped twice; &lt; is left out, since it may be intended
_ESCAPED_TWICE = re.compile(
    r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip|laquo|raquo);"
)
_PSEUDO = re.compile(r"<(?!!--)(?:/?([A-Za-z][A-Za-z0-9-]{0,30})(?=[\s/>]))?")
_MAX_NAME = 300
_MOST_DIGITS = 9
_ADDRESS = r"(?:mailto:)?[^\s@<>()]{1,100}@[^\s@<>()]{1,200}\.[^\s@<>().]{2,30}"
_ONLY_ADDRESS = re.compile(rf"[<(]?{_ADDRESS}[>)]?")
_ADDRESS_FIRST = re.compile(rf"[<(]?{_ADDRESS}[>)]?[\s,;:-]{{0,9}}(.{{0,300}})", re.DOTALL)
_ADDRESS_LAST = re.compile(rf"([^@]{{1,300}}?)\s{{0,9}}[<(]{_ADDRESS}[>)]", re.DOTALL)
#: texts that templates print for a missing value
_NOTHING = frozenset(["undefined", "null", "none", "nil", "nan", "[object object]", "false", "true"])
_LANGUAGE = re.compile(r"([a-z]{2,3})((?:-[a-z0-9]{1,8}){0,6})", re.IGNORECASE)
_NO_LANGUAGE = frozenset(["und", "zxx", "mul", "mis"])


def is_html(text: str) -> bool:
    """True if a text contains a tag of HTML, MathML or SVG, or an entity; "a < b" and "List<String>" are plain text.

    A start tag that needs an end tag and directly follows a word, as in "Map<Object>", does not count.
    """
    known = (
        _is_alone(tag) or (tag[2].lower() in _HTML and not text[max(0, tag.start() - 1) : tag.start()].isalnum())
        for tag in _tags(text)
    )
    return any(known) or _ENTITY.search(text) is not None


def _tags(text: str) -> Iterator[re.Match[str]]:
    return (tag for tag in _TAG.finditer(text) if tag[2].lower() in _NAMES)


def _is_alone(tag: re.Match[str]) -> bool:
    """True if a tag is certainly markup: an end tag, an empty element, or a tag with an attribute."""
    return bool(tag[1]) or tag[2].lower() in _LONE or tag[3].endswith("/") or _ATTRIBUTE.search(tag[3]) is not None


def title_text(raw: str, *, is_markup: bool | None = None) -> str:
    """A title as plain text in one line; "" if there is none.

    `is_markup` is the declared type; if it is None, "Use the <b> tag" is text.
    """
    text = raw[:_MAX_TITLE]
    if is_markup or (is_markup is None and any(map(_is_alone, _tags(text)))):
        text = _text_of_markup(_PSEUDO.sub(_escaped, text))
    elif is_markup is None and _ENTITY.search(text):
        text = html.unescape(text)
    return " ".join(_ESCAPED_TWICE.sub(lambda match: html.unescape(match[0]), text).split())


def json_text(value: object) -> str:
    """A string of JSON without invalid characters; numbers are converted, since some feeds use them as ids; else ""."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63 else ""


def json_value(text: str | bytes) -> Any:  # noqa: ANN401
    """The value of a JSON document; None if it is invalid."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def whole_number(raw: object) -> int | None:
    """A number of comments or bytes in a feed; None if it is invalid or too long."""
    text = raw.strip() if isinstance(raw, str) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None


def _text_of_markup(text: str) -> str:
    try:
        return inline_text(fragment(text))
    except UNREADABLE:  # such deep nesting is not a title
        return ""


def as_html(text: str, *, is_markup: bool | None = None) -> str:
    """Plain text as escaped HTML with a paragraph for each block between blank lines; markup is unchanged.

    `is_markup` is the declared type; if it is None, the text decides.
    """
    if is_markup is not False and (is_html(text) or (is_markup and "<" in text)):
        return text
    blocks = (block.strip() for block in re.split(r"\n[ \t\r]*\n", text))
    return "\n".join(f"<p>{html.escape(block, quote=False)}</p>" for block in blocks if block)


def _escaped(sign: re.Match[str]) -> str:
    """Escape less-than signs that open no tag."""
    return sign[0] if (sign[1] or "").lower() in _NAMES else f"&lt;{sign[0][1:]}"


def person_name(raw: str) -> str:
    """The name in `raw`; "" if it holds just an e-mail address, or nothing.

    "mail@example.org (Ann B)" and "Ann B <mail@example.org>" become "Ann B" (RFC 822, section 6.1).
    """
    text = raw[: 2 * _MAX_NAME].strip()
    if _ONLY_ADDRESS.fullmatch(text):
        return ""
    if match := _ADDRESS_FIRST.fullmatch(text):
        text = _unwrapped(match[1])
    elif match := _ADDRESS_LAST.fullmatch(text):
        text = match[1]
    name = title_text(text)[:_MAX_NAME].strip(' \t\r\n,;"')
    return "" if name.casefold() in _NOTHING or _ONLY_ADDRESS.fullmatch(name) else name


def _unwrapped(text: str) -> str:
    text = text.strip()
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def language_tag(raw: str | None) -> str | None:
    """Normalise a language tag: "en_US" and "EN-us" become "en-US"; None if it is not a tag or means "no language"."""
    match = _LANGUAGE.fullmatch((raw or "")[:60].strip().partition(".")[0].replace("_", "-"))
    if match is None or match[1].lower() in _NO_LANGUAGE:
        return None
    parts = [match[1].lower()]
    for part in match[2].split("-")[1:]:
        if len(part) == 2 and part.isalpha():
            parts.append(part.upper())
        else:
            parts.append(part.title() if len(part) == 4 and part.isalpha() else part.lower())
    return "-".join(parts)


def same_language(one: str | None, other: str | None) -> bool:
    """True if two tags name the same language, whatever the region; False for None."""
    return bool(one and other) and str(one).partition("-")[0].lower() == str(other).partition("-")[0].lower()


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The distinct non-empty names, regardless of case, each as first written."""
    names_by_form: dict[str, str] = {}
    for name in names:
        if name:
            names_by_form.setdefault(name.casefold(), name)
    return tuple(names_by_form.values())


def collect(entries: Iterable[Entry | None]) -> tuple[tuple[Entry, ...], int]:
    """Return the distinct entries with a permalink, and the number of dropped entries.

    The first of two equal entries is kept.

    Entries are equal if their URLs are. Equal guids only count if the titles are equal too, since broken templates
    write one guid for all entries.
    """
    distinct_entries: list[Entry] = []
    urls: set[str] = set()
    named: set[tuple[str, str]] = set()
    dropped = 0
    for entry in entries:
        if entry is None or entry.url in urls:
            dropped += 1
            continue
        urls.add(entry.url)
        if entry.guid and entry.title:
            if (entry.guid, entry.title) in named:
                dropped += 1
                continue
            named.add((entry.guid, entry.title))
        distinct_entries.append(entry)
    return tuple(distinct_entries), dropped
