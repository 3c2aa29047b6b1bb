"""What becomes of told comments: their values, their place in the record, and what is learned of a blog."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from blogcrawler.browser import own_threads
from blogcrawler.dom import parse
from blogcrawler.feeds.sources import Answer
from blogcrawler.items import Comment, Entry, FieldSource, Page, Provenance, Record, RecordSource
from blogcrawler.pipelines.asking import header_links, told_comments
from blogcrawler.pipelines.comments import shows_no_others
from blogcrawler.pipelines.gathered import Gathered, put
from blogcrawler.pipelines.habits import MOST_EMPTY, MOST_IN_VAIN, SURE, Habits
from blogcrawler.pipelines.second_look import SecondLook

SITE = "http://blog.example.net"
POST = f"{SITE}/2014/05/a-post/"
API = '<link rel="https://api.w.org/" href="{}"><link rel="alternate" href="http://blog.example.net/wp-json/wp/v2/posts/45">'
ANSWER = [
    {
        "id": 12,
        "parent": 0,
        "author_name": "Bob",
        "author_url": "javascript:alert(1)",
        "date_gmt": "2014-05-02T10:00:00",
        "content": {"rendered": "<p>A <b onclick='x()'>text</b>.</p><script>x()</script>"},
        "link": f"{POST}comment-page-1/#comment-12",
        "type": "comment",
    },
    {
        "id": 13,
        "parent": 12,
        "author_name": "Cy &amp; Di",
        "author_url": "http://cy.example.org/",
        "date_gmt": "2014-05-02T11:00:00",
        "content": {"rendered": "<p>Yes.</p>"},
        "link": f"{POST}comment-page-1/#comment-13",
        "type": "pingback",
    },
]


def page(html: str, url: str = POST) -> Page:
    return Page(url, f"<html><head>{html}</head><body>{html}</body></html>".encode())


def thread(root: str = f"{SITE}/wp-json/", answer: object = ANSWER):
    (found,) = own_threads(page(API.format(root)).body, POST)
    if answer is not None:
        assert found.take(json.dumps(answer).encode(), headers={"x-wp-total": str(len(ANSWER))})
    return found


def test_an_answer_becomes_comments():
    told = told_comments(thread(), POST)
    bob, cy = told.comments
    assert (told.system, told.is_own) == ("WordPress", True)
    assert bob == Comment(
        "comment-12",
        None,
        "comment",
        "Bob",
        None,
        "2014-05-02T10:00:00+00:00",
        f"{POST}comment-page-1/#comment-12",
        "<p>A <b>text</b>.</p>",
        "A text.",
    )
    assert (cy.parent, cy.kind, cy.author, cy.author_url) == (
        "comment-12",
        "pingback",
        "Cy & Di",
        "http://cy.example.org/",
    )


@pytest.mark.parametrize(
    ("root", "url"),
    [
        (f"{SITE}/wp-json/", f"{SITE}/wp-json/wp/v2/comments?post=45&per_page=100&page=1&order=asc"),
        (f"{SITE}/?rest_route=/", f"{SITE}/?rest_route=/wp/v2/comments&post=45&per_page=100&page=1&order=asc"),
    ],
)
def test_where_the_api_of_a_page_is_asked(root, url):
    assert thread(root, None).next_question.url == url


@pytest.mark.parametrize("html", ["", "<p>postid-45</p>", '<link rel="https://api.w.org/" href="/wp-json/">'])
def test_pages_that_do_not_say_where_it_is(html):
    assert own_threads(page(html).body, POST) == []


def test_links_of_headers():
    header = f'<{SITE}/wp-json/>; rel="https://api.w.org/", <{SITE}/wp-json/wp/v2/posts/45>; rel="alternate"; type="x", <u>; rel=shortlink'
    found = header_links(Answer(POST, 200, headers={"link": header}))
    assert [tuple(link) for link in found] == [
        (f"{SITE}/wp-json/", "https://api.w.org/"),
        (f"{SITE}/wp-json/wp/v2/posts/45", "alternate"),
        ("u", "shortlink"),
    ]


@pytest.mark.parametrize(
    ("html", "is_all"),
    [
        ("<li id=comment-12>", True),
        ("<li id='comment-12'><li id=\"comment-13\">", True),
        ("<li id=comment-12><li id=comment-14>", False),
        ("<p>No anchors</p>", False),
        ("<li id=div-comment-14><li id=comment-12>", True),
    ],
)
def test_a_page_proves_what_an_api_told(html, is_all):
    assert shows_no_others(page(html), "comment-", told_comments(thread(), POST).comments) is is_all


def test_an_api_that_told_none_is_believed_where_the_page_shows_none():
    assert shows_no_others(page("<p>x</p>"), "comment-", [])
    assert not shows_no_others(page("<li id=comment-9>"), "comment-", [])


def record(*comments: Comment, count: int | None = None, told: bool = False) -> Record:
    fields = {"comments": FieldSource("feed", None, 0.99)} if told else {}
    return Record(SITE, POST, comments=list(comments), comment_count=count, provenance=Provenance(fields=fields))


def test_a_record_gets_each_comment_once_and_in_order():
    gathered, made = Gathered(), record(count=5)
    late, early = (Comment(id=f"c{n}", published=f"2014-05-0{n}T10:00:00Z", content_text=f"{n}") for n in (2, 1))
    gathered.add([late, early], is_whole=False, system="WordPress")
    gathered.add([late], is_whole=False)
    put(made, gathered)
    assert ([one.id for one in made.comments], made.comment_count) == (["c1", "c2"], 5)
    source = made.provenance.fields["comments"]
    assert (source.source, source.rule, source.confidence) == ("feed", "WordPress", 0.8)


@pytest.mark.parametrize(
    ("is_whole", "total", "before", "after"),
    [(True, None, None, 1), (True, None, 4, 1), (False, 7, None, 7), (False, None, None, None), (False, None, 0, 1)],
)
def test_how_many_there_are(is_whole, total, before, after):
    gathered, made = Gathered(), record(count=before)
    gathered.add([Comment(id="c1")], is_whole=is_whole, total=total)
    put(made, gathered)
    assert made.comment_count == after


def test_a_record_says_nothing_of_comments_where_nobody_answered():
    made = record()
    put(made, Gathered())
    assert (made.comments, made.comment_count, made.provenance.fields) == ([], None, {})


ONE, TWO = Comment(id="c1", content_text="old"), Comment(id="c2", content_text="old")


@pytest.mark.parametrize(
    ("now", "count", "kept"),
    [
        ([Comment(id="c2", content_text="new")], None, ["c1 old", "c2 new"]),
        ([Comment(id="c2", content_text="new")], 2, ["c1 old", "c2 new"]),
        ([Comment(id="c2", content_text="new")], 1, ["c2 new"]),
        ([], 0, []),
        ([], None, ["c1 old", "c2 old"]),
    ],
)
def test_what_is_kept_of_an_earlier_crawl(now, count, kept):
    later = record(*now, count=count)
    later.complete_from(record(ONE, TWO, count=2, told=True))
    assert [f"{one.id} {one.content_text}" for one in later.comments] == kept
    assert ("comments" in later.provenance.fields) == (not now and bool(kept))


def test_a_record_with_comments_is_the_same_after_json():
    made = record(ONE, TWO, count=2, told=True)
    assert Record.from_dict(json.loads(json.dumps(made.to_dict()))) == made


class TestHabits:
    """What the first posts teach."""

    @pytest.mark.parametrize("way", ["api", "entry", "page", "learned", "convention"])
    def test_a_way_in_vain_is_given_up(self, way):
        habits = Habits()
        for _ in range(MOST_IN_VAIN):
            assert habits.is_open(way)
            habits.learn(way, answered=False, comments=0)
        assert not habits.is_open(way)
        assert habits.is_settled(way)

    def test_a_way_that_has_answered_stays_open(self):
        habits = Habits()
        habits.learn("entry", answered=True, comments=2)
        for _ in range(50):
            habits.learn("entry", answered=False, comments=0)
            habits.learn("entry", answered=True, comments=0)
        assert habits.is_open("entry")

    def test_a_guess_that_is_always_empty_is_given_up(self):
        habits = Habits()
        for _ in range(MOST_EMPTY):
            assert habits.is_open("convention")
            habits.learn("convention", answered=True, comments=0)
        assert not habits.is_open("convention")

    def test_feeds_that_several_pages_name_are_the_blogs(self):
        habits = Habits()
        found = []
        for number in range(5):
            html = "".join(
                f'<link rel="alternate" type="application/rss+xml" href="{SITE}/{name}">'
                for name in ("feed/", f"talk/{number}.xml")
            )
            one = page(html, f"{SITE}/{number}/")
            found += [address.url for address in habits.addresses(one, parse(one.body), None)]
        assert found == [f"{SITE}/talk/{number}.xml" for number in range(2, 5)]

    def test_the_form_of_feeds_is_learned_from_entries(self):
        habits, one, other = Habits(), page(""), page("", f"{SITE}/older/")
        habits.addresses(one, parse(one.body), Entry(POST, comments_feed=f"{POST}talk.xml"))
        (address,) = habits.addresses(other, parse(other.body), None)
        assert (address.url, address.how) == (f"{SITE}/older/talk.xml", "learned")

    def test_a_page_without_anchors_has_no_comments_where_all_others_show_theirs(self):
        habits = Habits()
        for number in range(SURE):
            assert not habits.shows_none(page("<p>x</p>"))
            habits.see_comments(page(f"<li id=c{number}>"), [Comment(id=f"c{number}")])
        assert habits.shows_none(page("<p>x</p>"))
        assert not habits.shows_none(page("<li id=c99>"))
        habits.see_comments(page("<p>x</p>"), [Comment(id="c100")])
        assert not habits.shows_none(page("<p>x</p>"))

    @pytest.mark.parametrize("way", ["api", "entry", "page", "learned", "convention"])
    def test_what_was_learned_is_known_to_later_crawls(self, way):
        habits = Habits()
        for number in range(SURE):
            habits.learn(way, answered=False, comments=0)
            habits.see_comments(page(f"<li id=c{number}>"), [Comment(id=f"c{number}")])
        habits.can_page = False
        later = Habits.from_dict(json.loads(json.dumps(habits.to_dict())))
        assert not later.is_open(way)
        assert not later.can_page
        assert later.shows_none(page("<p>x</p>"))
        assert not later.shows_none(page("<li id=c99>"))
        assert later.to_dict() == habits.to_dict()

    @pytest.mark.parametrize("state", [{}, {"ways": {"api": {"other": 1}}}, {"can_page": True, "ways": 3}])
    def test_what_another_version_has_kept_is_forgotten(self, state):
        assert Habits.from_dict(state).to_dict() == Habits().to_dict()

    def test_what_another_spider_has_learned_is_known_here_too_and_counts_once(self):
        own, other = Habits(), Habits()
        shown = page('<li id="c1">A</li>')
        for _ in range(SURE):
            other.see_comments(shown, [Comment("c1")])
            other.learn("entry", answered=True, comments=1)
        for _ in range(MOST_IN_VAIN - 1):
            own.learn("convention", answered=False, comments=0)
        for _ in range(2):
            own.take_in(json.loads(json.dumps(other.to_dict())))
            other.take_in(json.loads(json.dumps(own.to_dict())))
        assert own.to_dict() == other.to_dict()
        assert own.shows_none(page("nothing"))
        assert not own.shows_none(shown)
        assert own.is_settled("entry")
        assert own.is_open("convention")

    def test_posts_with_comments_that_several_spiders_have_seen_count_together(self):
        spiders = [Habits() for _ in range(SURE)]
        shown = page('<li id="c1">A</li>')
        for one in spiders[1:]:
            one.see_comments(shown, [Comment("c1")])
        for _ in range(2):
            for one in spiders[1:]:
                spiders[0].take_in(json.loads(json.dumps(one.to_dict())))
        assert not spiders[0].shows_none(page("nothing")), "they have seen one too few, however often they tell it"
        spiders[0].see_comments(shown, [Comment("c1")])
        assert spiders[0].shows_none(page("nothing"))

    def test_what_one_that_counts_no_spiders_has_kept_is_known(self):
        kept = {**Habits().to_dict(), "anchors": ["c", SURE, 0]}
        assert Habits.from_dict(kept).shows_none(page("nothing"))

    def test_where_spiders_have_seen_comments_at_other_anchors_these_tell_nothing(self):
        own, other = Habits(), Habits()
        for _ in range(SURE):
            own.see_comments(page('<li id="c1">A</li>'), [Comment("c1")])
            other.see_comments(page('<li id="remark-1">A</li>'), [Comment("remark-1")])
        own.take_in(other.to_dict())
        assert not own.shows_none(page("nothing"))


@pytest.mark.parametrize(
    ("html", "told", "count"),
    [
        ("<h3>0 comments</h3>", None, 0),
        ("<h3>2 comments</h3>", None, 2),
        ("<h3>2 comments</h3>", 5, 5),
        ("<h3>0 comments</h3><div id=disqus_thread></div>", None, None),
        ("<h3>2 comments</h3><div id=disqus_thread></div>", None, 2),
    ],
)
def test_a_page_says_how_many_comments_there_are_unless_a_script_is_to_say_it(html, told, count):
    item = Record(SITE, POST, comment_count=told, source=RecordSource(page(html), None))
    assert SecondLook(SimpleNamespace()).announced(item) == count


def test_a_number_that_all_pages_say_is_not_that_of_any_post():
    def post(html):
        return Record(SITE, POST, source=RecordSource(page(html), None))

    look, same, other = SecondLook(SimpleNamespace()), "<aside>1204 comments</aside>", "<p>2 comments</p>"
    for _ in range(3):
        look.see(post(same))
    assert look.announced(post(same)) is None
    look.see(post(other))
    assert [look.announced(post(html)) for html in (same, other)] == [1204, 2]
    none = SecondLook(SimpleNamespace())
    for _ in range(3):
        none.see(post("<p>0 comments</p>"))
    assert none.announced(post("<p>0 comments</p>")) == 0
