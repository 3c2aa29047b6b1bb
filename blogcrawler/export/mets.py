"""METS: a folder for each post, with its files and a METS document (METS 1.12.1, PREMIS 3.0); and a METS document for
the completeness statement of each blog."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from lxml import etree
from markupsafe import Markup, escape

from blogcrawler import __version__
from blogcrawler.export.completeness import statements
from blogcrawler.export.dublincore import described
from blogcrawler.export.fixity import Written, copied, writing
from blogcrawler.export.format import FolderFormat, has_readme, write_readme
from blogcrawler.export.media import format_of, kept_media, media_name, opened
from blogcrawler.export.text import blog_name, encoded, json_line, xml_text
from blogcrawler.templates import templates_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from jinja2 import Template

    from blogcrawler.backend import BlogRow, KeptPost
    from blogcrawler.export.selection import Selection
    from blogcrawler.items import Media, Record

_README = "mets-readme.txt"
_SHA256 = "sha256"


@dataclass(frozen=True)
class _File:
    """A written file of a post."""

    #: path below the post's folder
    name: str
    #: the METS file group, and the part of the post
    use: str
    type: str
    written: Written
    media: Media | None = None


@dataclass(frozen=True)
class _Event:
    #: ID that is unique in the document
    name: str
    #: event type of the vocabulary of the Library of Congress
    kind: str
    #: ISO 8601
    moment: str
    detail: str
    #: the outcome
    outcome: str = "success"
    #: name of the affected file; None for the whole post
    file: str | None = None


def write(selection: Selection, folder: Path) -> None:
    """Write a folder for each blog, with a folder for each post."""
    write_readme(folder, _README)
    for blog in selection.blogs:
        for post in selection.posts(blog):
            name = f"{blog_name(blog)}/{post.id}/"
            files = [*_texts(post.record, folder / name), *_media(selection, post.record, folder / name)]
            document = _document(
                post,
                blog,
                folder=name,
                sender=selection.sender,
                files=files,
                uses=dict.fromkeys(file.use for file in files),
                events=[*_events(post), *_media_events(selection, blog, files)],
            )
            (folder / name / "mets.xml").write_bytes(document)
    for blog, (name, statement) in zip(selection.blogs, statements(selection), strict=True):
        file = _written(folder / name, "completeness.json", "completeness", "application/json", statement)
        document = _rendered("mets_blog.xml", blog=blog, file=file)
        (folder / name / "mets.xml").write_bytes(document)


FORMAT = FolderFormat("mets", write, has_readme("METS"))


def _texts(record: Record, place: Path) -> Iterator[_File]:
    """Write the record and the texts of the post."""
    yield _written(place, "record.json", "record", "application/json", json_line(record.to_dict()))
    if record.content_html is not None:
        yield _written(place, "article.html", "article", "text/html", _article(record))
    if record.comments:
        comments = json.dumps([vars(comment) for comment in record.comments], ensure_ascii=False, indent=1)
        yield _written(place, "comments.json", "comments", "application/json", encoded(comments + "\n"))


def _written(place: Path, name: str, use: str, media_type: str, content: bytes) -> _File:
    with writing(place / name, _SHA256) as file:
        file.write(content)
    return _File(name, use, media_type, file.written())


def _article(record: Record) -> bytes:
    language = f' lang="{html.escape(record.language)}"' if record.language else ""
    title = html.escape(record.title or record.url)
    return encoded(
        f'<!DOCTYPE html>\n<html{language}>\n<head><meta charset="utf-8"><title>{title}</title></head>\n'
        f"<body><article>{record.content_html}</article></body>\n</html>\n"
    )


def _media(selection: Selection, record: Record, place: Path) -> Iterator[_File]:
    """Copy the files of the post and check their digests."""
    for media in kept_media(record):
        source = opened(selection, media)
        if source is None:
            continue
        name = f"media/{media_name(media)}"
        with source:
            written = copied(source, place / name, _SHA256)
        if written.digests[_SHA256] == media.sha256:
            yield _File(name, "media", media.type or "application/octet-stream", written, media)
        else:
            (place / name).unlink()
            selection.on_lost(str(media.path), "its content does not match its digest")


def _events(post: KeptPost) -> Iterator[_Event]:
    """Return the events of a post whose times are known."""
    come = post.record.provenance
    if come.fetched:
        status = "" if come.status is None else f", status {come.status}"
        place = f"; in the WARC file {come.warc}" if come.warc else ""
        yield _Event("capture", "capture", come.fetched, f"The page was fetched from the web{status}{place}")
        if come.rendered:
            yield _Event(
                "rendering", "capture", come.fetched, "The page was rendered in a browser, and its DOM was saved"
            )
        if come.sha256:
            digest = f"SHA-256 of the page's body: {come.sha256}"
            yield _Event("digest", "message digest calculation", come.fetched, digest)
    yield _Event("ingestion", "ingestion", post.first_seen.isoformat(), "The post was added to the archive")
    extracted = "The content of the post was last changed"
    yield _Event("extraction", "extraction", post.last_changed.isoformat(), extracted)
    if post.gone is not None:
        gone = "The page is no longer online; the record holds its last content"
        yield _Event("gone", "capture", post.gone.isoformat(), gone, outcome="failure")


def _media_events(selection: Selection, blog: BlogRow, files: list[_File]) -> Iterator[_Event]:
    """Return the events of fetching the post's files and computing their digests."""
    known, verified = selection.archive.media_files(blog.home), selection.archive.verified
    for number, file in enumerate(files):
        stored = None if file.media is None else known.find(file.media.url)
        if file.media is not None and stored is not None and stored.sha256 == file.media.sha256:
            moment, name = stored.tried.isoformat(), file.name
            yield _Event(f"capture-{number}", "capture", moment, f"Fetched from {file.media.url}", file=name)
            digest = "SHA-256 of the file, by which it is named in the archive"
            yield _Event(f"digest-{number}", "message digest calculation", moment, digest, file=name)
            if verified is not None and verified > stored.tried:
                checked = "The file was read again and compared with its SHA-256, as all files of the archive were"
                yield _Event(f"fixity-{number}", "fixity check", verified.isoformat(), checked, file=name)


@cache
def _template(name: str) -> Template:
    templates = templates_of("blogcrawler.export")
    templates.finalize = _literal
    templates.globals.update(format_of=format_of, version=__version__)
    return templates.get_template(name)


def _literal(value: object) -> Markup:
    """Escape a value so that parsing keeps tabs and line breaks in attributes."""
    if isinstance(value, Markup):
        return value
    text = escape(xml_text(str(value))).translate({ord(sign): f"&#{ord(sign)};" for sign in "\t\n\r"})
    return Markup(text)  # noqa: S704 - escaped


def _document(post: KeptPost, blog: BlogRow, **values: Any) -> bytes:  # noqa: ANN401
    dublin_core = etree.tostring(described(post, blog), encoding="unicode")
    return _rendered("mets.xml", record=post.record, dublin_core=Markup(dublin_core), **values)  # noqa: S704 - serialised


def _rendered(template: str, **values: Any) -> bytes:  # noqa: ANN401
    text = _template(template).render(**values)
    parser = etree.XMLParser(remove_blank_text=True, resolve_entities=False, huge_tree=True)
    # serialised in memory: lxml reports a full disk by errors that are not OSErrors
    return etree.tostring(etree.fromstring(text, parser), encoding="UTF-8", xml_declaration=True, pretty_print=True)
