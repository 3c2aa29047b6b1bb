"""Restore the authors' text where software has replaced it in the page.

Software hides mail addresses from robots, replaces formulas by images or hundreds of elements, smileys by images, and
check boxes by elements with that role, and puts parts of an article into shadow roots. The text is restored in each
tree before anything else reads it, so that pages and feeds have the same text. Names that such software uses are in
`data/written.json`.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING
from urllib.parse import quote

from lxml import etree

from blogcrawler.dom.encoding import legal_text
from blogcrawler.dom.sheets import selected, sheet_rules
from blogcrawler.dom.tags import BLOCKS, LINE_KEEPING
from blogcrawler.dom.tex import tex_of
from blogcrawler.serialise import load_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

_PROTECTED = re.compile(r"/cdn-cgi/l/email-protection(?:#([0-9a-f]*))?", re.IGNORECASE)
_WORDS = re.compile(r"[a-z]+")
_SHORT_CODE = re.compile(r":[\w+-]{1,40}:")
_DELIMITED = re.compile(r"\$\$(.+)\$\$|\\\[(.+)\\\]|\$(.+)\$|\\\((.+)\\\)", re.DOTALL)
_WHITE_SPACE = re.compile(r"white-space\s*:\s*(pre(?:-line|-wrap)?|break-spaces|normal|nowrap)\b", re.IGNORECASE)
_MOST_RULES = 64
_INDENTATION = re.compile(r"(?m)^[ \t]+")
_FORMULAS = ("math", "mml:math", "m:math", "mjx-container")
#: Elements that software puts around formulas, besides custom elements.
_AROUND = frozenset({"span", "nobr", "eq", "eqn"})
#: Maximum number of children of an element around one formula.
_FEW = 8


def restore(root: HtmlElement, source: bytes) -> None:
    """Restore the authors' text, in place. `source` is the page's markup. O(n)."""
    source = source.lower()
    texts = list(_decode_addresses(root)) if b"cfemail" in source or b"email-protection" in source else []
    _open_shadow_roots(root)
    if b"aria-checked" in source:
        _make_check_boxes(root)
    texts += [*_restore_formulas(root), *_replace_pictures(root)]
    _unwrap(texts)
    if b"white-space" in source:
        _break_lines(root)


def _unwrap(elements: list[HtmlElement]) -> None:
    """Replace elements without children by their text. O(n), also for many in a row."""
    unwrapped = set(elements)
    for first in elements:
        before, parent = first.getprevious(), first.getparent()
        if parent is None or before in unwrapped:
            continue
        run = list(takewhile(unwrapped.__contains__, chain([first], first.itersiblings())))
        text = "".join((element.text or "") + (element.tail or "") for element in run)
        for element in run:
            element.tail = None
            parent.remove(element)
        if before is not None:
            before.tail = legal_text((before.tail or "") + text)
        else:
            parent.text = legal_text((parent.text or "") + text)


def _decode_addresses(root: HtmlElement) -> Iterator[HtmlElement]:
    """Decode mail addresses that Cloudflare has encoded: the first byte is the key for the others."""
    for element in list(root.iter("*")):
        if element.tag not in ("html", "body") and (address := _decoded(element.get("data-cfemail"))):
            yield _write_text(element, "span", address)
        elif match := _PROTECTED.search(element.get("href") or ""):
            del element.attrib["href"]
            if address := _decoded(match[1]):
                element.set("href", "mailto:" + quote(address, safe="@?&=+,;:/%!()*$~"))


def _decoded(code: str | None) -> str | None:
    try:
        key, *encoded = bytes.fromhex(code or "")
        address = bytes(byte ^ key for byte in encoded).decode()
    except ValueError:
        return None
    return address if address.isprintable() and legal_text(address) == address else None


def _open_shadow_roots(root: HtmlElement) -> None:
    """Show declarative shadow roots, with the content of their hosts in their slots; inner ones first."""
    shadows: dict[HtmlElement, HtmlElement] = {}
    for template in root.iter("template"):
        if not {"open", "closed"}.isdisjoint((template.get("shadowrootmode"), template.get("shadowroot"))):
            shadows.setdefault(template.getparent(), template)
    for host, shadow in reversed(shadows.items()):
        shadow.tag = "div"
        slots: dict[str, HtmlElement] = {}
        for slot in list(shadow.iter("slot")):
            slot.tag = "span"
            slots.setdefault(slot.get("name") or "", slot)
        content = [
            child for child in host if child is not shadow and isinstance(child.tag, str) and child.tag != "template"
        ]
        placed = [(slots[name], child) for child in content if (name := child.get("slot") or "") in slots]
        for slot in {slot for slot, _ in placed}:
            slot.clear(keep_tail=True)
        for slot, child in placed:
            slot.append(child)


def _make_check_boxes(root: HtmlElement) -> None:
    """Add a check box at the start of each element with its role, in place of a symbol there."""
    for element in root.xpath(".//*[@role='checkbox'][@aria-checked][not(self::input or self::img)]"):
        box = element.makeelement("input", {"type": "checkbox"})
        if element.attrib.pop("aria-checked").strip().lower() == "true":
            box.set("checked", "")
        text = legal_text(element.text or "")
        box.tail = text if len(element) or any(map(str.isalnum, text)) else ""
        element.text = None
        element.insert(0, box)


def _restore_formulas(root: HtmlElement) -> Iterator[HtmlElement]:
    """Write formulas as TeX; yields the elements that are empty now."""
    for script in list(root.iter("script")):
        kind = (script.get("type") or "").lower()
        if kind.startswith(("math/tex", "math/asciimath")):
            _, is_wrapped, inner = (script.text or "").partition("<![CDATA[")
            tex = inner.rpartition("]]>")[0].rstrip(" \n%") if is_wrapped else script.text or ""
            yield from _set_formula(script, tex, display="display" in kind)
    walk = etree.iterwalk(root, events=("start",), tag=(*_FORMULAS, "span"))
    formulas = []
    for _, outermost in walk:
        if outermost.tag != "span" or (outermost.get("class") == "katex-html" and outermost.getprevious() is None):
            walk.skip_subtree()
            formulas.append(outermost)
    for outermost in formulas:
        formula, whole = next(outermost.iter("math"), outermost), _rendered(outermost)
        classes = f"{formula.get('class')} {whole.get('class')}"
        displays = {formula.get("display"), outermost.get("display"), *_words(classes)}
        tex = _given_tex(formula) or tex_of(formula) or outermost.get("aria-label") or ""
        yield from _set_formula(whole, tex, display=not displays.isdisjoint({"block", "true", "display"}))


def _given_tex(formula: HtmlElement) -> str | None:
    """The TeX in an annotation or an attribute of a formula."""
    notes = (note.text for note in formula.iter("annotation") if "tex" in (note.get("encoding") or "").lower())
    inner = next(formula.iterchildren("mjx-math", "math"), formula)
    values = (element.get(name) for name in sorted(_names()["tex"]) for element in (formula, inner))
    return next(filter(None, chain(notes, values)), None)


def _rendered(formula: HtmlElement) -> HtmlElement:
    """The outermost element with only a formula and its drawing."""
    whole, parent = formula, formula.getparent()
    while parent is not None and (parent.tag in _AROUND or "-" in parent.tag):
        children = list(islice(parent, _FEW + 1))
        texts = (parent.text, *(child.tail for child in children))
        if len(children) > _FEW or any(text and text.strip() for text in texts):
            break
        if not all(child is whole or _is_copy(child) for child in children):
            break
        whole, parent = parent, parent.getparent()
    return whole


def _is_copy(element: HtmlElement) -> bool:
    """True for an element that only draws a formula again."""
    if not isinstance(element.tag, str) or element.tag in ("svg", "img", "style", "script") or "-" in element.tag:
        return True
    return element.get("aria-hidden") == "true" or _has("renderers", element.get("class"))


def _set_formula(element: HtmlElement, tex: str, *, display: bool) -> Iterator[HtmlElement]:
    """Write a formula as TeX in place of its drawing; yields the elements that are empty now."""
    tex = tex.strip()
    if not tex:
        return
    before = element.getprevious()
    while before is not None and _has("renderers", before.get("class")) and not (before.tail or "").strip():
        yield _write_text(before, "span", "")
        before = before.getprevious()
    if match := _DELIMITED.fullmatch(tex):
        display = display or bool(match[1] or match[2])
        tex = next(filter(None, match.groups())).strip()
    _write_text(element, "code", rf"\[{tex}\]" if display else rf"\({tex}\)").set("class", "language-tex")


def _replace_pictures(root: HtmlElement) -> Iterator[HtmlElement]:
    """Replace images of formulas by TeX, and smileys by their text; yields the elements to unwrap."""
    for image in list(root.iter("img")):
        text = (image.get("alt") or image.get("title") or "").strip()
        if not text:
            continue
        if _has("formulas", image.get("class")) or "latex" in _words(image.get("src")):
            before = image.getprevious()
            is_copy = before is not None and before.get("class") == "language-tex" and not (before.tail or "").strip()
            if not is_copy:
                yield from _set_formula(image, text, display="display" in _words(image.get("class")))
        elif _is_smiley(image, text):
            yield _write_text(image, "span", text)


def _is_smiley(image: HtmlElement, text: str) -> bool:
    """True for an image that software has put in place of characters."""
    if _has("smileys", image.get("class")):
        return True
    is_sign = not any(character.isalnum() for character in text) or _SHORT_CODE.fullmatch(text) is not None
    before, parent = image.getprevious(), image.getparent()
    beside = (before.tail if before is not None else parent.text if parent is not None else None, image.tail)
    is_in_line = any(text and text.strip() for text in beside)
    return len(text.split()) == 1 and (_has("smileys", image.get("src")) or (is_sign and is_in_line))


def _break_lines(root: HtmlElement) -> None:
    """Insert `br` where line ends are shown, by an element's own `style` or the page's style sheets."""
    by_sheet = _shown_by_sheets(root)
    modes = [""]
    texts: list[tuple[HtmlElement, bool, str]] = []
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            own = _WHITE_SPACE.search(element.get("style") or "")
            mode = own[1].lower() if own else by_sheet.get(element, modes[-1])
            modes.append("kept" if element.tag in LINE_KEEPING or modes[-1] == "kept" else mode)
        else:
            modes.pop()
        text = element.text if event == "start" else element.tail
        if modes[-1] not in ("", "kept", "normal", "nowrap") and "\n" in (text or ""):
            texts.append((element, event == "start", modes[-1]))
    for element, is_first, mode in texts:
        _split(element, mode, is_first=is_first)


def _shown_by_sheets(root: HtmlElement) -> dict[HtmlElement, str]:
    """The value of `white-space` that the page's style sheets give to each element."""
    modes: dict[HtmlElement, str] = {}
    for selectors, mode in sheet_rules(root, _WHITE_SPACE, _MOST_RULES):
        modes |= dict.fromkeys(selected(root, selectors), mode.lower())
    return modes


def _split(element: HtmlElement, mode: str, *, is_first: bool) -> None:
    """Replace line ends by `br` in the text at the start of an element, or after it."""
    text = legal_text((element.text if is_first else element.tail) or "")
    following = next(iter(element), None) if is_first else element.getnext()
    if not text.strip() and any(node is not None and node.tag in BLOCKS for node in (element, following)):
        return
    if mode != "pre-line":
        text = _INDENTATION.sub(lambda spaces: "\u00a0" * len(spaces[0].expandtabs()), text)
    first, *lines = text.split("\n")
    element.text, element.tail = (first, element.tail) if is_first else (element.text, None)
    for line in reversed(lines):
        end = element.makeelement("br")
        if is_first:
            element.insert(0, end)
        else:
            element.addnext(end)
        end.tail = line
    if not is_first:
        element.tail = first


def _write_text(element: HtmlElement, tag: str, text: str) -> HtmlElement:
    element.clear(keep_tail=True)
    element.tag, element.text = tag, legal_text(text)
    return element


def _words(value: str | None) -> set[str]:
    return set(_WORDS.findall((value or "").lower()))


def _has(names: str, value: str | None) -> bool:
    return bool(value) and not _names()[names].isdisjoint(_words(value))


@cache
def _names() -> dict[str, frozenset[str]]:
    return load_file(dict[str, frozenset[str]], __package__, "written.json")
