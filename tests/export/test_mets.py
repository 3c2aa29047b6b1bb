"""METS documents: valid against the schemas of METS and PREMIS, and true to the files beside them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from lxml import etree

from blogcrawler.backend import FileStore, KeptMedia
from blogcrawler.export import Selection, Sender
from blogcrawler.export.completeness import statement_of
from blogcrawler.export.media import format_of
from blogcrawler.export.mets import FORMAT
from blogcrawler.items import Record
from tests.export.archives import ANN, DIGEST, KETTLE, LATER, NOW, ODD, a_record, filled

SCHEMAS = Path(__file__).with_name("schemas")
NAMES = {
    "mets": "http://www.loc.gov/METS/",
    "premis": "http://www.loc.gov/premis/v3",
    "xlink": "http://www.w3.org/1999/xlink",
    "dc": "http://purl.org/dc/elements/1.1/",
}
PATH = f"sha256/{DIGEST[:2]}/{DIGEST[2:]}"
SENDER = Sender("Library of Tea", "http://library.example.org/")


@pytest.fixture(scope="module")
def schema():
    """Of METS with PREMIS in it."""
    imports = "".join(
        f'<xs:import namespace="{NAMES[name]}" schemaLocation="{(SCHEMAS / name).as_uri()}.xsd"/>'
        for name in ("mets", "premis")
    )
    text = f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{imports}</xs:schema>'
    return etree.XMLSchema(etree.fromstring(text))


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    with filled(tmp_path_factory.mktemp("archive")) as opened:
        rendered = a_record("rendered", guid=f"{ANN}rendered")
        rendered.provenance = replace(rendered.provenance, rendered=True, warc="tea.warc.gz#7")
        opened.save_record(rendered, now=NOW)
        kept = KeptMedia(f"{ANN}kettle.png", LATER, PATH, DIGEST, "image/png", len(KETTLE))
        opened.media_files(ANN).save(kept)
        yield opened


def export(archive, target, **told):
    chosen = replace(Selection.of(archive, files=FileStore(archive.file.parent)), **told)
    FORMAT.export(chosen, str(target))
    found = {}
    for file in sorted(target.glob("*/*/mets.xml")):
        root = etree.parse(str(file)).getroot()
        found[root.get("OBJID")] = (root, file.parent)
    return found


@pytest.fixture(scope="module")
def exported(archive, tmp_path_factory):
    return export(archive, tmp_path_factory.mktemp("mets") / "export", sender=SENDER)


def texts(root, path):
    return [node if isinstance(node, str) else node.text for node in root.xpath(path, namespaces=NAMES)]


def test_each_post_has_a_document_that_is_valid(exported, schema):
    assert len(exported) == 6
    for root, _ in exported.values():
        schema.assertValid(root)


def test_each_blog_has_a_document_of_how_complete_it_is(archive, exported, schema):
    folders = {folder.parent for _, folder in exported.values()}
    assert len(folders) == len(archive.blogs())
    for folder in folders:
        root = etree.parse(str(folder / "mets.xml")).getroot()
        schema.assertValid(root)
        content = (folder / "completeness.json").read_bytes()
        assert texts(root, "//mets:file/@CHECKSUM") == [hashlib.sha256(content).hexdigest()]
        assert texts(root, "//mets:FLocat/@xlink:href") == ["completeness.json"]
        assert json.loads(content) == statement_of(archive, archive.blog(root.get("OBJID")))


def test_the_schema_finds_what_is_wrong_in_premis(exported, schema):
    root = etree.fromstring(etree.tostring(exported[f"{ANN}a"][0]))
    schema.assertValid(root)
    (size,) = root.xpath("//premis:size[text()='70']", namespaces=NAMES)
    size.tag = f"{{{NAMES['premis']}}}weight"
    assert not schema.validate(root)


def test_files_are_there_with_the_size_and_digest_that_are_told(exported):
    for root, folder in exported.values():
        files = root.xpath("//mets:file", namespaces=NAMES)
        named = {file[0].get(f"{{{NAMES['xlink']}}}href"): file for file in files}
        there = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
        assert set(named) == there - {"mets.xml"}
        for name, file in named.items():
            content = (folder / name).read_bytes()
            assert (file.get("SIZE"), file.get("CHECKSUMTYPE")) == (str(len(content)), "SHA-256")
            digest = hashlib.sha256(content).hexdigest()
            assert file.get("CHECKSUM") == digest
            told = f"//*[@ID='{file.get('ADMID')}']//premis:"
            assert texts(root, f"{told}messageDigest") == [digest]
            assert texts(root, f"{told}size") == [str(len(content))]
            assert texts(root, f"{told}objectIdentifierValue")[0].endswith(f"/{name}")


def test_a_post_and_its_parts(exported):
    root, folder = exported[f"{ANN}a"]
    assert texts(root, "//mets:fileGrp/@USE") == ["record", "article", "comments", "media"]
    assert texts(root, "//mets:structMap/mets:div/mets:div/@TYPE") == ["article", "comments", "media"]
    types = ["application/json", "text/html", "application/json", "image/png"]
    assert texts(root, "//mets:file/@MIMETYPE") == types
    assert texts(root, "//dc:title") == ["Changed"]
    assert texts(root, "//mets:altRecordID") == ["tag:a"]
    record = Record.from_dict(json.loads((folder / "record.json").read_bytes()))
    assert record.content_html in (folder / "article.html").read_text("utf-8")
    assert json.loads((folder / "comments.json").read_bytes()) == [vars(comment) for comment in record.comments]
    assert (folder / "media" / f"{DIGEST}.png").read_bytes() == KETTLE
    assert f"{ANN}kettle.png" in texts(root, "//premis:originalName")


def test_what_a_post_does_not_have_is_not_there(exported):
    root, folder = exported[f"{ANN}bare"]
    assert sorted(file.name for file in folder.iterdir()) == ["mets.xml", "record.json"]
    assert texts(root, "//premis:eventType") == ["ingestion", "extraction"]
    assert root.get("LABEL") is None


def events(root):
    nodes = root.xpath("//premis:event", namespaces=NAMES)
    return [
        tuple(
            node.findtext(f".//premis:{name}", namespaces=NAMES)
            for name in ("eventType", "eventDateTime", "eventOutcome", "linkingObjectIdentifierValue")
        )
        for node in nodes
    ]


def test_what_has_happened_and_when(exported):
    now, later = NOW.isoformat(), LATER.isoformat()
    url = f"{ANN}a"
    file = f"1-ann.example.org/1/media/{DIGEST}.png"
    assert events(exported[url][0]) == [
        ("capture", now, "success", url),
        ("message digest calculation", now, "success", url),
        ("ingestion", now, "success", url),
        ("extraction", later, "success", url),
        ("capture", later, "success", file),
        ("message digest calculation", later, "success", file),
    ]


def test_a_browser_and_the_place_in_warc_files_are_told(exported):
    root, _ = exported[f"{ANN}rendered"]
    details = texts(root, "//premis:eventDetail")
    assert details[0] == "The page was fetched from the web, status 200; in the WARC file tea.warc.gz#7"
    assert details[1] == "The page was rendered in a browser, and its DOM was saved"


def test_a_post_that_is_gone(exported):
    url = f"{ANN}gone"
    assert ("capture", LATER.isoformat(), "failure", url) in events(exported[url][0])


def test_who_has_done_it(exported):
    root, _ = exported[f"{ANN}a"]
    assert texts(root, "//mets:agent/mets:name") == ["blogcrawler", "Library of Tea"]
    assert texts(root, "//premis:agentType") == ["software", "organization"]
    assert texts(root, "//premis:agentNote") == ["http://library.example.org/"]


def test_without_an_organisation_none_is_told(archive, tmp_path, schema):
    root, _ = export(archive, tmp_path / "export")[f"{ANN}a"]
    schema.assertValid(root)
    assert texts(root, "//mets:agent/mets:name") == ["blogcrawler"]


def test_odd_text_is_valid(exported):
    root, folder = exported[f"{ANN}odd"]
    clean = ODD.replace("\x0b", "").replace("\x1f", "").replace("\ufffe", "")
    assert root.get("LABEL") == clean
    assert "&lt;b&gt;&amp;amp;&lt;/b&gt;" in (folder / "article.html").read_text("utf-8")


def test_a_file_that_is_damaged_is_left_out_and_told(tmp_path):
    with filled(tmp_path) as archive:
        (tmp_path / PATH).write_bytes(KETTLE[:-1] + b"?")
        lost = {}
        root, folder = export(archive, tmp_path / "export", on_lost=lost.__setitem__)[f"{ANN}a"]
    assert lost == {PATH: "its content does not match its digest"}
    assert texts(root, "//mets:fileGrp/@USE") == ["record", "article", "comments"]
    assert not list(folder.glob("media/*"))


@pytest.mark.parametrize(
    ("media_type", "head", "puid"),
    [
        ("image/gif", b"GIF89a\1\0", "fmt/4"),
        ("image/jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0", "fmt/43"),
        ("image/jpeg", b"\xff\xd8\xff\xe1\0\x10Exif\0\0", None),
        ("image/webp; q=1", b"RIFF\0\0\0\0WEBPVP8L", "fmt/567"),
        ("image/png", KETTLE, None),
        ("text/html", b"<!DOCTYPE html>\n", "fmt/471"),
        ("application/json", b"{}", "fmt/817"),
        (None, b"", None),
    ],
)
def test_formats_of_files_have_pronoms_number_where_it_is_certain(media_type, head, puid):
    known = format_of(media_type, head)
    assert (known and known.puid) == puid


def test_when_files_were_verified_is_told(archive, tmp_path, schema):
    """Of those that were there then."""
    before, _ = export(archive, tmp_path / "before")[f"{ANN}a"]
    assert "fixity check" not in texts(before, "//premis:eventType")
    archive.note_verified(LATER + timedelta(days=1))
    root, _ = export(archive, tmp_path / "after")[f"{ANN}a"]
    assert schema.validate(root), schema.error_log
    (checked,) = root.xpath("//premis:event[premis:eventType='fixity check']", namespaces=NAMES)
    assert texts(checked, "premis:eventDateTime") == [(LATER + timedelta(days=1)).isoformat()]
    assert texts(checked, ".//premis:linkingObjectIdentifierValue")[0].endswith(f"media/{DIGEST}.png")
