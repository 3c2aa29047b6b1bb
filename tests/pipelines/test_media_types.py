"""Which kind of file a content is, whatever servers say."""

from __future__ import annotations

import io
import time
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.pipelines.media_types import sniff


def archive(*files, first=None):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as written:
        if first:
            written.writestr("mimetype", first)
        for name in files:
            written.writestr(name, "x" * 50)
    return buffer.getvalue()


DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(30), "image/png"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(20), "image/jpeg"),
        (b"GIF89a" + bytes(20), "image/gif"),
        (b"RIFF\x24\0\0\0WEBPVP8 " + bytes(20), "image/webp"),
        (b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf" + bytes(20), "image/avif"),
        (b'<?xml version="1.0"?>\n<!-- made by hand -->\n<svg xmlns="http://www.w3.org/2000/svg">', "image/svg+xml"),
        (b"\xef\xbb\xbf<svg/>", "image/svg+xml"),
        (b"ID3\x03\0\0\0\0\0\0" + bytes(20), "audio/mpeg"),
        (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(20), "video/mp4"),
        (b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", "application/pdf"),
        (archive("a.txt"), "application/zip"),
        (archive("[Content_Types].xml", "word/document.xml"), DOCX),
        (archive("META-INF/container.xml", first="application/epub+zip"), "application/epub+zip"),
        (archive("a", first="../../etc/passwd"), "application/zip"),
        (b"PK\x03\x04 and no archive", "application/zip"),
        (b"<!DOCTYPE html><title>Not found</title>", "text/html"),
        (b"\n<!-- x --><HTML>", "text/html"),
        (b"BM is the word of the day", "text/plain"),
        (b"<?xml version='1.0'?><a/>", "application/xml"),
        (b"", "text/plain"),
        (b"\0\1\2\3 nothing that is known", "application/octet-stream"),
    ],
)
def test_the_content_tells(content, kind):
    assert sniff(content, "image/x-wrong") == kind


def test_of_texts_the_server_tells_which():
    assert sniff(b"1;2;3", "text/csv; charset=utf-8") == "text/csv"
    assert sniff(b"1;2;3", "text/html") == "text/plain"


@given(st.binary(max_size=300), st.text(max_size=30))
def test_any_content_has_a_type(content, declared):
    kind = sniff(content, declared)
    assert kind.count("/") == 1
    assert kind.isascii()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"<!--x-->" * 500 + b".", "text/html"),
        (b"<!--x--> " * 400 + b"<html>", "text/html"),
        (b"<!--x--><!--y--> <?xml version='1.0'?><!doctype svg> <svg", "image/svg+xml"),
        (b"<?xml ?>" * 500, "application/xml"),
        (b" " * 4000 + b"<!-", "text/plain"),
        (b"<!doctype svg" * 300, "text/html"),
    ],
)
def test_repetitions_take_linear_time(content, kind):
    begin = time.process_time()
    assert sniff(content) == kind
    assert time.process_time() - begin < 1
