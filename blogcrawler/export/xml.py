"""Elements of XML, made in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lxml import etree

from blogcrawler.export.text import xml_text

if TYPE_CHECKING:
    from collections.abc import Mapping

XSI = "http://www.w3.org/2001/XMLSchema-instance"
XLINK = "http://www.w3.org/1999/xlink"


def element(
    name: str,
    *content: etree._Element | str | None,
    namespaces: Mapping[str | None, str] | None = None,
    **attributes: str | None,
) -> etree._Element:
    """An element with text, other elements and attributes; None among these is none."""
    made = etree.Element(name, nsmap=_any(namespaces))
    for key, value in attributes.items():
        if value is not None:
            made.set(key, xml_text(value))
    for part in content:
        if isinstance(part, str):
            made.text = xml_text(part)
        elif part is not None:
            made.append(part)
    return made


def _any(namespaces: Mapping[str | None, str] | None) -> Any:  # noqa: ANN401
    """What lxml takes, and its stubs do not know."""
    return namespaces
