"""The second stage: a record's fields from its page and its feed entry."""

from __future__ import annotations

import pytest

from blogcrawler.dom import parse
from blogcrawler.items import Entry, FieldSource, Page, Record, RecordSource
from blogcrawler.pipelines.content import drop_doubtful, fill
from blogcrawler.wrapper import Wrapper, learn
from tests.wrapper.pages import OLD, POSTS, Post, classic, examples, learned, prose, summaries


def filled(one: Post, wrapper: Wrapper, entry: Entry | None, html: str | None = None) -> Record:
    page = Page(one.url, (html or classic(one)).encode(), "text/html; charset=utf-8")
    record = Record("http://blog.example.org/", one.url)
    fill(record, RecordSource(page, wrapper, entry), parse(page.body, content_type=page.content_type))
    return record


@pytest.fixture(scope="module")
def wrapper() -> Wrapper:
    return learned(classic)


def test_the_feed_s_exact_values_win(wrapper: Wrapper) -> None:
    one = POSTS[0]
    entry = one.entry(title="As the feed has it", authors=("Ann B. Archer",), tags=("one", "two"))
    record = filled(one, wrapper, entry)
    assert (record.title, record.authors, record.tags) == ("As the feed has it", ["Ann B. Archer"], ["one", "two"])
    assert record.published == one.published.isoformat()
    assert {record.provenance.fields[name].source for name in ("title", "authors", "tags", "published")} == {"feed"}


def test_the_page_s_article_stays_where_it_is_the_feed_s(wrapper: Wrapper) -> None:
    record = filled(POSTS[0], wrapper, POSTS[0].entry())
    assert record.provenance.fields["content"].source == "rule"


def test_a_whole_article_of_the_feed_goes_before_another_text_of_the_page(wrapper: Wrapper) -> None:
    one = POSTS[0]
    page = classic(one).replace(one.body, f"<p>{prose('other', 150)}</p>")
    record = filled(one, wrapper, one.entry(), page)
    assert record.content_text == "\n\n".join(one.paragraphs)
    assert record.provenance.fields["content"].source == "feed"


def test_a_beginning_in_the_feed_is_no_article(wrapper: Wrapper) -> None:
    one = POSTS[0]
    for changes in ({"content_html": f"<p>{one.summary}</p>"}, {"content_html": one.summary, "is_summary": True}):
        record = filled(one, wrapper, one.entry(**changes))
        assert record.content_text == "\n\n".join(one.paragraphs)


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


def test_an_old_post_s_fields_come_from_its_page(wrapper: Wrapper) -> None:
    one = OLD[0]
    record = filled(one, wrapper, None)
    assert (record.title, record.authors, record.tags) == (one.title, [one.author], list(one.tags))
    assert {source.source for source in record.provenance.fields.values()} <= {"rule", "metadata"}
