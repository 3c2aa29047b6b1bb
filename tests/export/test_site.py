"""A site: what its pages show, where they lead, and that nothing of it is fetched from the web."""

from __future__ import annotations

import hashlib
import json
import re
from itertools import pairwise
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree, html

from blogcrawler.backend import Archive, FileStore
from blogcrawler.export import FORMATS, Selection
from blogcrawler.export.text import numbered, xml_text
from blogcrawler.items import Comment, Media
from tests.archives import save_records
from tests.export.archives import (
    ANN,
    BO,
    DIGEST,
    KETTLE,
    NOTED,
    NOW,
    ODD,
    a_record,
    address,
    bare,
    filled,
    there_and_back,
)

SITE = FORMATS["site"]
PLACE = f"sha256/{DIGEST[:2]}/{DIGEST[2:]}"


def kept(url, role="image", media_type="image/png"):
    """A file, other than those at other addresses."""
    content = KETTLE + url.encode()
    digest = hashlib.sha256(content).hexdigest()
    return Media(url, f"sha256/{digest[:2]}/{digest[2:]}", digest, media_type, len(content), role)


def exported(folder, *records, **values):
    """The folder of the site of an archive with these records."""
    for content in (KETTLE, *(KETTLE + media.url.encode() for record in records for media in record.media)):
        FileStore(folder).put(content)
    with Archive.open(address(folder)) as archive:
        save_records(archive, records, now=NOW)
        SITE.export(Selection.of(archive, files=FileStore(folder), **values), str(folder / "site"))
    return folder / "site"


def pages(site):
    return {file.relative_to(site).as_posix(): html.parse(file).getroot() for file in sorted(site.rglob("*.html"))}


def page(site, pattern):
    (found,) = site.glob(pattern)
    return html.parse(found).getroot()


def text(node):
    return " ".join(node.text_content().split())


def one(root, expression):
    (found,) = root.xpath(expression)
    return found


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """The site of two blogs with odd names."""
    folder = tmp_path_factory.mktemp("odd")
    with filled(folder) as archive:
        SITE.export(Selection.of(archive, files=FileStore(folder)), str(folder / "site"))
    return folder / "site"


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """The site of a blog with posts over three years, and links between them."""
    records = [
        a_record(
            f"post-{number}",
            title=f"Post {number}",
            published=f"20{10 + number // 24}-{number // 2 % 12 + 1:02}-03",
            content_html=f'<p>See <a href="/post-{number - 1}">the one before</a> and <a href="/">all</a>.</p>',
            tags=["tea", "Tea", f"tag {number % 3}"],
            authors=["Ann"],
        )
        for number in range(1, 61)
    ]
    return exported(tmp_path_factory.mktemp("large"), *records)


# ------------------------------------------------------------------------------------------------------------ every page


def broken_links(site):
    """The local addresses in pages that lead nowhere."""
    ids = {name: set(root.xpath("//@id")) for name, root in pages(site).items()}
    for name, root in pages(site).items():
        assert len(root.xpath("//@id")) == len(ids[name])
        for url in root.xpath("//@href | //@src | //@poster | //form/@action"):
            parts = urlsplit(url)
            if parts.scheme:
                continue
            target = (site / name).parent / unquote(parts.path) if parts.path else site / name
            where = target.resolve().relative_to(site.resolve()).as_posix()
            if not target.is_file() or (parts.fragment and parts.fragment not in ids[where]):
                yield name, url


def test_every_local_address_leads_somewhere(odd, large):
    assert list(broken_links(odd)) == []
    assert list(broken_links(large)) == []
    assert len(pages(large)) > 70


def test_every_page_is_reached_from_the_first(odd, large):
    for site in (odd, large):
        found, waiting = {"index.html"}, ["index.html"]
        while waiting:
            name = waiting.pop()
            for url in html.parse(site / name).getroot().xpath("//a/@href[not(contains(., ':'))]"):
                path = urlsplit(url).path
                where = ((site / name).parent / path if path else site / name).resolve().relative_to(site.resolve())
                if where.as_posix() not in found and where.suffix == ".html":
                    found.add(where.as_posix())
                    waiting.append(where.as_posix())
        assert set(pages(site)) - found == set()


def test_every_page_has_its_landmarks_one_title_and_a_policy(odd):
    for name, root in pages(odd).items():
        assert root.get("lang") == "en"
        assert [
            len(root.xpath(f"//{tag}")) for tag in ("header[@class='banner']", "main", "footer", "h1", "title")
        ] == [1] * 5
        assert text(one(root, "//title"))
        policy = one(root, "//meta[@http-equiv='Content-Security-Policy']/@content")
        assert policy.startswith("default-src 'none'; ")
        assert ("script-src" in policy) == (name == "search.html")
        assert not re.search(r"https?:|unsafe|\*", policy)
        assert bool(root.xpath("//script")) == (name == "search.html")
        levels = [int(heading.tag[1]) for heading in root.xpath("//h1 | //h2 | //h3")]
        assert all(after - before <= 1 for before, after in pairwise(levels)), name


def test_files_have_names_that_any_system_takes(odd, large):
    for site in (odd, large):
        names = [file.relative_to(site).as_posix() for file in site.rglob("*")]
        assert all(re.fullmatch(r"[a-z0-9/-]+(\.[a-z0-9]+)*", name) for name in names)
        assert len({name.lower() for name in names}) == len(names)


@settings(max_examples=30)
@given(
    st.lists(st.text(max_size=200) | st.sampled_from(["con", "NUL", "a" * 900, "../..", "é" * 99, "x."]), max_size=9)
)
def test_numbered_names_are_safe_and_never_the_same(texts):
    names = [numbered(number, value) for number, value in enumerate(texts)]
    assert len(set(names)) == len(texts)
    assert all(re.fullmatch(r"\d+(-[a-z0-9]+)*", name) and len(name) < 80 for name in names)


# ----------------------------------------------------------------------------------------------------------------- lists


def test_the_first_page_of_several_blogs_lists_them(odd):
    root = page(odd, "index.html")
    assert root.xpath("//h2/a/@href") == ["1-ann-example-org/index.html", "2-bo-example-org/index.html"]
    assert [text(node) for node in root.xpath("//li/p[@class='details']")] == [f"{ANN} · 4 posts", f"{BO} · 1 post"]


def test_posts_are_listed_from_the_newest_on_pages(large):
    first, last = page(large, "index.html"), page(large, "pages/3.html")
    assert [text(node) for node in first.xpath("//h2")] == [f"Post {number}" for number in range(60, 40, -1)]
    assert [text(node) for node in last.xpath("//h2")] == [f"Post {number}" for number in range(20, 0, -1)]
    assert first.xpath("//a[@rel='next']/@href") == ["pages/2.html"]
    assert last.xpath("//a[@rel='prev']/@href") == ["../pages/2.html"]
    assert text(first.xpath("//main//li")[0]).startswith("Post 60 3 July 2012 · Ann · 3 comments Water for post-60")


def test_the_archive_has_years_and_months(large):
    root = page(large, "archive/index.html")
    assert [text(node) for node in root.xpath("//h2")] == ["2012", "2011", "2010"]
    assert text(root.xpath("//main//li")[0]) == "July 2012: 1 post"
    year = page(large, "archive/2011.html")
    assert [text(node) for node in year.xpath("//h2")][:2] == ["December 2011", "November 2011"]
    assert [text(node) for node in year.xpath("//h2[@id='m2011-12']/following-sibling::ul[1]/li/a")] == [
        "Post 47",
        "Post 46",
    ]


def test_posts_without_a_date_are_listed_apart(odd):
    root = page(odd, "1-*/archive/undated.html")
    assert root.xpath("//main//li/a/text()") == ["Untitled post", " ".join(xml_text(ODD).split())]


def test_tags_that_differ_in_case_are_one_and_have_pages(large):
    root = page(large, "tags/index.html")
    assert [text(node) for node in root.xpath("//main//li")] == [
        "tag 0: 20 posts", "tag 1: 20 posts", "tag 2: 20 posts", "tea: 60 posts"
    ]  # fmt: skip
    assert len(page(large, "tags/4-tea.html").xpath("//h2")) == 50
    assert [text(node) for node in page(large, "tags/4-tea-page-2.html").xpath("//h2")] == [
        f"Post {number}" for number in range(10, 0, -1)
    ]
    assert not (large / "authors").exists(), "there is but one"


def test_the_feed_has_the_newest_posts(large):
    root = etree.parse(large / "feed.xml").getroot()
    space = {"a": "http://www.w3.org/2005/Atom"}
    titles = root.xpath("a:entry/a:title/text()", namespaces=space)
    assert titles == [f"Post {number}" for number in range(60, 40, -1)]
    for url in root.xpath("a:entry/a:link[@rel='alternate']/@href", namespaces=space):
        assert (large / url).is_file()


# ----------------------------------------------------------------------------------------------------------------- posts


def test_a_post_shows_what_the_record_has(odd):
    root = page(odd, "1-*/posts/1-changed.html")
    assert root.xpath("//article//time/@datetime") == ["2014-05-02T10:00:00+02:00", "2014-06-01"]
    assert root.xpath("//a[@rel='author']/text()") == ["Ann", "Bo"]
    assert root.xpath("//a[@rel='tag']/text()") == ["tea", "green tea"]
    assert one(root, "//h1").get("lang") == one(root, "//div[@class='article']").get("lang") == "en"
    assert f"{ANN}a" in root.xpath("//a[@rel='noreferrer external']/@href")
    assert text(one(root, "//a[@rel='next']")) == "Post gone"
    assert not root.xpath("//p[@class='gone']")


def test_a_post_that_is_gone_says_so(odd):
    gone = one(page(odd, "1-*/posts/5-post-gone.html"), "//p[@class='gone']")
    assert one(gone, "time").get("datetime").startswith("2026-11-22T12:00:00")


def test_answers_stand_in_what_they_answer(odd):
    root = page(odd, "2-*/posts/*.html")
    answer = one(root, "//li[@id='comment-1']/ol/li[@id='comment-2']")
    assert text(answer) == "Di, in reply to Cy So it is."
    assert text(one(root, "//section[@aria-labelledby='mentions']//li")) == "Another blog […] tea […]"


def test_comments_that_answer_each_other_in_a_circle_and_a_long_thread(tmp_path):
    circle = [Comment("a", "b", content_text="one"), Comment("b", "a", content_text="two"), Comment("c", "c")]
    chain = [Comment(f"n{number}", f"n{number - 1}", content_text=f"said {number}") for number in range(1500)]
    site = exported(tmp_path, a_record(comments=circle + chain, comment_count=1600))
    root = page(site, "posts/*.html")
    assert len(root.xpath("//section[@class='comments']//li")) == 1503
    assert max(len(node.xpath("ancestor::ol")) for node in root.xpath("//section[@class='comments']//li")) == 7
    assert "97 more comments" in text(root)
    assert list(broken_links(site)) == []


def test_links_between_posts_stay_in_the_site(large):
    root = page(large, "posts/30-post-30.html")
    assert one(root, "//div[@class='article']/p/a[1]").get("href") == "../posts/29-post-29.html"
    assert one(root, "//div[@class='article']/p/a[2]").get("href") == "../index.html"


def test_links_to_other_spellings_comments_and_other_blogs(tmp_path):
    links = [
        "https://www.ann.example.org/b/?utm_source=x",
        f"{ANN}?p=7",
        f"{ANN}b#c1",
        f"{BO}c",
        f"{ANN}nowhere",
        "#c1",
    ]
    article = "".join(f'<a href="{url}">x</a> ' for url in links)
    site = exported(tmp_path, a_record("a", content_html=article), a_record("b", guid=f"{ANN}?p=7"), a_record("c", BO))
    root = page(site, "1-*/posts/1-post-a.html")
    assert root.xpath("//div[@class='article']//a/@href") == [
        "../../1-ann-example-org/posts/2-post-b.html",
        "../../1-ann-example-org/posts/2-post-b.html",
        "../../1-ann-example-org/posts/2-post-b.html#comment-1",
        "../../2-bo-example-org/posts/3-post-c.html",
        f"{ANN}nowhere",
        "#comment-1",
    ]


def test_links_to_notes_lead_there_and_back(tmp_path):
    site = exported(tmp_path, a_record("a", content_html=NOTED), a_record("b", content_html=NOTED))
    assert len(there_and_back(page(site, "**/1-post-a.html"))) == 3


def test_kept_files_are_shown_and_others_are_links(tmp_path):
    article = f"""
        <img src="{ANN}small.png" srcset="{ANN}small.png 100w, {ANN}big.png 900w" alt="A kettle">
        <img src="http://elsewhere.example/x.png" alt="Not here"> <a href="{ANN}c"><img src="{ANN}y.png"></a>
        <picture><source srcset="{ANN}big.png 2x"><img src="{ANN}z.png"></picture>
        <video src="{ANN}film.mp4" poster="{ANN}big.png"><track src="{ANN}t.vtt"></video>
        <audio><source src="{ANN}sound.ogg"><source src="{ANN}sound.mp3"></audio>
        <a href="{ANN}drawing.svg">drawing</a> <a href="{ANN}paper.pdf">paper</a>
        <p style="background: url({ANN}back.png)">Behind</p>"""
    media = [
        kept(f"{ANN}big.png"),
        kept(f"{ANN}sound.mp3", "audio", "audio/mpeg"),
        kept(f"{ANN}drawing.svg", "attachment", "image/svg+xml"),
        kept(f"{ANN}paper.pdf", "attachment", "application/pdf"),
        kept(f"{ANN}talk.mp3", "enclosure", "audio/mpeg"),
        kept(f"{ANN}back.png", "background"),
        Media(f"{ANN}film.mp4", role="video", error="too large"),
    ]
    site = exported(tmp_path, a_record(content_html=article, media=media))
    root = page(site, "posts/*.html")
    loaded = root.xpath("//@src | //@srcset | //@poster | //@style")
    place = {file.url: f"../media/{file.sha256}" for file in media}
    assert loaded == [
        f"{place[f'{ANN}big.png']}.png", f"{place[f'{ANN}big.png']}.png",
        f"{place[f'{ANN}sound.mp3']}.mp3", f"{place[f'{ANN}talk.mp3']}.mp3",
    ]  # fmt: skip
    assert one(root, "//img[1][@alt='A kettle']").get("loading") == "lazy"
    assert [(text(node), node.get("href")) for node in root.xpath("//*[@class='absent']")] == [
        ("[Picture not archived: Not here]", "http://elsewhere.example/x.png"),
        ("[Picture not archived: y.png]", None),
        ("[Film not archived: film.mp4]", f"{ANN}film.mp4"),
    ]
    hrefs = root.xpath("//div[@class='article']//a/@href")
    assert hrefs[-2:] == [f"{place[f'{ANN}drawing.svg']}.svg.txt", f"{place[f'{ANN}paper.pdf']}.pdf"]
    assert [text(node) for node in root.xpath("//section[@aria-labelledby='files']//li")] == [
        "talk.mp3 (enclosure, audio/mpeg, 101 bytes)",
        "back.png (background, image/png, 101 bytes)",
        "film.mp4 (video, not archived: too large)",
    ]
    assert one(root, "//section//audio").get("preload") == "none"
    assert list(broken_links(site)) == []


def test_a_file_that_the_store_lacks_is_told_and_not_shown(tmp_path):
    lost = []
    record = a_record(content_html=f'<img src="{ANN}kettle.png">')
    with Archive.open(address(tmp_path)) as archive:
        archive.save_record(record, now=NOW)
        chosen = Selection.of(archive, files=FileStore(tmp_path))
        chosen = type(chosen)(**{**vars(chosen), "on_lost": lambda *told: lost.append(told)})
        SITE.export(chosen, str(tmp_path / "site"))
    assert [path for path, _ in lost] == [PLACE]
    assert page(tmp_path / "site", "posts/*.html").xpath("//img") == []


def test_hostile_records_bring_in_no_markup(tmp_path):
    bad = '"><script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>'
    comment = Comment("c", None, "comment", bad, "javascript:alert(3)", bad, None, bad, bad)
    acting = (
        '<a href="javascript:alert(1)">x</a><svg onload=alert(1)></svg><form action=http://evil.example><input></form>'
    )
    record = a_record(
        title=bad, authors=[bad, "b"], tags=[bad], language=bad, published=bad, updated=bad,
        content_html=bad + acting, content_text=bad, comments=[comment],
        media=[Media("javascript:alert(4)", error=bad), kept(f"{ANN}{bad}", bad)],
    )  # fmt: skip
    site = exported(tmp_path, record)
    for name, root in pages(site).items():
        assert not root.xpath("//@*[starts-with(name(), 'on')] | //svg | //@style"), name
        assert not [url for url in root.xpath("//@href | //@src") if url.startswith(("javascript", "data"))]
        assert not [url for url in root.xpath("//@src | //link/@href") if "evil" in url]
        assert len(root.xpath("//script")) == (2 if name == "search.html" else 0)
        assert len(root.xpath("//form")) == (1 if name == "search.html" else 0)
    assert list(broken_links(site)) == []


def test_an_article_without_markup_has_paragraphs_and_headings_begin_below_the_title(tmp_path):
    plain = a_record("a", content_html=None, content_text="One <b>.\n\nTwo.", comments=[])
    headed = a_record("b", content_html="<h1>Part</h1><h2>Piece</h2><p>x</p>", comments=[])
    site = exported(tmp_path, plain, headed, bare("c"))
    article = one(page(site, "posts/1-*.html"), "//div[@class='article']")
    assert [text(node) for node in article.xpath("p")] == ["One <b>.", "Two."]
    assert [node.tag for node in one(page(site, "posts/2-*.html"), "//div[@class='article']").xpath("*")] == [
        "h2",
        "h3",
        "p",
    ]


def test_the_index_of_words_has_small_files(large):
    index = json.loads(
        re.fullmatch(r"searchIndex\.start\((.*)\);\n", (large / "search/index.js").read_text("utf-8"))[1]
    )
    assert index["count"] == 60
    assert len(index["words"]) == len(list(large.glob("search/words-*.js")))
    assert len(index["posts"]) == len(list(large.glob("search/posts-*.js")))
    assert all(file.stat().st_size < 80_000 for file in large.glob("search/*.js"))
