"""What -o and -O write: the same lines as Scrapy's own exporter writes."""

from io import BytesIO

from scrapy.exporters import JsonLinesItemExporter

from blogcrawler.items import Comment, FieldSource, Media, Provenance, Record
from blogcrawler.pipelines.output import JsonLines

RECORD = Record(
    "http://example.org/",
    "http://example.org/1/",
    title="Grüße",
    authors=["Ann"],
    comments=[Comment(id="1", author="Bob")],
    media=[Media("http://example.org/1.png", bytes=1)],
    provenance=Provenance(status=200, fields={"title": FieldSource("rule", "//h1", 0.9)}),
)


def written(exporter, **options):
    file = BytesIO()
    exporter(file, encoding="utf-8", **options).export_item(RECORD)
    return file.getvalue()


def test_lines_are_those_of_scrapy():
    assert written(JsonLines) == written(JsonLinesItemExporter)


def test_chosen_fields_are_those_of_scrapy():
    chosen = {"fields_to_export": {"title": "name", "media": "files"}}
    assert written(JsonLines, **chosen) == written(JsonLinesItemExporter, **chosen)
