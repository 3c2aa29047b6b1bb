"""What a page says of articles in JSON-LD (schema.org)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lxml.html import HtmlElement

__all__ = ["linked_articles"]

MAX_SCRIPTS = 20
MAX_SIZE = 300_000
"""Characters of a script; more is data of another kind."""
MAX_NODES = 2_000
KINDS = ("Article", "BlogPosting", "Report")
"""Ends of the types of schema.org that are articles: NewsArticle, TechArticle, LiveBlogPosting and so on."""


def linked_articles(root: HtmlElement) -> list[dict[str, Any]]:
    """The articles that a page's JSON-LD describes, in its order. O(n); damaged scripts are passed over."""
    found = []
    for script in root.xpath('//script[contains(@type,"ld+json")]')[:MAX_SCRIPTS]:
        text = (script.text or "")[: MAX_SIZE + 1]
        if len(text) <= MAX_SIZE:
            found += [node for node in _nodes(_read(text)) if _is_article(node)]
    return found


def _read(text: str) -> Any:  # noqa: ANN401
    try:
        return json.loads(text.strip().removeprefix("<!--").removesuffix("-->"), strict=False)
    except (ValueError, RecursionError):
        return None


def _nodes(data: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """The objects in a document, outer ones first."""
    found: list[dict[str, Any]] = []
    waiting = [data]
    for node in waiting:
        if len(waiting) > MAX_NODES:
            break
        if isinstance(node, dict):
            found.append(node)
            waiting += [value for value in node.values() if isinstance(value, dict | list)]
        elif isinstance(node, list):
            waiting += [value for value in node if isinstance(value, dict | list)]
    return found


def _is_article(node: dict[str, Any]) -> bool:
    kinds = node.get("@type")
    return any(isinstance(kind, str) and kind.endswith(KINDS) for kind in (kinds if isinstance(kinds, list) else [kinds]))
