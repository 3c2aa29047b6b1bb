"""What a blog's server answers in each mode: with whole articles in its feeds, with summaries, or without feeds."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from lxml import etree, html

from tests.benchmarks.revisions.messages import Answer

MODES = ("full", "summary", "no-feed")
SUMMARY_CHARACTERS = 160
_BEFORE_THE_ROOT = re.compile(rb"<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*>", re.DOTALL)
_ROOT = re.compile(rb"<(rss|feed|rdf:RDF)[\s>]")
_JSON_FEED = b"https://jsonfeed.org/version"
_HEAD_BYTES = 3000
_FEED_LINK = re.compile(rb"<link\s[^>]*application/(?:rss|atom|rdf|feed)\+(?:xml|json)[^>]*>", re.IGNORECASE)
_CONTENT, _SUMMARY = ("encoded", "content"), ("description", "summary")


def change(answer: Answer, mode: str) -> Answer:
    """The answer as a blog in this mode would send it."""
    if mode == "full" or not answer.body:
        return answer
    if is_feed(answer.body):
        if mode == "summary":
            return replace(answer, body=summarised(answer.body))
        return Answer(
            404, {"Content-Type": "text/html"}, b"<html><title>Not found</title><body>Not found</body></html>"
        )
    if mode == "no-feed" and "html" in content_type(answer):
        return replace(answer, body=_FEED_LINK.sub(b"", answer.body))
    return answer


def is_feed(body: bytes) -> bool:
    """True if it is RSS, Atom or a JSON feed."""
    head = _BEFORE_THE_ROOT.sub(b"", body[:_HEAD_BYTES]).lstrip(b"\xef\xbb\xbf \t\r\n")
    return bool(_ROOT.match(head)) or (head.startswith(b"{") and _JSON_FEED in head)


def summarised(body: bytes) -> bytes:
    """A feed whose entries have the beginning of the article's text, and no article; unchanged if it is not XML."""
    if body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _summarised_json(body)
    try:
        root = etree.fromstring(body.strip(), etree.XMLParser(strip_cdata=False, huge_tree=True, no_network=True))
    except etree.XMLSyntaxError:
        return body
    for entry in root.iter("{*}item", "{*}entry"):
        _summarise(entry)
    return etree.tostring(root, encoding="utf-8", xml_declaration=True)


def _summarise(entry: Any) -> None:
    children = {etree.QName(child).localname: child for child in entry if isinstance(child.tag, str)}
    article = next((children[name] for name in (*_CONTENT, *_SUMMARY) if name in children), None)
    if article is None:
        return
    text = _beginning("".join(article.itertext()))
    for name in _CONTENT:
        if name in children:
            entry.remove(children[name])
    summary = next((children[name] for name in _SUMMARY if name in children), None)
    if summary is None:
        qualified = etree.QName(entry)
        local = "summary" if qualified.localname == "entry" else "description"
        summary = etree.SubElement(entry, f"{{{qualified.namespace}}}{local}" if qualified.namespace else local)
    for child in list(summary):
        summary.remove(child)
    summary.text = text
    summary.attrib.clear()


def _summarised_json(body: bytes) -> bytes:
    feed = json.loads(body)
    for item in feed.get("items", []):
        article = item.pop("content_html", None) or item.pop("content_text", None) or item.get("summary") or ""
        item["summary"] = _beginning(article)
    return json.dumps(feed).encode()


def _beginning(markup: str) -> str:
    text = str(html.fromstring(f"<div>{markup}</div>").xpath("string()"))
    return " ".join(text.split())[:SUMMARY_CHARACTERS]


def content_type(answer: Answer) -> str:
    """The media type, in lower case, with its parameters."""
    return next((value.lower() for name, value in answer.headers.items() if name.lower() == "content-type"), "")
