"""Reads WXR the way that WordPress's importer does: what it makes posts, comments and terms of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lxml import etree, html

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Import", "words"]

_NAMES = {
    "wp": "http://wordpress.org/export/1.2/",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
}


def words(markup: str) -> list[str]:
    """What is read of an article or comment."""
    return html.fragment_fromstring(markup, create_parent=True).text_content().split()


class Import:
    """The content of some files."""

    def __init__(self, *files: Path) -> None:
        self.authors: dict[str, str] = {}
        self.tags: dict[str, str] = {}
        self.posts: dict[str, dict[str, Any]] = {}
        self.attachments: list[dict[str, Any]] = []
        for file in files:
            self._take(etree.parse(file).getroot().find("channel"))

    def _take(self, channel: Any) -> None:
        assert _told(channel, "wp:wxr_version") == "1.2"
        self.base = _told(channel, "wp:base_blog_url")
        for author in channel.findall("wp:author", _NAMES):
            self.authors[_told(author, "wp:author_login")] = _told(author, "wp:author_display_name")
        for tag in channel.findall("wp:tag", _NAMES):
            self.tags[_told(tag, "wp:tag_slug")] = _told(tag, "wp:tag_name")
        for item in channel.findall("item"):
            found = self._item(item)
            if found["type"] == "attachment":
                self.attachments.append(found)
            else:
                self.posts[found["link"]] = found

    def _item(self, item: Any) -> dict[str, Any]:
        keys = ("post_id", "post_date", "post_date_gmt", "post_name", "status", "post_parent", "attachment_url")
        found: dict[str, Any] = {key: _told(item, f"wp:{key}") for key in keys}
        login = _told(item, "dc:creator")
        return found | {
            "type": _told(item, "wp:post_type"),
            "title": _told(item, "title"),
            "link": _told(item, "link"),
            "guid": _told(item, "guid"),
            "content": _told(item, "content:encoded"),
            "author": self.authors[login] if login else None,
            "terms": {one.get("nicename"): one.text for one in item.findall("category")},
            "meta": [
                (_told(one, "wp:meta_key"), _told(one, "wp:meta_value")) for one in item.findall("wp:postmeta", _NAMES)
            ],
            "comments": [_comment(one) for one in item.findall("wp:comment", _NAMES)],
        }


def _comment(element: Any) -> dict[str, str]:
    keys = ("id", "author", "author_url", "author_email", "date", "date_gmt", "content", "approved", "type", "parent")
    return {key: _told(element, f"wp:comment_{key}") for key in keys}


def _told(element: Any, path: str) -> str:
    return element.findtext(path, "", _NAMES)
