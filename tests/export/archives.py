"""Archives to export: two blogs whose posts have all that records can have, odd text and threads among it."""

from __future__ import annotations

import gzip
import hashlib
from base64 import b64decode
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from blogcrawler.backend import Archive, FileStore
from blogcrawler.items import Comment, FieldSource, Media, Provenance, Record
from tests.archives import save_records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lxml.html import HtmlElement

ANN, BO = "http://ann.example.org/", "http://bo.example.org/"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
KETTLE = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
#: an article with a note, whose names hostile pages and templates of exports have, too
NOTED = (
    '<p>A claim.<sup id="fnref:1"><a href="#fn:1">1</a></sup> <a href="#comment-1">up</a></p><ul><li id="comment-1">x</li></ul>'
    '<ol><li id="fn:1">The note. <a href="#fnref:1">↩</a></li></ol>'
)
SEGMENT = "blogcrawler-1-00001.warc.gz"
DIGEST = hashlib.sha256(KETTLE).hexdigest()
#: what databases, XML, spreadsheets or UTF-8 do not take as it is
ODD = (
    '=1+1 <b>&amp;</b> \u201c日本語\u201d \U0001f375 \x0b\x1f\ufffe ]]> "quoted", | \\ \'; DROP TABLE post; --\r\n\ttwo'
)


def a_record(path: str = "a", blog: str = ANN, **fields: object) -> Record:
    """A post with everything."""
    given = {
        "guid": f"tag:{path}",
        "title": f"Post {path}",
        "authors": ["Ann", "Bo"],
        "published": "2014-05-02T10:00:00+02:00",
        "updated": "2014-06-01",
        "tags": ["tea", "green tea"],
        "language": "en",
        "content_html": f"<p>Water for {path}</p>\n<p>Boil it.</p>",
        "content_text": f"Water for {path}\n\nBoil it.",
        "comments": comments(),
        "comment_count": 3,
        "media": [
            Media(f"{blog}kettle.png", f"sha256/{DIGEST[:2]}/{DIGEST[2:]}", DIGEST, "image/png", len(KETTLE), "image"),
            Media(f"{blog}gone.mp3", role="audio", error="404 Not Found"),
        ],
        "provenance": Provenance(
            NOW.isoformat(), 200, DIGEST, generator="WordPress 6.1", fields={"title": FieldSource("rule", "//h1", 0.98)}
        ),
    }
    return Record(blog, f"{blog}{path}", **(given | fields))


def there_and_back(root: HtmlElement, within: str = "") -> list[str]:
    """The ids that links to places of an article lead to; each is one element's, and the note leads back."""
    links = [link for link in root.iter(f"{within}a") if (link.get("href") or "").startswith("#n")]
    names = [link.get("href")[1:] for link in links]
    (claim, _, note), everywhere = links, [element.get("id") for element in root.iter() if element.get("id")]
    assert len(set(everywhere)) == len(everywhere)
    targets = {element.get("id"): element for element in root.iter() if element.get("id")}
    assert note in targets[names[0]].iter()
    assert claim in targets[names[2]].iter()
    assert "".join(targets[names[1]].itertext()) == "x"
    return names


def comments() -> list[Comment]:
    return [
        Comment("c1", None, "comment", "Cy", "http://cy.example.org/", "2014-05-03", None, "<p>Fine.</p>", "Fine."),
        Comment("c2", "c1", "comment", "Di", content_text="So it is."),
        Comment(None, None, "pingback", "Another blog", "http://x.example.org/", content_text="[…] tea […]"),
    ]


def bare(path: str, blog: str = ANN) -> Record:
    """A post of which nothing is known."""
    return Record(blog, f"{blog}{path}")


def odd() -> Record:
    """A post each of whose texts is odd."""
    comment = Comment("\ud83d", "nobody", "comment", ODD, ODD, None, ODD, ODD, f"{ODD}\0\ud83d")
    return Record(
        ANN,
        f"{ANN}odd",
        ODD,
        ODD,
        [ODD, "a|b\\", ""],
        None,
        None,
        [f"\0{ODD}\ud83d", "=cmd"],
        "en",
        ODD,
        ODD,
        [comment],
    )


def fill(archive: Archive) -> None:
    """Two blogs and five posts, one of them changed later, and one that is gone."""
    for home, title in ((ANN, "Ann's tea"), (BO, ODD)):
        archive.save_blog(home, title=title, language="en")
        archive.save_addresses(home, [home, f"{home}feed"])
    save_records(archive, [a_record("a"), a_record("b", BO), odd(), bare("bare"), a_record("gone")], now=NOW)
    archive.mark_gone(ANN, f"{ANN}gone", now=LATER)
    archive.save_record(a_record("a", title="Changed"), now=LATER)


#: the URLs of the posts of `fill`, in the order of exports
URLS = [f"{ANN}a", f"{ANN}odd", f"{ANN}bare", f"{ANN}gone", f"{BO}b"]


def address(folder: Path) -> str:
    """Of the archive in a folder."""
    return f"sqlite:///{folder / 'archive.db'}"


@contextmanager
def filled(folder: Path) -> Iterator[Archive]:
    """The archive of `fill`, in a folder, with its file."""
    FileStore(folder).put(KETTLE)
    with Archive.open(address(folder)) as archive:
        fill(archive)
        yield archive


@contextmanager
def captured(folder: Path) -> Iterator[Archive]:
    """The archive of `filled`, with the pages of its posts in a WARC file."""
    with filled(folder) as archive:
        for home in (ANN, BO):
            records = list(archive.records(home))
            capture(archive, folder, *records, name=f"{home[7:9]}{SEGMENT}")
        yield archive


def capture(archive: Archive, folder: Path, *records: Record, name: str = SEGMENT) -> None:
    """Keep pages of posts in a WARC file, and posts that say where they are; the same posts make the same bytes."""
    (folder / "warc").mkdir(exist_ok=True)
    with (folder / "warc" / name).open("wb") as file:
        for number, record in enumerate(records):
            record.provenance = replace(record.provenance, warc=f"{name}#{file.tell()}")
            body = f"<h1>{record.title}</h1>{record.content_html}"
            file.write(warc_record(record.url, body, NOW + timedelta(seconds=number)))
    save_records(archive, records, now=NOW)


def warc_record(url: str, body: str, at: datetime, kind: str = "response", **headers: str) -> bytes:
    """A record of a WARC file; underscores of names of headers stand for hyphens."""
    block = body.encode("utf-8", "replace")
    if kind == "response":
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + block
    about = {
        "WARC-Type": kind,
        "WARC-Target-URI": url,
        "WARC-Date": f"{at:%Y-%m-%dT%H:%M:%S}.123Z",
        "WARC-Record-ID": f"<urn:{kind}:{url}:{at.timestamp()}>",
        "Content-Type": "text/html" if kind == "resource" else f"application/http; msgtype={kind}",
        "Content-Length": str(len(block)),
    }
    if kind in ("response", "resource"):
        about["WARC-Payload-Digest"] = f"sha256:{hashlib.sha256(body.encode('utf-8', 'replace')).hexdigest()}"
    about |= {key.replace("_", "-"): value for key, value in headers.items()}
    head = "".join(f"{key}: {value}\r\n" for key, value in about.items())
    return gzip.compress(f"WARC/1.1\r\n{head}\r\n".encode() + block + b"\r\n\r\n", mtime=0)
