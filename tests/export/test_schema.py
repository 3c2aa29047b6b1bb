"""The JSON Schema of the record: whatever the program keeps fulfils it, and it is strict."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from blogcrawler.export.jsonl import schema
from blogcrawler.export.text import json_line
from blogcrawler.items import CaptureReference, Comment, FieldSource, Media, Provenance, Record
from tests.export.archives import a_record, bare, odd

SCHEMA = json.loads(schema())
VALIDATOR = Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)


def optional(strategy):
    return st.none() | strategy


TEXT = optional(st.text())
DATE = st.dates().map(str)
MOMENT = optional(
    DATE
    | st.datetimes().map(lambda time: time.isoformat())
    | st.datetimes().map(lambda time: f"{time.isoformat(timespec='seconds')}+05:30")
)
DIGEST = optional(st.binary(min_size=32, max_size=32).map(bytes.hex))
URL = st.text(max_size=9).map(lambda path: f"http://example.org/{path.encode('utf-8', 'replace').hex()}")
COUNT = optional(st.integers(0, 2**40))
COMMENT = st.builds(
    Comment, TEXT, TEXT, st.sampled_from(["comment", "pingback"]), TEXT, TEXT, MOMENT, optional(URL), TEXT, TEXT
)
MEDIA = st.builds(Media, st.text(), optional(URL.map(lambda url: url[7:])), DIGEST, TEXT, COUNT, TEXT, TEXT)
SOURCE = st.builds(FieldSource, st.sampled_from(["feed", "rule", "metadata", "url", "fallback"]), TEXT, st.floats(0, 1))
PROVENANCE = st.builds(
    Provenance,
    optional(st.datetimes().map(lambda time: f"{time.isoformat(timespec='seconds')}+00:00")),
    optional(st.integers(100, 599)),
    DIGEST,
    st.booleans(),
    TEXT,
    optional(st.builds(CaptureReference, st.text(), st.datetimes().map(lambda time: f"{time.isoformat()}+00:00"))),
    TEXT,
    st.dictionaries(st.text(max_size=9), SOURCE, max_size=3),
)
RECORD = st.builds(
    Record,
    blog=URL,
    url=URL,
    guid=TEXT,
    title=TEXT,
    authors=st.lists(st.text(), max_size=3),
    published=MOMENT,
    updated=MOMENT,
    tags=st.lists(st.text(), max_size=3),
    language=optional(st.sampled_from(["en", "pt-BR", "zh-Hant-TW", "x-klingon"])),
    content_html=TEXT,
    content_text=TEXT,
    comments=st.lists(COMMENT, max_size=2),
    comment_count=COUNT,
    media=st.lists(MEDIA, max_size=2),
    provenance=PROVENANCE,
)


def errors(record):
    """What the schema has against a record, as it is exported."""
    return [error.message for error in VALIDATOR.iter_errors(json.loads(json_line(record.to_dict())))]


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


@given(RECORD)
def test_every_record_fulfils_it(record):
    assert errors(record) == []


def test_records_with_all_and_with_nothing_fulfil_it():
    assert [errors(record) for record in (a_record(), bare("a"), odd())] == [[], [], []]


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ((), Record),
        (("$defs", "comment"), Comment),
        (("$defs", "media"), Media),
        (("$defs", "provenance"), Provenance),
        (("$defs", "source"), FieldSource),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_it_has_each_key_and_needs_it(part, kind):
    found = SCHEMA
    for name in part:
        found = found[name]
    names = [field.name for field in fields(kind)]
    assert list(found["properties"]) == names
    assert found["required"] == names
    assert found["additionalProperties"] is False


@pytest.mark.parametrize(
    "change",
    [
        {"title": 1},
        {"authors": [None]},
        {"published": "yesterday"},
        {"published": "2014-05-02 10:00"},
        {"published": "2014-13-02"},
        {"published": "2014-05-02T10:00+02:00"},
        {"language": ""},
        {"comment_count": -1},
        {"comments": [Comment(kind="trackback")]},
        {"media": [Media("http://x.example.org/a.png", "/etc/passwd")]},
        {"media": [Media("http://x.example.org/a.png", sha256="ABC")]},
        {"provenance": Provenance(status=0)},
        {"provenance": Provenance(fields={"title": FieldSource("guess")})},
        {"provenance": Provenance(fields={"title": FieldSource("rule", None, 1.1)})},
        {"blog": ""},
    ],
    ids=str,
)
def test_it_is_strict(change):
    assert errors(replace(a_record(), **change, source=None))


def test_it_needs_each_key_and_takes_no_other():
    record = a_record().to_dict()
    assert not VALIDATOR.is_valid({name: value for name, value in record.items() if name != "guid"})
    assert not VALIDATOR.is_valid({**record, "likes": 3})
