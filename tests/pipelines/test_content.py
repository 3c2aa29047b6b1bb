"""The second stage: a record's fields from its page and its feed entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from blogcrawler.items import Entry, FieldSource, Page, Record, RecordSource
from blogcrawler.pipelines.content import drop_doubtful, fill, holds_nothing
from blogcrawler.wrapper import Wrapper, learn
from tests.wrapper.pages import AUTHORS, OLD, POSTS, Post, classic, examples, layout, learned, prose, summaries

if TYPE_CHECKING:
    from collections.abc import Callable


def filled(one: Post, wrapper: Wrapper, entry: Entry | None, html: str | None = None) -> Record:
    page = Page(one.url, (html or classic(one)).encode(), "text/html; charset=utf-8")
    record = Record("http://blog.example.org/", one.url, source=RecordSource(page, wrapper, entry))
    fill(record)
    return record


@pytest.fixture(scope="module")
def wrapper() -> Wrapper:
    return learned(classic)


def test_the_feed_s_exact_values_win(wrapper: Wrapper) -> None:
    one = POSTS[0]
    title = f"{one.title}, after all"
    record = filled(one, wrapper, one.entry(title=title, authors=("Ann B. Archer",), tags=("one", "two")))
    assert (record.title, record.authors, record.tags) == (title, ["Ann B. Archer"], ["one", "two"])
    assert record.published == one.published.isoformat()
    assert {record.provenance.fields[name].source for name in ("title", "authors", "tags", "published")} == {"feed"}


def test_a_month_of_the_feed_is_the_date_where_the_page_tells_no_day_of_it(wrapper: Wrapper) -> None:
    one = OLD[0]
    month, other = f"{one.published:%Y-%m}", "2001-02"
    assert filled(one, wrapper, one.entry(published=month)).published == one.published.date().isoformat()
    assert filled(one, wrapper, one.entry(published=other)).published == other


def test_the_page_s_article_stays_where_it_is_the_feed_s(wrapper: Wrapper) -> None:
    record = filled(POSTS[0], wrapper, POSTS[0].entry())
    assert record.provenance.fields["content"].source == "rule"


@pytest.mark.parametrize(("second", "is_taken"), [(AUTHORS[1], True), ("Somebody Unknown", False)])
def test_a_second_author_who_writes_for_the_blog_is_not_lost_where_the_feed_tells_the_first(
    wrapper: Wrapper, second: str, *, is_taken: bool
) -> None:
    one = POSTS[0]
    byline = f'<a class="author" href="/a/">{one.author}</a>'
    page = classic(one).replace(byline, f'{byline}, <a class="author" href="/b/">{second}</a>')
    record = filled(one, wrapper, one.entry(), page)
    assert record.authors == ([one.author, second] if is_taken else [one.author])
    assert record.provenance.fields["authors"].source == ("rule" if is_taken else "feed")


def partly_lying(**changes: Callable[[Post], str]) -> Wrapper:
    """From a feed that says of every third post what is another's."""
    pages = []
    for one in POSTS:
        told = {name: value(POSTS[one.number - 1] if one.number % 3 == 1 else one) for name, value in changes.items()}
        pages += examples(classic, [one], **told)
    return learn(pages)


@pytest.mark.parametrize("other", POSTS[1:4])
def test_another_post_s_title_is_not_taken_from_the_feed(other: Post) -> None:
    wrapper = partly_lying(title=lambda one: one.title)
    record = filled(POSTS[0], wrapper, POSTS[0].entry(title=other.title))  # which the side bar lists
    assert record.title == POSTS[0].title
    assert record.provenance.fields["title"].source == "rule"


@pytest.mark.parametrize(
    "place", ["<p>Known as {}.</p>", '<p><a href="http://other.test/a/">{}</a></p>', '<a href="">{}</a>']
)
def test_a_title_that_the_page_says_elsewhere_is_the_feed_s(wrapper: Wrapper, place: str) -> None:
    one, title = POSTS[0], "Something altogether different"
    page = classic(one).replace(one.body, one.body + place.format(title))
    assert filled(one, wrapper, one.entry(title=title), page).title == title


@pytest.mark.parametrize("form", ["{} (updated)", "About {}", "{}"])
def test_an_edited_title_is_the_feed_s(wrapper: Wrapper, form: str) -> None:
    one = POSTS[0]
    title = form.format(one.title[:-3])
    assert filled(one, wrapper, one.entry(title=title)).title == title


@pytest.mark.parametrize("mark", ["...", "…", " [...]", " […]"])
@pytest.mark.parametrize("length", [12, 15, 18])
def test_a_title_that_the_feed_cuts_is_the_page_s(mark: str, length: int) -> None:
    def cut(one: Post) -> str:
        return one.title if len(one.title) <= length else f"{one.title[:length].rstrip()}{mark}"

    wrapper = learn([pair for one in POSTS for pair in examples(classic, [one], title=cut(one))])
    for one in POSTS[:3]:
        record = filled(one, wrapper, one.entry(title=cut(one)))
        assert record.title == one.title
        assert 0.8 <= record.provenance.fields["title"].confidence <= 0.99


@pytest.mark.parametrize(
    ("told", "shown"),
    [("To be continued…", "To be continued… in May"), ("Then again...", "Then again…"), ("…", "Here")],
)
def test_an_ellipsis_of_the_author_s_own_stays(wrapper: Wrapper, told: str, shown: str) -> None:
    one = POSTS[0]
    page = classic(one).replace(one.title, shown)
    assert filled(one, wrapper, one.entry(title=told), page).title == told


def test_a_title_that_the_page_has_in_no_heading_is_not_held_against_the_feed() -> None:
    def template(one: Post) -> str:
        return layout(f"<p class=t>{one.title}</p><div class=e>{one.body}</div>")

    one = POSTS[0]
    record = filled(one, learned(template), one.entry(title="Something else"), template(one))
    assert record.title == "Something else"


@pytest.mark.parametrize("other", POSTS[1:4])
def test_another_post_s_article_is_not_taken_from_the_feed(other: Post) -> None:
    wrapper = partly_lying(content_html=lambda one: one.body)
    record = filled(POSTS[0], wrapper, POSTS[0].entry(content_html=other.body))
    assert record.content_text == "\n\n".join(POSTS[0].paragraphs)
    assert record.provenance.fields["content"].source == "rule"


@pytest.mark.parametrize("around", ["<p>Log in to read this note.</p>", "<p>{other}</p></div><div class=x>{body}"])
def test_a_whole_article_of_the_feed_goes_before_a_notice_and_before_the_wrong_part_of_a_page(
    wrapper: Wrapper, around: str
) -> None:
    one = POSTS[0]
    page = classic(one).replace(one.body, around.format(other=prose("other", 150), body=one.body))
    record = filled(one, wrapper, one.entry(), page)
    assert record.content_text == "\n\n".join(one.paragraphs)
    assert record.provenance.fields["content"].source == "feed"


def test_a_beginning_in_the_feed_is_no_article(wrapper: Wrapper) -> None:
    one = POSTS[0]
    for changes in ({"content_html": f"<p>{one.summary}</p>"}, {"content_html": one.summary, "is_summary": True}):
        record = filled(one, wrapper, one.entry(**changes))
        assert record.content_text == "\n\n".join(one.paragraphs)


def test_a_page_that_shows_but_the_beginning_gives_way_to_a_longer_summary(wrapper: Wrapper) -> None:
    one = POSTS[0]
    shown = one.paragraphs[0]
    page = classic(one).replace(one.body, f"<p>{shown}</p><button>Read more</button>")
    assert one.body not in page
    for known, entry in ((wrapper, one.entry(is_summary=True)), (learn(summaries(classic)), one.entry())):
        record = filled(one, known, entry, page)
        assert record.provenance.fields["content"].source == "feed"
        assert len(record.content_text or "") > 2 * len(shown)


def test_summaries_never_replace_an_article() -> None:
    wrapper = learn(summaries(classic))
    one = POSTS[0]
    record = filled(one, wrapper, one.entry(content_html=f"<p>{prose('teaser', 200)}</p>"))
    assert record.content_text == "\n\n".join(one.paragraphs)


def test_what_a_feed_says_alike_of_all_posts_is_left_aside() -> None:
    wrapper = learned(classic, title="The quiet blog")
    record = filled(POSTS[0], wrapper, POSTS[0].entry(title="The quiet blog"))
    assert record.title == POSTS[0].title


def test_the_blog_s_name_is_left_out_of_the_feed_s_titles() -> None:
    wrapper = learn([pair for one in POSTS for pair in examples(classic, [one], title=f"[Log] {one.title}")])
    record = filled(POSTS[0], wrapper, POSTS[0].entry(title=f"[Log] {POSTS[0].title}"))
    assert record.title == POSTS[0].title


def test_doubtful_fields_are_emptied() -> None:
    record = Record(
        "http://a.example/", "http://a.example/b/", title="A", tags=["b"], content_html="<p>c", content_text="c"
    )
    record.provenance.fields = {
        "title": FieldSource("rule", "//h1", 0.49),
        "tags": FieldSource("rule", "//a", 0.5),
        "content": FieldSource("fallback", "lines", 0.2),
    }
    drop_doubtful(record, 0.5)
    assert (record.title, record.tags, record.content_html, record.content_text) == (None, ["b"], None, None)
    assert set(record.provenance.fields) == {"tags"}


@pytest.mark.parametrize(
    ("title", "content", "expected"),
    [(None, '<p><img src="/a.jpg"></p>', False), (None, "<p></p>", True), (None, None, True), ("A", None, False)],
)
def test_a_picture_alone_is_a_post(title: str | None, content: str | None, *, expected: bool) -> None:
    record = Record("http://a.example/", "http://a.example/b/", title=title, content_html=content, content_text="")
    assert holds_nothing(record) is expected


def test_an_old_post_s_fields_come_from_its_page(wrapper: Wrapper) -> None:
    one = OLD[0]
    record = filled(one, wrapper, None)
    assert (record.title, record.authors, record.tags) == (one.title, [one.author], list(one.tags))
    assert {source.source for source in record.provenance.fields.values()} <= {"rule", "metadata"}
