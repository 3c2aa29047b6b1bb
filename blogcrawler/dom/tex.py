"""Convert presentation MathML to TeX, for formulas without TeX in the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import normalize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

_SPECIAL = re.compile(r"[#$%&_{}]")
_INVISIBLE = dict.fromkeys(map(ord, "\u2061\u2062\u2063\u2064\u200b")) | {0xE020: r"\not"}
#: Elements without text to read: alternative notations, and the lines that MathJax draws for fractions and roots.
_SILENT = frozenset({"annotation", "annotation-xml", "mphantom", "surd", "nstrut", "dstrut", "line", "rect"})
#: TeX before each child of an element; for the elements of `_FORMS`, TeX before, between and after all children.
_SCRIPTS = {"msup": ("", "^"), "msub": ("", "_"), "msubsup": ("", "_", "^"),
            "mover": ("", "^"), "munder": ("", "_"), "munderover": ("", "_", "^")}  # fmt: skip
_FORMS = {
    "mfrac": (r"\frac", "", ""), "mfrac 2": (r"\frac{", "}{", "}"), "num": ("{", "", "}"), "den": ("{", "", "}"),
    "msqrt": (r"\sqrt{", "", "}"), "mfenced": ("(", ",", ")"), "mtr": ("", " & ", ""),
    "mtable": (r"\begin{matrix}", r"\\ ", r"\end{matrix}"),
}  # fmt: skip
#: Classes of the elements that KaTeX draws as rows or as space.
_DRAWN = frozenset({"mfrac", "mspace", "msupsub", "op-limits", "sqrt"})
_GLYPH = re.compile(r"\bmjx-c([0-9A-F]{2,5})(?!\w)")


def tex_of(formula: HtmlElement) -> str:
    """A formula as TeX, with its characters unchanged: "π" stays "π". O(n)."""
    written: list[str] = []
    todo: list[str | HtmlElement] = [formula]
    while todo:
        part = todo.pop()
        if isinstance(part, str):
            written.append(part)
        elif isinstance(part.tag, str) and _name(part) not in _SILENT:
            todo.extend(reversed(list(_parts(part))))
    return " ".join("".join(written).split())


def _name(element: HtmlElement) -> str:
    """The MathML name of an element that MathJax or KaTeX draws."""
    if element.tag == "span":
        return next((name for name in (element.get("class") or "").split() if name in _DRAWN), "")
    name: str = element.get("data-mml-node") or element.tag.rpartition(":")[2].removeprefix("mjx-")
    return name


def _parts(element: HtmlElement) -> Iterator[str | HtmlElement]:
    """The TeX of an element: pieces of TeX, and children that are still to be converted."""
    name, children = _name(element), [child for child in element if isinstance(child.tag, str)]
    if not children:
        yield _leaf(element, name)
    elif name in _DRAWN and (rows := children[-1].xpath("span[1]/span[@class='vlist']/span")):  # the lowest first
        has_lower = "vlist-t2" in (children[-1].get("class") or "")
        if name == "mfrac":  # two numbers without a line are a binomial coefficient
            before, between = (r"\frac{", "}{") if len(rows) > 2 else ("{", r" \atop ")
            yield from (before, rows[-1], between, rows[0], "}")
        elif name == "sqrt":
            yield from (r"\sqrt", *("[", children[0], "]")[: 3 * (len(children) - 1)], "{", rows[0], "}")
        else:
            yield rows.pop(int(has_lower)) if name == "op-limits" and len(rows) > 1 else ""
            for sign, row in zip("_^" if has_lower else "^", rows, strict=False):
                yield from (sign, "{", row, "}")
    elif name in _SCRIPTS:
        for sign, child in zip(_SCRIPTS[name], children, strict=False):
            is_one = len(child) == 0 and len((child.text or "").strip()) == 1
            yield from (sign, child) if is_one else (sign, "{", child, "}")
    elif name == "mroot" and len(children) == 2:
        yield from (r"\sqrt[", children[1], "]{", children[0], "}")
    else:
        before, between, after = _FORMS.get(f"{name} {len(children)}") or _FORMS.get(name, ("", "", ""))
        yield before
        for number, child in enumerate(children[:1] if name in ("semantics", "maction") else children):
            yield from (between if number else "", child)
        yield after


def _leaf(element: HtmlElement, name: str) -> str:
    code = _GLYPH.search(f"mjx-c{element.get('data-c')} {element.get('class') or ''}")
    raw = chr(int(code[1], 16)) if code else element.text or ""
    text = _SPECIAL.sub(r"\\\g<0>", normalize("NFKC", raw.translate(_INVISIBLE)).strip())
    if name == "mspace":
        return " "
    if name in ("mtext", "ms") and text:
        return rf"\text{{{text}}}"
    return rf"\mathrm{{{text}}}" if name == "mi" and len(text) > 1 and text.isalpha() else text
