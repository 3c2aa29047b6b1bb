"""`blogcrawler blogs`, `blogs add` and `--opml`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from blogcrawler.backend import Archive, Bounds, Holder
from blogcrawler.items import Record
from tests.crawl.running import DATABASE, PROGRAM, has_traceback, run

NOW = datetime.now(UTC)
DAY = timedelta(days=1)
BOUNDS = Bounds(DAY, 7 * DAY)
OUTLINE = '<outline text="{}" xmlUrl="{}" htmlUrl="{}"/>'
LIST = [
    ("Ann", "http://ann.example.org/feed", "http://ann.example.org/"),
    ("Bo", "http://bo.example.org/rss", ""),
    ("Files", "file:///etc/passwd", ""),
    ("Nobody", "http://", "http://a b/"),
]


def command(folder, *arguments, anew=False):
    done = run(folder, [*PROGRAM, "blogs", *arguments, "-s", f"DATABASE_URL=sqlite:///{DATABASE}"], anew=anew)
    assert not has_traceback(done)
    return done


def archive(folder):
    return Archive.open(f"sqlite:///{folder / DATABASE}")


def wanted(folder):
    with archive(folder) as opened:
        return [one.url for one in opened.register.wanted()]


def rows(folder):
    """What the table shows, by blog."""
    done = command(folder)
    assert (done.code, done.stderr) == (0, "")
    cells = [[cell.strip() for cell in line.strip("│").split("│")] for line in done.stdout.splitlines() if "│" in line]
    return {first: rest for first, *rest in cells}


def opml(folder, feeds=LIST):
    file = folder / "feeds.opml"
    outlines = "".join(OUTLINE.format(*feed) for feed in feeds)
    file.write_text(f'<opml version="2.0"><body><outline text="All">{outlines}</outline></body></opml>')
    return "feeds.opml"


# ------------------------------------------------------------------------------------------------------------- taking in


def test_blogs_are_taken_in_once_however_they_are_spelled(tmp_path):
    done = command(
        tmp_path, "add", "http://ann.example.org/", "bo.example.org", "https://www.ann.example.org", anew=True
    )
    assert (done.code, done.stdout, done.stderr) == (0, "2 blogs added.\n", "")
    again = command(tmp_path, "add", "http://bo.example.org/", "http://cy.example.org/")
    assert (again.code, again.stdout) == (0, "1 blog added, 1 blog already known.\n")
    assert sorted(map(Archive.key_of, wanted(tmp_path))) == ["ann.example.org/", "bo.example.org/", "cy.example.org/"]


def test_what_is_in_the_archive_is_not_taken_in(tmp_path):
    with archive(tmp_path) as opened:
        opened.save_addresses("http://ann.example.org/", ["http://ann.example.org/", "http://ann.example.org/feed"])
    assert command(tmp_path, "add", "https://ann.example.org/feed").stdout == "0 blogs added, 1 blog already known.\n"
    feed_alone = [("Ann", "http://ann.example.org/feed", "http://stale.example.org/")]
    assert command(tmp_path, "add", "--opml", opml(tmp_path, feed_alone)).stdout.startswith("0 blogs added")
    assert wanted(tmp_path) == []


def test_home_page_and_feed_of_a_blog_are_one(tmp_path):
    """As the list says: in one call, in whatever order, and where one of them is wanted already."""
    ann = ("Ann", "http://ann.example.org/feed", "http://ann.example.org/")
    lists = [ann, ("Ann's comments", "http://ann.example.org/comments", "http://ann.example.org/"), LIST[1]]
    done = command(
        tmp_path,
        "add",
        "https://ann.example.org/comments",
        "http://www.ann.example.org",
        "--opml",
        opml(tmp_path, lists),
    )
    assert (done.code, done.stdout) == (0, "2 blogs added.\n")
    assert wanted(tmp_path) == ["https://ann.example.org/comments", "http://bo.example.org/rss"]
    other = [("Bo", "http://bo.example.org/rss", "http://bo.example.org/"), ("Cy", "http://cy.example.org/rss", "")]
    done = command(tmp_path, "add", "--opml", opml(tmp_path, other))
    assert done.stdout == "1 blog added, 1 blog already known.\n"
    assert len(wanted(tmp_path)) == 3


def test_a_feed_where_feeds_usually_are_is_one_with_its_home_page(tmp_path):
    """Whichever came in before the other; feeds at other addresses may be of other blogs."""
    command(tmp_path, "add", "http://ann.example.org/", "http://bo.example.org/words/feed/", "http://cy.example.org/")
    done = command(tmp_path, "add", "http://www.ann.example.org/feed", "http://bo.example.org/words/")
    assert done.stdout == "0 blogs added, 2 blogs already known.\n"
    alone = [("Ann", "http://ann.example.org/rss.xml", ""), ("Cy", "http://cy.example.org/tea.xml", "")]
    assert command(tmp_path, "add", "--opml", opml(tmp_path, alone)).stdout.startswith(
        "1 blog added, 1 blog already known"
    )
    both = [("Cy's tea", "http://cy.example.org/feed", "http://cy.example.org/teapots/")]
    assert command(tmp_path, "add", "--opml", opml(tmp_path, both)).stdout == "1 blog added.\n"


def test_of_a_damaged_list_what_can_be_read_is_taken_in(tmp_path):
    (tmp_path / "feeds.opml").write_text('<opml><outline xmlUrl="http://ann.example.org/?a=1&b=2"/><outline xmlUrl="ht')
    done = command(tmp_path, "add", "--opml", "feeds.opml")
    assert (done.code, done.stdout) == (1, "1 blog added.\n")
    assert wanted(tmp_path) == ["http://ann.example.org/?a=1&b=2"]
    assert len(done.sentences) == 1
    assert "feeds.opml is damaged at line 1. The readable feeds were added" in done.sentences[0]


@pytest.mark.parametrize("address", ["ftp://x.example", "http://", "", "http://a b/", "http://user@a.example/"])
def test_an_address_that_cannot_be_used_takes_nothing_in(tmp_path, address):
    done = command(tmp_path, "add", "http://ann.example.org/", address)
    assert (done.code, done.stdout, len(done.sentences)) == (2, "", 1)
    assert not (tmp_path / DATABASE).exists()


def test_of_a_list_the_others_are_taken_in_and_the_bad_ones_named(tmp_path):
    done = command(tmp_path, "add", "--opml", opml(tmp_path))
    assert (done.code, done.stdout) == (1, "2 blogs added.\n")
    assert sorted(wanted(tmp_path)) == ["http://ann.example.org/", "http://bo.example.org/rss"]
    assert len(done.sentences) == len(done.stderr.splitlines()) == 2
    assert "feeds.opml (Files) was not added: " in done.sentences[0]
    assert "file:" in done.sentences[0]
    assert "feeds.opml (Nobody) was not added: " in done.sentences[1]


def test_a_list_of_good_feeds_and_addresses_beside_it(tmp_path):
    done = command(tmp_path, "add", "http://cy.example.org/", "--opml", opml(tmp_path, LIST[:2]))
    assert (done.code, done.stdout, done.stderr) == (0, "3 blogs added.\n", "")


@pytest.mark.parametrize(
    ("name", "body", "code", "said"),
    [
        ("none.opml", None, 2, "none.opml cannot be read"),
        ("page.html", b"<html><body>no</body></html>", 1, "page.html is not OPML"),
        ("empty.opml", b"", 1, "empty.opml is not OPML"),
        ("no-feeds.opml", b'<opml><body><outline text="Mine"/></body></opml>', 1, "no-feeds.opml has no feeds"),
        ("noise", bytes(range(256)), 1, "noise is not OPML"),
    ],
)
def test_a_list_that_cannot_be_read_takes_nothing_in(tmp_path, name, body, code, said):
    if body is not None:
        (tmp_path / name).write_bytes(body)
    done = command(tmp_path, "add", "http://ann.example.org/", "--opml", name)
    assert (done.code, done.stdout, len(done.sentences)) == (code, "", 1)
    assert said in done.sentences[0]
    assert not (tmp_path / DATABASE).exists()


def test_titles_of_a_list_write_nothing_of_their_own(tmp_path):
    title = "&#27;[31mred&#10;blogcrawler: all is well " + "x" * 1000
    done = command(tmp_path, "add", "--opml", opml(tmp_path, [(title, "file:///x", "")]))
    assert len(done.stderr.splitlines()) == 1
    assert "\x1b" not in done.stderr
    assert len(done.stderr) < 500


@pytest.mark.parametrize(
    "arguments",
    [["add"], ["remove"], ["take", "http://a.example/"], ["--opml", "feeds.opml"]],
    ids=lambda given: given[0],
)
def test_wrong_usage(tmp_path, arguments):
    done = command(tmp_path, *arguments)
    assert (done.code, done.stdout, len(done.sentences)) == (2, "", 1)
    assert "add" in done.sentences[0]
    assert not (tmp_path / DATABASE).exists()


def test_a_blog_that_is_removed_is_not_due_until_it_is_taken_in_again(tmp_path):
    home = "http://ann.example.org/"
    with archive(tmp_path) as opened:
        opened.start_crawl(home, now=NOW - DAY)
        opened.finish_crawl(home, now=NOW, reason="finished")
        opened.save_addresses(home, [home, f"{home}feed"])
        opened.save_record(Record(blog=home, url=f"{home}a"), now=NOW)
        opened.register.set_due(home, NOW - DAY)
    command(tmp_path, "add", "http://bo.example.org/rss.xml", "http://cy.example.org/")
    done = command(tmp_path, "remove", f"{home}feed", "http://bo.example.org/", "http://di.example.org/")
    assert (done.code, done.stdout) == (1, "2 blogs removed from monitoring. Archived posts are kept.\n")
    assert len(done.sentences) == 1
    assert "http://di.example.org/" in done.sentences[0]
    with archive(tmp_path) as opened:
        assert [due.url for due in opened.register.due(datetime.now(UTC))] == ["http://cy.example.org/"]
        assert opened.count(home) == 1
    last = f"{NOW - DAY:%Y-%m-%d %H:%M}"
    assert rows(tmp_path)[home] == ["1", "0", last, "", "removed"]
    assert command(tmp_path, "add", home).stdout == "1 blog added.\n"
    assert rows(tmp_path)[home] == ["1", "0", last, "now", "complete"]


# --------------------------------------------------------------------------------------------------------------- listing


def test_the_table_shows_what_became_of_each_blog(tmp_path):
    homes = {name: f"http://{name}.example.org/" for name in ("whole", "part", "failed", "busy", "killed")}
    with archive(tmp_path) as opened:
        for name, home in homes.items():
            opened.start_crawl(home, now=NOW - DAY)
            if name not in ("busy", "killed"):
                opened.finish_crawl(home, now=NOW, reason="finished", complete=name != "part")
                opened.register.set_due(home, NOW + DAY)
        for path in "abc":
            opened.save_record(Record(blog=homes["whole"], url=f"{homes['whole']}{path}"), now=NOW)
        opened.mark_gone(homes["whole"], f"{homes['whole']}b", now=NOW)
        opened.register.note_failure("", homes["failed"], "It does not answer.", BOUNDS, now=NOW)
        opened.leases.claim(opened.key_of(homes["busy"]), str(Holder.new()), now=datetime.now(UTC))
        opened.register.want({"x.example/": "http://x.example/", "y.example/": "http://y.example/"}, now=NOW)
        opened.register.note_failure("y.example/", None, "No feed was found.", BOUNDS, now=NOW)
        shown = rows(tmp_path)
    last, tomorrow, today = (f"{time:%Y-%m-%d %H:%M}" for time in (NOW - DAY, NOW + DAY, NOW))
    assert shown == {
        homes["whole"]: ["3", "1", last, tomorrow, "complete"],
        homes["part"]: ["0", "0", last, tomorrow, "cut short"],
        homes["failed"]: ["0", "0", last, tomorrow, "failed: It does not answer."],
        homes["busy"]: ["0", "0", last, "", "is being crawled"],
        homes["killed"]: ["0", "0", last, "now", "cut short"],
        "http://x.example/": ["0", "0", "never", "now", "not crawled yet"],
        "http://y.example/": ["0", "0", today, tomorrow, "failed: No feed was found."],
    }


def test_without_an_archive_or_blogs_it_says_what_to_do(tmp_path):
    done = command(tmp_path)
    assert (done.code, len(done.sentences)) == (1, 1)
    assert "blogs add http://blog.example.org/" in done.sentences[0]
    assert not (tmp_path / DATABASE).exists()
    archive(tmp_path).close()
    done = command(tmp_path)
    assert done.code == 1
    assert "blogs add http://blog.example.org/" in done.sentences[0]
