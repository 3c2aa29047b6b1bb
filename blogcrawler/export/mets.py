"""METS: each post a folder with its files and a document that tells what they are (METS 1.12.1, PREMIS 3.0)."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lxml import etree

from blogcrawler import __version__
from blogcrawler.export import premis
from blogcrawler.export.data_files import data_text
from blogcrawler.export.dublincore import described
from blogcrawler.export.fixity import Written, copied, writing
from blogcrawler.export.format import FolderFormat
from blogcrawler.export.media import kept_media, media_name, opened
from blogcrawler.export.premis import Event
from blogcrawler.export.text import blog_name, encoded, json_line
from blogcrawler.export.xml import XLINK, element

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from blogcrawler.backend import BlogRow, KeptPost
    from blogcrawler.export.selection import Selection
    from blogcrawler.export.sender import Sender
    from blogcrawler.items import Media, Record

_METS = "http://www.loc.gov/METS/"
_NAMESPACES: dict[str | None, str] = {None: _METS, "xlink": XLINK}
_README = "README.txt"
_SHA256 = "sha256"


@dataclass
class _File:
    """A file of a post that was written."""

    #: below the post's folder
    name: str
    #: of the groups of METS, and the parts of the post
    use: str
    type: str
    written: Written
    media: Media | None = None


@dataclass
class _Package:
    """A post and its files."""

    post: KeptPost
    blog: BlogRow
    sender: Sender
    files: list[_File] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


def write(selection: Selection, folder: Path) -> None:
    """Write a folder for each post, in one for each blog."""
    (folder / _README).write_text(data_text("mets-readme.txt"), "utf-8")
    for blog in selection.blogs:
        for post in selection.posts(blog):
            place = folder / blog_name(blog) / str(post.id)
            package = _Package(post, blog, selection.sender)
            package.files = [*_texts(post.record, place), *_media(selection, post.record, place)]
            package.events = [*_events(post), *_media_events(selection, package)]
            (place / "mets.xml").write_bytes(_serialised(_document(package)))


def _serialised(document: etree._Element) -> bytes:
    """The bytes of a document. lxml would tell of a full disk by errors of its own, which are no OSErrors."""
    return etree.tostring(document, encoding="UTF-8", xml_declaration=True, pretty_print=True)


def _is_ours(folder: Path) -> bool:
    try:
        return (folder / _README).read_bytes() == data_text("mets-readme.txt").encode()
    except OSError:
        return False


FORMAT = FolderFormat("mets", "a METS document with PREMIS for each post, beside its files", write, _is_ours)


# ------------------------------------------------------------------------------------------------------------ the files


def _texts(record: Record, place: Path) -> Iterator[_File]:
    """Write what the post says."""
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
    """Copy the files of the post, each compared with its digest."""
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
            selection.on_lost(str(media.path), "it holds something else than its digest says")


# ----------------------------------------------------------------------------------------------------------- the events


def _events(post: KeptPost) -> Iterator[Event]:
    """What has happened to the post, as far as the archive knows when."""
    come = post.record.provenance
    if come.fetched:
        status = "" if come.status is None else f", status {come.status}"
        place = f"; in the WARC file {come.warc}" if come.warc else ""
        yield Event("capture", "capture", come.fetched, f"The page was fetched from the web{status}{place}")
        if come.rendered:
            yield Event(
                "rendering", "capture", come.fetched, "The page was shown in a browser, and taken as it was then"
            )
        if come.sha256:
            digest = f"SHA-256 of the page's body: {come.sha256}"
            yield Event("digest", "message digest calculation", come.fetched, digest)
    yield Event("ingestion", "ingestion", post.first_seen.isoformat(), "The post came into the archive")
    extracted = "What the post says was last read from its page and the blog's feeds as something new"
    yield Event("extraction", "extraction", post.last_changed.isoformat(), extracted)
    if post.gone is not None:
        gone = "The page is not on the web any more; the record is what was there before"
        yield Event("gone", "capture", post.gone.isoformat(), gone, outcome="failure")


def _media_events(selection: Selection, package: _Package) -> Iterator[Event]:
    """When the post's files came from the web, and got their digests."""
    known, verified = selection.archive.media_files(package.blog.home), selection.archive.verified
    for number, file in enumerate(package.files):
        kept = None if file.media is None else known.find(file.media.url)
        if file.media is not None and kept is not None and kept.sha256 == file.media.sha256:
            moment, of = kept.tried.isoformat(), _local(package, file)
            yield Event(f"capture-{number}", "capture", moment, f"Fetched from {file.media.url}", of=of)
            digest = "SHA-256 of the file, by which it is named in the archive"
            yield Event(f"digest-{number}", "message digest calculation", moment, digest, of=of)
            if verified is not None and verified > kept.tried:
                checked = "The file was read again and compared with its SHA-256, as all files of the archive were"
                yield Event(f"fixity-{number}", "fixity check", verified.isoformat(), checked, of=of)


def _local(package: _Package, file: _File) -> str:
    return f"{blog_name(package.blog)}/{package.post.id}/{file.name}"


# --------------------------------------------------------------------------------------------------------- the document


def _document(package: _Package) -> etree._Element:
    record = package.post.record
    return _made(
        "mets",
        _header(package),
        _made("dmdSec", _wrapped("DC", described(package.post, package.blog)), ID="DMD"),
        _administration(package),
        _files(package),
        _structure(package),
        OBJID=record.url,
        LABEL=record.title,
        TYPE="blog post",
    )


def _header(package: _Package) -> etree._Element:
    guid = package.post.record.guid
    software = _made("agent", _made("name", "blogcrawler"), _made("note", __version__), ROLE="CREATOR", TYPE="OTHER")
    software.set("OTHERTYPE", "SOFTWARE")
    owner = None
    if package.sender.organisation:
        note = None if package.sender.contact is None else _made("note", package.sender.contact)
        name = _made("name", package.sender.organisation)
        owner = _made("agent", name, note, ROLE="CUSTODIAN", TYPE="ORGANIZATION")
    other = None if guid is None else _made("altRecordID", guid, TYPE="guid")
    return _made("metsHdr", software, owner, other, RECORDSTATUS="complete")


def _administration(package: _Package) -> etree._Element:
    url = package.post.record.url
    objects = [premis.representation(url)]
    for file in package.files:
        original = None if file.media is None else file.media.url
        objects.append(premis.file_object(_local(package, file), file.written, file.type, original))
    agents = [premis.agent()] + [premis.organisation(package.sender)] * bool(package.sender.organisation)
    sections = [
        *(("techMD", "PREMIS:OBJECT", f"OBJECT-{number}", made) for number, made in enumerate(objects)),
        *(("digiprovMD", "PREMIS:EVENT", f"EVENT-{told.name}", premis.event(told, url)) for told in package.events),
        *(("digiprovMD", "PREMIS:AGENT", f"AGENT-{number}", made) for number, made in enumerate(agents)),
    ]
    return _made("amdSec", *(_made(tag, _wrapped(kind, made), ID=name) for tag, kind, name, made in sections), ID="AMD")


def _files(package: _Package) -> etree._Element:
    uses = list(dict.fromkeys(file.use for file in package.files))
    return _made("fileSec", *(_made("fileGrp", *_of_use(package, use), USE=use) for use in uses))


def _of_use(package: _Package, use: str) -> Iterator[etree._Element]:
    for number, file in enumerate(package.files):
        if file.use == use:
            place = _made("FLocat", LOCTYPE="URL")
            place.set(f"{{{XLINK}}}type", "simple")
            place.set(f"{{{XLINK}}}href", file.name)
            yield _made(
                "file",
                place,
                ID=f"FILE-{number}",
                ADMID=f"OBJECT-{number + 1}",
                MIMETYPE=file.type,
                SIZE=str(file.written.size),
                CHECKSUM=file.written.digests[_SHA256],
                CHECKSUMTYPE="SHA-256",
            )


def _structure(package: _Package) -> etree._Element:
    """The post, with its article, its comments and its files; and the record of all of it."""
    parts: dict[str, list[etree._Element]] = {}
    for number, file in enumerate(package.files):
        parts.setdefault(file.use, []).append(_made("fptr", FILEID=f"FILE-{number}"))
    whole = parts.pop("record")
    divided = (_made("div", *pointers, TYPE=use) for use, pointers in parts.items())
    post = _made("div", *whole, *divided, TYPE="post", LABEL=package.post.record.title, DMDID="DMD")
    post.set("ADMID", "OBJECT-0")
    return _made("structMap", post, TYPE="logical")


def _wrapped(kind: str, content: etree._Element) -> etree._Element:
    version = "3.0" if kind.startswith("PREMIS") else None
    return _made("mdWrap", _made("xmlData", content), MDTYPE=kind, MDTYPEVERSION=version, MIMETYPE="text/xml")


def _made(name: str, *content: etree._Element | str | None, **attributes: str | None) -> etree._Element:
    return element(f"{{{_METS}}}{name}", *content, namespaces=_NAMESPACES, **attributes)
