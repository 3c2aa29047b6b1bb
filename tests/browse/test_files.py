"""Stored files: what they are served as, and in parts."""

from __future__ import annotations

import hashlib
from itertools import product

import pytest

from blogcrawler.backend import Archive, FileStore
from blogcrawler.export.media import extension, media_type
from tests.browse.serving import browsing
from tests.export.archives import address

FILM = bytes(range(256)) * 4000
DIGEST = hashlib.sha256(FILM).hexdigest()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    FileStore(folder).put(FILM)
    with Archive.open(address(folder)) as archive, browsing(archive, folder) as served:
        yield served


@pytest.mark.parametrize(
    ("kind", "served", "disposition"),
    [
        ("image/png", "image/png", "inline"),
        ("image/jpeg", "image/jpeg", "inline"),
        ("image/webp", "image/webp", "inline"),
        ("image/avif", "image/avif", "inline"),
        ("image/svg+xml", "image/svg+xml", "attachment"),
        ("video/mp4", "video/mp4", "inline"),
        ("video/webm", "video/webm", "inline"),
        ("audio/mpeg", "audio/mpeg", "inline"),
        ("audio/ogg", "audio/ogg", "inline"),
        ("text/vtt", "text/vtt", "inline"),
        ("text/html", "application/octet-stream", "attachment"),
        ("application/xhtml+xml", "application/octet-stream", "attachment"),
        ("application/pdf", "application/octet-stream", "attachment"),
        ("application/javascript", "application/octet-stream", "attachment"),
        ("text/plain", "application/octet-stream", "attachment"),
        (None, "application/octet-stream", "attachment"),
    ],
)
def test_a_file_is_served_as_what_cannot_act(site, kind, served, disposition):
    answer = site.ask(f"/files/{DIGEST}{extension(kind)}")
    assert answer.status_code == 200
    assert answer.content == FILM
    assert answer.headers["content-type"] == served
    assert answer.headers["content-disposition"].startswith(f"{disposition};")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["content-length"] == str(len(FILM))
    assert "immutable" in answer.headers["cache-control"]


def test_types_come_back_from_the_ends_of_names():
    for kind in ("image/heif", "audio/flac", "video/ogg", "image/x-icon", "image/gif", "video/quicktime", "audio/mp4"):
        assert media_type(extension(kind)).partition("/")[0] == kind.partition("/")[0]
    assert media_type(".nope") == "application/octet-stream"


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=0-", 0, len(FILM)),
        ("bytes=5-9", 5, 10),
        ("bytes=1000000-", 1_000_000, len(FILM)),
        ("bytes=5-99999999999", 5, len(FILM)),
        ("bytes=-10", len(FILM) - 10, len(FILM)),
        ("bytes=-99999999", 0, len(FILM)),
    ],
)
def test_a_part_of_a_film(site, asked, start, end):
    answer = site.ask(f"/files/{DIGEST}.mp4", headers={"Range": asked})
    assert answer.content == FILM[start:end]
    assert answer.headers["content-length"] == str(end - start)
    if (start, end) != (0, len(FILM)):
        assert answer.status_code == 206
        assert answer.headers["content-range"] == f"bytes {start}-{end - 1}/{len(FILM)}"


@pytest.mark.parametrize("asked", ["bytes=x-", "bytes=9-5", "bytes=0-1,4-5", "lines=0-1", "bytes=-", "bytes=1-2-3", ""])
def test_a_part_that_is_not_understood_is_all(site, asked):
    answer = site.ask(f"/files/{DIGEST}.mp4", headers={"Range": asked})
    assert (answer.status_code, answer.content) == (200, FILM)


@pytest.mark.parametrize("asked", [f"bytes={len(FILM)}-", "bytes=99999999-", "bytes=-0"])
def test_a_part_that_is_not_there(site, asked):
    answer = site.ask(f"/files/{DIGEST}.mp4", headers={"Range": asked})
    assert answer.status_code == 416
    assert answer.headers["content-range"] == f"bytes */{len(FILM)}"


def test_a_part_of_another_file_is_all_of_this(site):
    answer = site.ask(f"/files/{DIGEST}.mp4", headers={"Range": "bytes=0-1", "If-Range": '"other"'})
    assert answer.status_code == 200


def test_a_file_that_is_known_is_not_sent(site):
    answer = site.ask(f"/files/{DIGEST}.mp4", headers={"If-None-Match": f'"{DIGEST}"'})
    assert (answer.status_code, answer.content) == (304, b"")


def test_names_that_lead_elsewhere_lead_nowhere(site):
    for start, end in product(
        ("..%2f..%2f", "..", "%2e%2e/", DIGEST.upper(), f"{DIGEST}%00"), ("archive.db", ".png", "")
    ):
        assert site.ask(f"/files/{start}{end}").status_code == 404
