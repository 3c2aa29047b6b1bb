"""The pages: what they show of an archive, and what is said where there is nothing to show."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from lxml import html

from blogcrawler.backend import Archive, KeptMedia
from blogcrawler.items import Comment, FieldSource, Media, Provenance
from tests.archives import save_records
from tests.browse.serving import browsing
from tests.export.archives import (
    ANN,
    BO,
    DIGEST,
    KETTLE,
    LATER,
    NOW,
    ODD,
    URLS,
    a_record,
    address,
    filled,
)

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
ODD_NUMBERS = ("0", "-1", "999999", "99999999999999999999", "1e3", "1.0", "%00", "x", "%2e%2e", "१", "1'--", "")
FILE = f"/files/{DIGEST}.png"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """An archive of two blogs with posts of all kinds, served; and the archive."""
    folder = tmp_path_factory.mktemp("browse")
    with filled(folder) as archive:
        archive.start_crawl(ANN, now=NOW)
        archive.finish_crawl(ANN, now=NOW, reason="finished")
        archive.note_verified(NOW)
        archive.register.want({"http://new.example.org/": "http://new.example.org/"}, now=NOW)
        archive.media_files(ANN).save(KeptMedia(f"{ANN}kettle.png", NOW, sha256=DIGEST, bytes=len(KETTLE)))
        reports = folder / "reports" / "1-ann.example.org"
        reports.mkdir(parents=True)
        (reports / "20261124T112308Z-newcrawl.html").write_text("<h1>Report</h1><script>alert(1)</script>")
        (reports / "20261124T112308Z-newcrawl.json").write_text("{}")
        (reports / "secret.html").write_text("secret")
        with browsing(archive, folder) as served:
            served.archive = archive
            yield served


def number(site, url):
    home = BO if url.startswith(BO) else ANN
    return site.archive.post_id(home, url)


def read(site, path):
    return html.fromstring(site.page(path))


def text(node):
    return " ".join(node.text_content().split())


def cells(root):
    return [[text(cell) for cell in row.xpath("td|th")] for row in root.xpath("//tbody/tr")]


def test_all_blogs_are_listed_with_their_numbers_and_state(site):
    root = read(site, "/")
    assert cells(root) == [
        ["Ann's tea", "4", "7", "1", "1", "2026-11-21 12:00", "complete", "now"],
        [
            " ".join(re.sub(r"[\x0b\x1f]", " ", ODD).split()),
            "1",
            "3",
            "0",
            "0",
            "never",
            "not crawled yet",
            "now",
        ],
        ["http://new.example.org/", "0", "0", "0", "0", "never", "not crawled yet", "now"],
    ]
    assert "2026-11-21 12:00 UTC" in text(root)


def test_an_archive_without_blogs(tmp_path):
    with Archive.open(address(tmp_path)) as archive, browsing(archive, tmp_path) as site:
        assert "The archive has no blogs yet" in site.page("/")
        assert "not verified yet" in site.page("/")
        assert "has no posts of this blog" in site.page(f"/blogs/{archive.blog(ANN).id}")


def test_a_blog_leads_to_its_months_posts_gaps_reports_and_downloads(site):
    root = read(site, "/blogs/1")
    linked = root.xpath("//main//a/@href")
    assert {ANN, "/blogs/1/posts", "/blogs/1/posts?month=2014-05", "/blogs/1/gaps", "/blogs/1/posts?month=undated"} <= {
        *linked
    }
    assert "May 2014 (2)" in text(root)
    assert "/blogs/1/reports/20261124T112308Z-newcrawl.html" in linked
    assert not [url for url in linked if "secret" in url]
    assert {f"/blogs/1/export/{name}" for name in ("jsonl", "site", "epub")} <= {*linked}
    assert f"/posts/{number(site, URLS[0])}" in linked
    for url in linked:
        if url.startswith("/") and "export" not in url:
            site.page(url)


@pytest.mark.parametrize(
    ("query", "found"),
    [("", 4), ("?month=2014-05", 2), ("?month=2014", 2), ("?month=undated", 2), ("?month=1999-01", 0)],
)
def test_posts_are_listed_by_month(site, query, found):
    root = read(site, f"/blogs/1/posts{query}")
    assert len(root.xpath("//main/ul[@class='titles']/li")) == found


def test_lists_have_pages(tmp_path):
    with Archive.open(address(tmp_path)) as archive:
        save_records(archive, [a_record(f"{number:03}", comments=[]) for number in range(101)], now=NOW)
        with browsing(archive, tmp_path) as site:
            shown = [read(site, f"/blogs/1/posts?page={page}") for page in (1, 2, 3)]
            titles = [text(item) for root in shown for item in root.xpath("//main/ul/li/a")]
            assert titles == [f"Post {number:03}" for number in range(100, -1, -1)]
            assert site.ask("/blogs/1/posts?page=4").status_code == 404
            assert "page=2" in shown[0].xpath("//a[@rel='next']/@href")[0]
            found = read(site, "/search?q=boil&page=6")
            assert len(found.xpath("//ol[@class='results']/li")) == 1
            assert site.ask("/search?q=boil&page=7").status_code == 404


def test_gaps_are_told_with_the_commands(site):
    root = read(site, "/blogs/1/gaps")
    rows = cells(root)
    assert ["field", "no title", "1", f"{ANN}bare", f"blogcrawler crawl newcrawl -a url={ANN}"] in rows
    assert f"/posts/{number(site, f'{ANN}bare')}" in root.xpath("//td/a/@href")


def test_a_post_shows_its_article_talk_files_and_origin(site):
    root = read(site, f"/posts/{number(site, URLS[0])}")
    assert text(root.xpath("//h1")[0]) == "Changed"
    said = text(root.xpath("//main")[0])
    for part in (
        "2 May 2014, 10:00",
        "by Ann, Bo",
        "Tags: tea, green tea",
        "Boil it.",
        "WordPress 6.1",
        "failed: 404 Not Found",
    ):
        assert part in said, part
    assert root.xpath("//div[@class='article']/@lang") == ["en"]
    assert [text(heading) for heading in root.xpath("//h2")] == [
        "Comments",
        "Mentions",
        "Files",
        "Provenance",
    ]
    (answer,) = root.xpath("//li[@id='comment-2']")
    assert "in reply to Cy" in text(answer)
    assert answer.getparent().getparent().get("id") == "comment-1"
    assert ["title", "a learned rule", "//h1", "0.98", "sure"] in cells(root)
    assert root.xpath("//a[@rel='noreferrer external'][contains(., 'ann.example.org/a')]")
    assert FILE in root.xpath("//a/@href")
    assert root.xpath("//a[contains(., '2 versions')]/@href") == [f"/posts/{number(site, URLS[0])}/versions"]


def test_a_post_of_which_nothing_is_known(site):
    root = read(site, f"/posts/{number(site, f'{ANN}bare')}")
    assert text(root.xpath("//h1")[0]) == "Untitled post"
    assert "no date" in text(root)


def test_what_is_gone_is_told(site):
    assert "no longer online (first noticed 2026-11-22 12:00" in text(
        read(site, f"/posts/{number(site, f'{ANN}gone')}")
    )


def test_posts_lead_to_those_before_and_after(tmp_path):
    with Archive.open(address(tmp_path)) as archive:
        for day in (1, 2, 3):
            archive.save_record(a_record(str(day), published=f"2014-05-0{day}"), now=NOW)
        with browsing(archive, tmp_path) as site:
            root = read(site, "/posts/2")
            assert root.xpath("//a[@rel='prev']/@href") == ["/posts/1"]
            assert root.xpath("//a[@rel='next']/@href") == ["/posts/3"]


def test_pictures_sounds_and_links_of_a_post_lead_into_the_archive(tmp_path):
    place = f"sha256/{DIGEST[:2]}/{DIGEST[2:]}"
    kinds = {
        "k.png": "image/png",
        "f.mp4": "video/mp4",
        "s.mp3": "audio/mpeg",
        "d.pdf": "application/pdf",
        "p.html": "text/html",
    }
    media = [Media(f"{ANN}{name}", place, DIGEST, kind, 5, "image") for name, kind in kinds.items()]
    content = f"""<p id="x" class="y" style="color:red"><img src="{ANN}k.png" srcset="{ANN}k.png 2x" alt="Kettle">
        <img src="{ANN}lost.png" alt="Lost"><video src="{ANN}f.mp4"></video><audio src="{ANN}s.mp3"></audio>
        <a href="{ANN}d.pdf">Paper</a><a href="{ANN}p.html">Page</a><a href="https://www.ann.example.org/b">Other</a>
        <a href="{ANN}a#c2">Answer</a><a href="{ANN}">Home</a><a href="http://web.example.org/">Web</a></p>"""
    with Archive.open(address(tmp_path)) as archive:
        archive.save_record(a_record("a", content_html=content, media=media), now=NOW)
        archive.save_record(a_record("b"), now=NOW)
        with browsing(archive, tmp_path) as site:
            article = read(site, "/posts/1").xpath("//div[@class='article']")[0]
    assert article.xpath(".//img/@src") == [FILE]
    assert article.xpath(".//video/@src") == [f"/files/{DIGEST}.mp4"]
    assert article.xpath(".//audio/@src") == [f"/files/{DIGEST}.mp3"]
    links = {text(link): link.get("href") for link in article.xpath(".//a")}
    assert links == {
        "[Picture not archived: Lost]": f"{ANN}lost.png",
        "Paper": f"/files/{DIGEST}.pdf",
        "Page": f"/files/{DIGEST}.html",
        "Other": "/posts/2",
        "Answer": "#comment-2",
        "Home": "/blogs/1",
        "Web": "http://web.example.org/",
    }
    assert not article.xpath(".//*/@id | .//*/@class | .//*/@style | .//*/@srcset")
    assert set(article.xpath(".//a/@rel")) == {"noreferrer"}


def test_versions_and_what_differs_between_them(tmp_path):
    comments = [
        Comment("c1", author="Cy", content_text="Fine weather we have."),
        Comment("c2", author="Di", content_text="Gone."),
    ]
    first = a_record("a", title="One", content_text="Same.\n\nWater boils slowly here.\n\nOld.", comments=comments)
    changed = [
        replace(comments[0], content_text="Fine weather we had."),
        Comment("c3", author="Ed", content_text="New."),
    ]
    second = a_record("a", title="Two", content_text="Same.\n\nWater boils quickly here.", comments=changed)
    with Archive.open(address(tmp_path)) as archive:
        archive.save_record(first, now=NOW)
        archive.save_record(second, now=LATER)
        archive.save_record(replace(second, title="Three"), now=LATER)
        with browsing(archive, tmp_path) as site:
            root = read(site, "/posts/1/versions")
            assert [row[:2] for row in cells(root)] == [["3", "Three"], ["2", "Two"], ["1", "One"]]
            shown = read(site, "/posts/1/diff?from=1&to=2")
            back = read(site, "/posts/1/diff?from=2&to=1")
            newest = read(site, "/posts/1/diff")
            same = read(site, "/posts/1/diff?from=2&to=2")
            for query in ("from=4", "to=9"):
                assert site.ask(f"/posts/1/diff?{query}").status_code == 404
            for query in ("from=x", "to=0", "from=-1", "from=1e9"):
                assert site.ask(f"/posts/1/diff?{query}").status_code == 400
    assert cells(shown) == [["title", "One", "Two"]]
    article = shown.xpath("//div[@class='article']")[0]
    assert [text(node) for node in article.xpath(".//del")] == ["[removed: slowly]", "[removed: Old.]"]
    assert [text(node) for node in article.xpath(".//ins")] == ["[added: quickly]"]
    said = text(shown)
    for part in ("Removed: a comment by Di", "Added: a comment by Ed", "Edited: a comment by Cy"):
        assert part in said
    assert cells(back) == [["title", "Two", "One"]]
    assert cells(newest) == [["title", "Two", "Three"]]
    assert "There are no differences." in text(same)


def test_a_change_of_the_markup_alone_is_told(tmp_path):
    with Archive.open(address(tmp_path)) as archive:
        archive.save_record(a_record("a"), now=NOW)
        archive.save_record(a_record("a", content_html="<p>Other</p>"), now=LATER)
        with browsing(archive, tmp_path) as site:
            assert "not its text" in site.page("/posts/1/diff")


def test_the_search_finds_marks_and_leads_to_the_comment(site):
    root = read(site, "/search?q=%22so+it+is%22&blog=1")
    assert "in a comment" in text(root)
    assert {text(mark) for mark in root.xpath("//mark")} == {"So it is"}
    assert all(url.endswith("#comment-2") for url in root.xpath("//h2/a/@href"))
    assert root.xpath("//input[@name='q']/@value") == ['"so it is"']
    everywhere = read(site, "/search?q=fine")
    assert len(everywhere.xpath("//ol[@class='results']/li")) == 3
    assert "No post has all these words" in site.page("/search?q=zzzz")
    site.page("/search")
    site.page("/search?q=%00%ff%F0%9F%8D%B5%22%27%2a()AND+NEAR")
    site.page("/search?q=" + "a" * 3000)


@pytest.mark.parametrize("odd", ODD_NUMBERS)
@pytest.mark.parametrize(
    "path", ["/blogs/{}", "/blogs/{}/posts", "/blogs/{}/gaps", "/blogs/{}/export/jsonl", "/posts/{}", "/posts/{}.json",
             "/posts/{}/versions", "/posts/{}/diff", "/search?q=a&blog={}", "/blogs/1/reports/{}", "/files/{}"]
)  # fmt: skip
def test_what_is_not_there_is_told_in_a_sentence(site, path, odd):
    answer = site.ask(path.format(odd))
    if path.startswith("/search") and not odd:
        return
    assert answer.status_code == 404, answer.text
    assert "<h1>Not found</h1>" in answer.text
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/blogs/1/posts?month=x",
        "/blogs/1/posts?month=2014-13",
        "/blogs/1/posts?month=%25",
        "/blogs/1/posts?page=0",
        "/blogs/1/posts?page=x",
        "/blogs/1/posts?page=9999999",
        "/search?q=a&page=-1",
    ],
)
def test_what_is_asked_wrongly_is_told_in_a_sentence(site, path):
    answer = site.ask(path)
    assert answer.status_code == 400
    assert "<h1>Wrong address</h1>" in answer.text


@pytest.mark.parametrize(
    "path",
    ["/nope", "/blogs", "/posts", "/static/../app.py", "/static/%2e%2e%2fapp.py", "/static/x", "/blogs/1/export/nope",
     "/blogs/1/reports/secret.html", "/blogs/1/reports/..%2f..%2farchive.db", "/files/..%2f..%2farchive.db",
     f"/files/{DIGEST}", f"/files/{DIGEST}.png.exe", f"/files/{'0' * 64}.png"],
)  # fmt: skip
def test_there_are_no_other_pages(site, path):
    assert site.ask(path).status_code == 404


def test_a_report_is_shown_and_can_do_nothing(site):
    answer = site.ask("/blogs/1/reports/20261124T112308Z-newcrawl.html")
    assert "<h1>Report</h1>" in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "script" not in policy
    data = site.ask("/blogs/1/reports/20261124T112308Z-newcrawl.json")
    assert data.headers["content-disposition"].startswith("attachment")


def test_odd_and_hostile_records_are_shown_as_text(tmp_path):
    comment = Comment("c", author=HOSTILE, author_url="javascript:alert(1)", content_text=HOSTILE, published=HOSTILE)
    hostile = a_record(
        "hostile",
        title=HOSTILE,
        authors=[HOSTILE],
        tags=[HOSTILE],
        language='en" onclick="alert(1)',
        published="2014-05-02",
        updated=HOSTILE,
        guid=HOSTILE,
        content_html=f'<a href="javascript:alert(1)">x</a><a href="JaVaScRiPt:alert(1)">y</a>{HOSTILE}',
        comments=[comment],
        media=[Media("javascript:alert(1)", error=HOSTILE, role=HOSTILE, type=HOSTILE)],
        provenance=Provenance(HOSTILE, generator=HOSTILE, fields={HOSTILE: FieldSource("rule", HOSTILE, 0.5)}),
    )
    with Archive.open(address(tmp_path)) as archive:
        archive.save_blog(ANN, title=HOSTILE, language=HOSTILE)
        archive.save_record(replace(hostile, title="Before"), now=NOW)
        archive.save_record(hostile, now=LATER)
        archive.save_record(a_record("odd", title=ODD, content_html=ODD, content_text=ODD, language=ODD), now=NOW)
        with browsing(archive, tmp_path) as site:
            paths = ["/", "/blogs/1", "/blogs/1/posts", "/blogs/1/gaps", "/posts/1", "/posts/2", "/posts/1/versions",
                     "/posts/1/diff", "/search?q=script", "/search?q=%3Cscript%3Ealert(1)%3C/script%3E"]  # fmt: skip
            for path in paths:
                root = read(site, path)
                assert not root.xpath("//script | //iframe | //object | //style"), path
                assert not [name for node in root.iter() for name in node.attrib if name.startswith("on")], path
                assert not [url for url in root.xpath("//@href | //@src") if "script:" in url.lower()], path


def test_a_post_whose_row_is_no_record_breaks_its_page_alone(tmp_path):
    with Archive.open(address(tmp_path)) as archive:
        archive.save_record(a_record("a"), now=NOW)
        with archive.transaction() as connection:
            connection.exec_driver_sql("UPDATE post SET media = '[{\"nope\": 1}]'")
        with browsing(archive, tmp_path) as site:
            answer = site.ask("/posts/1")
            assert answer.status_code == 500
            assert "blogcrawler verify" in answer.text
            assert "Traceback" not in answer.text
            site.page("/blogs/1")


def test_an_archive_that_is_gone_is_told(tmp_path):
    with filled(tmp_path) as archive, browsing(archive, tmp_path) as site:
        site.page("/blogs/1")
        (tmp_path / "archive.db").rename(tmp_path / "elsewhere.db")
        for path in ("/", "/blogs/1", "/posts/1", "/search?q=a", FILE, "/blogs/1/export/jsonl"):
            answer = site.ask(path)
            assert answer.status_code == 503, path
            assert "There is no archive at" in answer.text


def test_a_database_that_cannot_be_read_is_told(tmp_path):
    with filled(tmp_path) as archive, browsing(archive, tmp_path) as site:
        with archive.transaction() as connection:
            connection.exec_driver_sql("DROP TABLE post_version")
        answer = site.ask("/posts/1/versions")
        assert answer.status_code == 503
        assert "cannot be used" in answer.text


def test_headings_and_landmarks_are_in_order(site):
    for path in (
        "/",
        "/blogs/1",
        "/blogs/1/posts",
        "/blogs/1/gaps",
        "/search?q=fine",
        "/posts/1",
        "/posts/1/versions",
        "/posts/1/diff",
        "/posts/x1",
    ):
        root = html.fromstring(site.ask(path).content.decode())
        orders = [int(heading.tag[1]) for heading in root.iter("h1", "h2", "h3", "h4", "h5", "h6")]
        assert orders[0] == 1, path
        assert orders.count(1) == 1, path
        assert all(after <= before + 1 for before, after in pairwise(orders)), path
        assert root.xpath("/html/@lang") == ["en"]
        for name in ("main", "header[@class='banner']", "footer"):
            assert len(root.xpath(f"//{name}")) == 1, (path, name)
        assert root.xpath("//body/a[1]/@href") == ["#content"]
        assert not root.xpath("//script | //*[@style]")
        for table in root.xpath("//table[not(ancestor::div[@class='article'])]"):
            assert table.xpath("caption")
            assert not table.xpath(".//th[not(@scope)]")
        for field in root.xpath("//input[@type!='hidden'] | //select"):
            assert root.xpath(f"//label[@for='{field.get('id')}']")
        ids = root.xpath("//@id")
        assert len(ids) == len(set(ids)), path
