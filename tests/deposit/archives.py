"""An archive with posts to deposit, and files of theirs."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from blogcrawler.backend import Archive, FileStore
from blogcrawler.deposit import Depositor, Pace
from blogcrawler.items import Comment, Media, Provenance, Record
from tests.archives import save_records

HOME = "http://ann.example.org/"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
PNG = b"\x89PNG\r\n\x1a\n" + b"tea" * 100
HASTE = Pace(tries=5, delay_s=0.001, longest_wait_s=2, timeout_s=5, settle_s=0.01)


def a_post(folder, path="a", **fields):
    """A post with a picture, which is in the folder's store of files."""
    kept = FileStore(folder / "archive").put(PNG)
    given = {
        "guid": f"tag:{path}",
        "title": f"Post {path}",
        "authors": ["Ann Lee", "Okafor, Bo"],
        "published": "2014-05-02T10:00:00+02:00",
        "updated": "2014-06-01",
        "tags": ["tea", "green tea"],
        "language": "en-GB",
        "content_html": f'<p>Water for {path} &amp; more</p><img src="{HOME}kettle.png">',
        "content_text": f"Water for {path} & more\n\nBoil it.",
        "comments": [Comment("c1", None, "comment", "Cy", "http://cy.example.org/", "2014-05-03", None, "<p>Fine.</p>", "Fine.")],
        "comment_count": 1,
        "media": [
            Media(f"{HOME}kettle.png", kept.path, kept.sha256, "image/png", kept.bytes, "image"),
            Media(f"{HOME}gone.mp3", role="audio", error="404 Not Found"),
        ],
        "provenance": Provenance(NOW.isoformat(), 200, "0" * 64),
    }  # fmt: skip
    return Record(HOME, f"{HOME}{path}", **(given | fields))


def database(folder):
    return f"sqlite:///{folder / 'archive.db'}"


@contextmanager
def opened(folder, *posts):
    """The archive of a folder, with posts."""
    with Archive.open(database(folder)) as archive:
        archive.save_blog(HOME, title="Ann's tea", language="en")
        archive.save_addresses(HOME, [HOME])
        save_records(archive, posts, now=NOW)
        yield archive


def bring_all(archive, folder, repository, **more):
    """Deposit all posts; the stages in which they are."""
    depositor = Depositor(archive, repository, FileStore(folder / "archive"), **more)
    (blog,) = archive.blogs()
    try:
        return [depositor.bring(post, blog).stage for post in archive.posts(HOME)]
    finally:
        repository.close()
