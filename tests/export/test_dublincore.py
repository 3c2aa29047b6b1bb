"""Dublin Core: XML that parses, with the elements of simple Dublin Core alone."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from blogcrawler.backend import Archive
from blogcrawler.export import Selection
from blogcrawler.export.dublincore import FORMAT
from tests.export.archives import ANN, BO, LATER, NOW, ODD, URLS, a_record, address, filled

OAI, DC = "{http://www.openarchives.org/OAI/2.0/}", "{http://purl.org/dc/elements/1.1/}"
OAI_DC = "{http://www.openarchives.org/OAI/2.0/oai_dc/}"
#: of simple Dublin Core, as oai_dc.xsd has them
_FIRST = {"title", "creator", "subject", "description", "publisher", "contributor", "date", "type"}
ELEMENTS = _FIRST | {"format", "identifier", "source", "language", "relation", "coverage", "rights"}


def read(archive):
    """The list of records."""
    stream = io.BytesIO()
    FORMAT.write(Selection.of(archive), stream)
    return etree.fromstring(stream.getvalue())


def described(record):
    return [(node.tag.removeprefix(DC), node.text) for node in record.find(f"{OAI}metadata/{OAI_DC}dc")]


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    with filled(tmp_path_factory.mktemp("dc")) as archive:
        listed = read(archive)
    assert listed.tag == f"{OAI}ListRecords"
    return {record.findtext(f"{OAI}header/{OAI}identifier"): record for record in listed}


def test_each_post_is_a_record(records):
    assert list(records) == URLS
    assert {name for record in records.values() for name, _ in described(record)} <= ELEMENTS
    stamps = [records[f"{ANN}{path}"].findtext(f"{OAI}header/{OAI}datestamp") for path in ("a", "bare")]
    assert stamps == [f"{moment:%Y-%m-%dT%H:%M:%SZ}" for moment in (LATER, NOW)]


def test_what_a_post_says(records):
    assert described(records[f"{ANN}a"]) == [
        ("title", "Changed"),
        ("creator", "Ann"),
        ("creator", "Bo"),
        ("subject", "tea"),
        ("subject", "green tea"),
        ("description", "Water for a\n\nBoil it."),
        ("publisher", "Ann's tea"),
        ("date", "2014-05-02T10:00:00+02:00"),
        ("type", "Text"),
        ("format", "text/html"),
        ("identifier", f"{ANN}a"),
        ("identifier", "tag:a"),
        ("language", "en"),
        ("relation", ANN),
        ("relation", f"{ANN}kettle.png"),
        ("relation", f"{ANN}gone.mp3"),
    ]


def test_what_is_unknown_has_no_element(records):
    expected = {"publisher", "type", "format", "identifier", "relation"}
    assert {name for name, _ in described(records[f"{ANN}bare"])} == expected


def test_odd_text_is_there_without_what_xml_does_not_have(records):
    clean = ODD.replace("\x0b", "").replace("\x1f", "").replace("\ufffe", "")
    assert dict(described(records[f"{ANN}odd"]))["title"] == clean
    assert dict(described(records[f"{BO}b"]))["publisher"] == clean


@settings(max_examples=40)
@given(text=st.text(st.characters(), max_size=30))
def test_any_text_makes_xml(shared, text):
    shared.save_record(a_record(title=text, authors=[text], tags=[text], content_text=text), now=NOW)
    (record,) = read(shared)
    assert dict(described(record))["date"] == "2014-05-02T10:00:00+02:00"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with Archive.open(address(tmp_path_factory.mktemp("dc"))) as archive:
        yield archive


@pytest.mark.parametrize(("words", "length"), [("tea " * 125, 500), ("tea " * 200, 501), ("x" * 600, 502)])
def test_a_long_text_is_described_by_its_beginning(tmp_path, words, length):
    with Archive.open(address(tmp_path)) as archive:
        archive.save_record(a_record(content_text=words), now=NOW)
        (record,) = read(archive)
    description = dict(described(record))["description"]
    assert len(description) == length
    assert words.startswith(description.removesuffix(" …"))
    assert description.endswith("…") == (len(words) > 500)
