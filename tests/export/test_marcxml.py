"""MARCXML: read back by pymarc, with the fields of the documented mapping."""

from __future__ import annotations

import io

import pymarc
import pytest
from lxml import etree

from blogcrawler.export import Selection
from blogcrawler.export.marcxml import FORMAT
from tests.export.archives import ANN, BO, URLS, filled

MARC = "{http://www.loc.gov/MARC21/slim}"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    stream = io.BytesIO()
    with filled(tmp_path_factory.mktemp("marc")) as archive:
        FORMAT.write(Selection.of(archive), stream)
    return stream.getvalue()


@pytest.fixture(scope="module")
def records(written):
    found = pymarc.parse_xml_to_array(io.BytesIO(written))
    return {record["856"]["u"]: record for record in found}


def fields(record):
    """Tag, indicators and subfields; blanks as they are printed in manuals."""
    return [str(field).replace("\\", "#") for field in record.fields]


def test_each_post_is_a_record_of_a_collection(written, records):
    assert list(records) == URLS
    root = etree.fromstring(written)
    assert root.tag == f"{MARC}collection"
    assert {node.tag for node in root} == {f"{MARC}record"}


def test_the_fields_of_a_post(records):
    record = records[f"{BO}b"]
    assert str(record.leader) == "00000nab a2200000uu 4500"
    assert [field for field in fields(record) if not field.startswith(("=773", "=264"))] == [
        f"=001  {record['001'].data}",
        "=005  20261121120000.0",
        "=007  cr",
        "=008  261121e20140502xx#||||||||||||||||||||||",
        f"=024  7#$a{BO}b$2uri",
        "=024  8#$atag:b",
        "=041  #7$aen$2rfc5646",
        "=100  0#$aAnn",
        "=245  10$aPost b",
        "=336  ##$atext$btxt$2rdacontent",
        "=337  ##$acomputer$bc$2rdamedia",
        "=338  ##$aonline resource$bcr$2rdacarrier",
        "=520  ##$aWater for b Boil it.",
        "=653  ##$atea",
        "=653  ##$agreen tea",
        "=700  0#$aBo",
        f"=856  40$u{BO}b$qtext/html",
        f"=856  42$u{BO}kettle.png$qimage/png",
        f"=856  42$u{BO}gone.mp3",
    ]
    assert len(record["008"].data) == 40


def test_a_post_is_a_part_of_its_blog(records):
    record = records[f"{ANN}a"]
    assert record["773"].subfields_as_dict() == {"t": ["Ann's tea"], "o": [ANN]}
    assert record["264"].subfields_as_dict() == {"b": ["Ann's tea"], "c": ["2014-05-02T10:00:00+02:00"]}


def test_what_is_unknown_has_no_field(records):
    record = records[f"{ANN}bare"]
    tags = [field.tag for field in record.fields]
    assert tags == ["001", "005", "007", "008", "024", "245", "264", "336", "337", "338", "773", "856"]
    assert str(record["245"]) == "=245  00$a[no title]"
    assert record["008"].data[6:15] == "nuuuuuuuu"


def test_tags_are_in_order_in_each_record(records):
    for record in records.values():
        tags = [field.tag for field in record.fields]
        assert tags == sorted(tags)


def test_odd_text_is_one_line_without_what_xml_does_not_have(records):
    title = records[f"{ANN}odd"]["245"]["a"]
    assert title.startswith("=1+1 <b>&amp;</b> “日本語” \U0001f375 ]]> ")
    assert title.endswith("-- two")
    assert "\x0b" not in title
