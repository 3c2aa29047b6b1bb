"""A post with its comments as one readable HTML page that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from lxml import etree, html

from blogcrawler.export.text import encoded, plain
from blogcrawler.urls import is_http

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blogcrawler.items import Comment, Record

_STYLE = (
    "body{font:1.05rem/1.6 Georgia,serif;max-width:42rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "img,video{max-width:100%;height:auto}pre{overflow:auto}.about{color:#666;font-size:.9rem}"
    ".comment{border-left:3px solid #ccc;padding-left:1rem;margin:1.5rem 0}"
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'"
"""No script, and nothing from elsewhere: who reads it is seen by nobody."""


def page(record: Record, blog_title: str | None, names: Mapping[str, str]) -> bytes:
    """The page, whose files stand beside it under these `names`, by URL. What it holds is sanitised already."""
    title = _text(record.title or "")
    language = f' lang="{_text(record.language)}"' if record.language else ""
    lines = [
        f'<!DOCTYPE html>\n<html{language}>\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<article>\n<h1>{title}</h1>",
        f'<p class="about">{_about(record, blog_title)}</p>',
        _content(record.content_html, record.content_text, names),
        "</article>",
        *([f"<h2>{len(record.comments)} comments</h2>"] if record.comments else []),
        *(_comment(comment, names) for comment in record.comments),
        "</body>\n</html>\n",
    ]
    return encoded("\n".join(lines))


def _about(record: Record, blog_title: str | None) -> str:
    parts = [", ".join(record.authors), record.published or "", _link(record.blog, blog_title or record.blog)]
    said = [parts[0] and _text(parts[0]), _text(parts[1]), parts[2], _link(record.url, record.url)]
    return " · ".join(filter(None, said))


def _comment(comment: Comment, names: Mapping[str, str]) -> str:
    author = _link(comment.author_url, comment.author or "") if comment.author_url else _text(comment.author or "")
    about = " · ".join(filter(None, [author, _text(comment.published or "")]))
    content = _content(comment.content_html, comment.content_text, names)
    return f'<section class="comment">\n<p class="about">{about}</p>\n{content}\n</section>'


def _link(url: str, text: str) -> str:
    return f'<a href="{_text(url)}" rel="nofollow">{_text(text)}</a>' if is_http(url) else _text(text)


def _content(markup: str | None, text: str | None, names: Mapping[str, str]) -> str:
    """Markup, in which files that stand beside the page are named so; text where there is none."""
    if not markup:
        return "\n".join(f"<p>{_text(part)}</p>" for part in (text or "").split("\n\n") if part.strip())
    if not any(url in markup or _text(url) in markup for url in names):
        return plain(markup)
    try:
        tree = html.fragment_fromstring(plain(markup), create_parent="div")
    except (etree.ParserError, ValueError):
        return plain(markup)
    for element in tree.iter():
        for name in ("src", "href", "poster"):
            value = element.get(name) if isinstance(element.tag, str) else None
            if value is not None and value in names:
                element.set(name, names[value])
                element.attrib.pop("srcset", None)
    return str(html.tostring(tree, encoding="unicode"))


def _text(text: str) -> str:
    return escape(plain(text))
