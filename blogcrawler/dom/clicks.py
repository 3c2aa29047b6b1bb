"""Addresses that the markup leads a click to, and no link: an idiom from before there were block links."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from lxml import etree

if TYPE_CHECKING:
    from lxml.html import HtmlElement

#: A statement that gives the page another address, which is written out.
_LEADS = re.compile(
    r"""(?:^|;)\s{0,9}(?:javascript:\s{0,9})?(?:return\s{1,9})?
    (?:(?:window|document|self|top|parent)\s{0,3}\.\s{0,3}){0,3}location\s{0,3}
    (?:(?:\.\s{0,3}href\s{0,3})?=\s{0,9}|\.\s{0,3}(?:assign|replace)\s{0,3}(\()\s{0,9})
    (?:'([^'"\\<>\n]{1,2083})'|"([^'"\\<>\n]{1,2083})")\s{0,9}(?(1)\)\s{0,9})(?:;|$)""",
    re.IGNORECASE | re.VERBOSE,
)
#: A script that reads such an address from an attribute, and one that goes to an address.
_READS = re.compile(r"""\bdataset\.href\b|\bdata\(\s{0,9}["']href["']|\(\s{0,9}["']data-href["']""")
_GOES = re.compile(r"\blocation(?:\.href)?\s{0,9}=(?!=)|\blocation\.(?:assign|replace)\(")
_REACTING = etree.XPath("descendant-or-self::*[@onclick or @data-href]")
_SCRIPTS = etree.XPath("ancestor-or-self::*[last()]/descendant::script[not(@src)]")
#: References of an `a` that lead to no other page.
_NOWHERE = ("#", "javascript:")
#: Characters of a handler, and of a script, that are read.
_MAX_HANDLER = 5_000
_MAX_SCRIPT = 200_000


def clicked_references(tree: HtmlElement) -> dict[HtmlElement, str]:
    """What elements lead to when they are clicked, as it is written in them: in `onclick`, or in `data-href`, where a
    script in the page reads that. Links that lead somewhere themselves are none of them. O(n).
    """
    reacting = [element for element in cast("list[HtmlElement]", _REACTING(tree)) if not _is_link(element)]
    if not reacting:
        return {}
    found = {element: told for element in reacting if (told := _leads_to(element.get("onclick")))}
    attributes = [element for element in reacting if element not in found and element.get("data-href")]
    if attributes and any(map(_goes_to_attributes, cast("list[HtmlElement]", _SCRIPTS(tree)))):
        found.update((element, element.get("data-href") or "") for element in attributes)
    return found


def _leads_to(handler: str | None) -> str | None:
    match = _LEADS.search(handler[:_MAX_HANDLER]) if handler else None
    return match[2] or match[3] if match else None


def _goes_to_attributes(script: HtmlElement) -> bool:
    code = (script.text or "")[:_MAX_SCRIPT]
    return bool(_READS.search(code) and _GOES.search(code))


def _is_link(element: HtmlElement) -> bool:
    reference = (element.get("href") or "").strip().lower()
    return bool(reference) and not reference.startswith(_NOWHERE)
