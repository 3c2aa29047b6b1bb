"""WARC and ARC records, written by warcio, and by hand where warcio would mend them."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from blogcrawler.sources.local_captures import LocalCaptures

TIME = "2014-05-02T10:00:00Z"
HTML = [("Content-Type", "text/html; charset=utf-8"), ("Server", "x")]


def page(number):
    return b"<p>Page %d.</p>" % number * 200


def warc(pages, *, time=TIME, is_compressed=True, version="1.1"):
    """A WARC file of responses, by their addresses, as warcio writes it."""
    file = io.BytesIO()
    writer = WARCWriter(file, gzip=is_compressed, warc_version=version)
    writer.write_record(writer.create_warcinfo_record("test.warc", {"software": "test"}))
    for url, body in pages.items():
        head = StatusAndHeaders("200 OK", HTML, protocol="HTTP/1.1")
        options = {"http_headers": head, "warc_headers_dict": {"WARC-Date": time}}
        response = writer.create_warc_record(url, "response", payload=io.BytesIO(body), **options)
        writer.write_record(response)
        response.raw_stream.close()
    return file.getvalue()


def record(url, message, *, kind="response", time=TIME, version="1.0", length=None, **fields):
    """One uncompressed WARC record of an HTTP message, by hand."""
    names = {"WARC-Type": kind, "WARC-Target-URI": url, "WARC-Date": time}
    names |= {"Content-Type": "application/http; msgtype=response"}
    names |= {name.replace("_", "-"): value for name, value in fields.items()}
    names |= {"Content-Length": str(len(message) if length is None else length)}
    head = "".join(f"{name}: {value}\r\n" for name, value in names.items())
    return f"WARC/{version}\r\n{head}\r\n".encode() + message + b"\r\n\r\n"


def message(body, *lines, status="HTTP/1.1 200 OK"):
    return "\r\n".join((status, *(lines or ("Content-Type: text/html",)), "", "")).encode() + body


def arc(pages, *, is_compressed=False, time="19970502100000"):
    """An ARC file, version 1, of messages by their addresses."""
    versions = b"1 0 Alexa Internet\nURL IP-address Archive-date Content-type Archive-length\n\n"
    records = [b"filedesc://a.arc 0.0.0.0 %s text/plain %d\n%s" % (time.encode(), len(versions), versions)]
    for url, content in pages.items():
        records.append(b"%s 10.0.0.1 %s text/html %d\n%s\n" % (url.encode(), time.encode(), len(content), content))
    return b"".join(map(gzip.compress, records) if is_compressed else records)


def wacz(path, files, *, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as package:
        for name, content in files.items():
            package.writestr(name, content)


OPEN = []
"""Captures that the test has opened, to be closed after it."""


def opened(place, folder=None, **options):
    OPEN.append(LocalCaptures.open(place, (folder or Path(place).parent) / "index", **options))
    return OPEN[-1]


def done(coroutine):
    """The result of a coroutine that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("the coroutine waits")


def bodies(captures, url):
    return [done(captures.read(one)).body for one in done(captures.find(url))]


def urls(captures):
    return [row.url for row in captures.rows()]
