"""The benchmarks on the demonstration blog, and on an archive that is made of it."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from blogcrawler.demo import build
from blogcrawler.wrapper.fallback.model import NO_LINES
from tests.benchmarks import ablation, ours, peers, reliability
from tests.benchmarks.blogs import DEMO, Blog, blogs, demonstration, read_archive
from tests.benchmarks.peers import OURS, WHOLE, measure
from tests.benchmarks.reliability import judge


@pytest.fixture(scope="module")
def demo() -> Blog:
    return demonstration()


@pytest.fixture
def corpus(tmp_path: Path, demo: Blog) -> Path:
    """A folder with one archive, whose feed is served as summaries."""
    about = {"name": "demo", "home": DEMO, "feed": f"{DEMO}/feed.xml", "feed_entries": 8, "feed_mode": "summary"}
    index = [
        {"url": page.url, "file": f"site/{number}.html", "status": 200, "type": page.content_type}
        for number, page in enumerate(demo.posts)
    ]
    moved = [{"url": f"{DEMO}/old/", "status": 301, "location": demo.posts[0].url}]
    truth = [{**page.truth, "url": page.url, "in_feed": page.entry is not None} for page in demo.posts]
    truth[0]["url"] = f"{DEMO}/old/"
    files = {
        "blog.json": json.dumps({**about, "full_feed": "_truth/feed.xml"}).encode(),
        "index.jsonl": "\n".join(map(json.dumps, [*index, *moved])).encode(),
        "truth.jsonl": "\n".join(map(json.dumps, truth)).encode(),
        "_truth/feed.xml": build(DEMO)["/feed.xml"][1],
        **{line["file"]: page.body for line, page in zip(index, demo.posts, strict=True)},
    }
    with tarfile.open(tmp_path / "demo.tar.xz", "w:xz") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return tmp_path


def test_an_archive_is_read_as_the_blog_that_it_holds(corpus: Path, demo: Blog) -> None:
    blog = read_archive(corpus / "demo.tar.xz")
    assert [page.url for page in blog.posts] == [page.url for page in demo.posts]
    assert [page.url for page in blog.beyond] == [page.url for page in demo.beyond]
    assert all(page.entry.is_summary for page in blog.training if page.entry)
    assert next(blogs(corpus)).name == "demo"


def test_a_name_without_an_archive(corpus: Path) -> None:
    with pytest.raises(SystemExit, match="no archive of other"):
        next(blogs(corpus, ["other"]))


def test_both_of_ours_find_the_same(demo: Blog) -> None:
    outcome = measure(demo, demo.beyond[:3], [], runs=1)
    assert outcome[OURS].scores == outcome[WHOLE].scores
    assert outcome[OURS].ms > outcome[OURS].page_ms > 0
    assert all(min(values) > 0.9 for values in outcome[OURS].scores.values())


def test_claims_say_what_is_right(demo: Blog) -> None:
    page = demo.beyond[0]
    record = ours.record(page, ours.learned(demo)).to_dict()
    assert all(claim.is_right and not claim.in_feed for claim in judge("demo", page, record))
    wrong = {claim.field for claim in judge("demo", page, {**record, "title": "Else"}) if not claim.is_right}
    assert wrong == {"title"}


def test_only_fields_with_a_source_are_claims(demo: Blog) -> None:
    page = demo.beyond[0]
    record = ours.record(page, ours.learned(demo)).to_dict()
    del record["provenance"]["fields"]["title"]
    assert "title" not in {claim.field for claim in judge("demo", page, record)}


def test_reliability_of_a_crawl(
    corpus: Path, demo: Blog, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrapper = ours.learned(demo)
    records = [ours.record(page, wrapper).to_dict() for page in demo.posts]
    records[0]["title"] = "Else"
    (corpus / "demo").mkdir()
    (corpus / "demo" / "records.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    monkeypatch.setattr("sys.argv", ["reliability", str(corpus), str(corpus), "--jobs", "1"])
    assert reliability.main() == 0
    assert f"{len(records)}: {100 * (1 - 1 / len(records)):.1f} %" in capsys.readouterr().out


@pytest.mark.slow
def test_the_table_of_peers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["peers", "--runs", "1"])
    peers.main()
    out = capsys.readouterr().out
    assert "| blogcrawler | 0.99" in out or "| blogcrawler | 1.00" in out


def test_each_mechanism_that_is_switched_off_is_set_beside_everything(corpus: Path) -> None:
    results = {"demo": ablation.measure(ablation.Task(corpus / "demo.tar.xz", ["full"], [[], ["cuts", "phrases"]]))}
    results["demo"]["cuts,phrases"]["full"]["content"] -= 0.5
    first, second = list(ablation.table(results, ["full"]))[1:]
    assert first.split()[:4] == ["none", ablation.half_of("demo"), "full", "1"]
    assert second.split()[:2] == ["2", "together"]
    assert second.endswith("demo content -50")


def test_a_mechanism_is_off_only_as_long_as_it_is_said(demo: Blog) -> None:
    trees = {page.url: page.parse() for page in demo.training}
    pages = ablation.examples(demo, trees, "full")
    with ablation.switched_off(["shared_lines"]):
        assert ablation.learned(pages, []).lines == NO_LINES
    assert ablation.learned(pages, []).lines != NO_LINES
    with ablation.switched_off(list(ablation.NAMES)):
        assert ablation.learned(pages, []).title
