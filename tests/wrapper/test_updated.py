"""When a post was last changed: by rules that the feed proves, or in a vocabulary that it does not disprove."""

from __future__ import annotations

import datetime as dt

import pytest

from blogcrawler.dom import parse
from blogcrawler.items import Entry, Page, Record, RecordSource
from blogcrawler.pipelines.content import fill
from blogcrawler.wrapper import Example, Wrapper, learn
from tests.wrapper.pages import OLD, POSTS, Post, Template, layout


def changed(one: Post) -> dt.datetime:
    """The last change; every third post was never changed."""
    return one.published + dt.timedelta(days=0 if one.number % 3 == 0 else 5 + one.number)


CHANGED = [changed(one).isoformat() if changed(one) > one.published else None for one in OLD]
DAYS = [told[:10] if told else None for told in CHANGED]


def shown(head: str = "", text: str = "") -> Template:
    def template(one: Post) -> str:
        values = {
            "published": one.published.isoformat(),
            "changed": changed(one).isoformat(),
            "day": f"{one.published:%d %B %Y}",
            "changed_day": f"{changed(one):%d %B %Y}",
        }
        main = f"<h1>{one.title}</h1><p class=d>{values['day']}</p>{text}<div class=e>{one.body}</div>"
        return layout(main.format(**values), head=head.format(**values))

    return template


def learned(template: Template, *, told: bool) -> Wrapper:
    return learn(
        Example(parse(template(one)), one.entry(updated=changed(one).isoformat() if told else None), one.url)
        for one in POSTS
    )


def found(wrapper: Wrapper, template: Template) -> list[str | None]:
    return [wrapper.extract(parse(template(one)), one.url).updated for one in OLD]


PLACES = [
    '<meta property="article:modified_time" content="{changed}">',
    '<meta property="og:updated_time" content="{changed}">',
    '<meta name="dcterms.modified" content="{changed}">',
    '<script type="application/ld+json">{{"@type":"BlogPosting","dateModified":"{changed}"}}</script>',
]


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("head", PLACES)
def test_standard_vocabularies(head: str, told: bool) -> None:
    template = shown(head)
    wrapper = learned(template, told=told)
    assert found(wrapper, template) == CHANGED
    source = wrapper.extract(parse(template(OLD[0])), OLD[0].url).sources["updated"]
    assert source.source == ("rule" if told else "metadata")


@pytest.mark.parametrize("name", ['class="entry-date updated"', 'itemprop="dateModified"'])
def test_microformats_and_microdata(name: str) -> None:
    template = shown(text=f'<time {name} datetime="{{changed}}">{{changed_day}}</time>')
    assert found(learned(template, told=False), template) == CHANGED


def test_a_text_that_the_feed_proves() -> None:
    template = shown(text="<p class=u>Last edited on {changed_day}</p>")
    assert found(learned(template, told=True), template) == DAYS
    assert found(learned(template, told=False), template) == [None] * len(OLD)


def test_the_second_date_of_a_text() -> None:
    template = shown(text="<p class=d>Posted {day}, edited {changed_day}</p>")
    wrapper = learned(template, told=True)
    assert found(wrapper, template) == DAYS
    assert [wrapper.extract(parse(template(one))).published for one in OLD] == [
        one.published.date().isoformat() for one in OLD
    ]


def test_what_the_feed_disproves_is_not_believed() -> None:
    template = shown('<meta property="article:modified_time" content="{changed}">')
    pages = [Example(parse(template(one)), one.entry(updated=one.published.isoformat()), one.url) for one in POSTS]
    assert found(learn(pages), template) == [None] * len(OLD)


def test_the_day_when_the_site_was_built_is_no_change() -> None:
    template = shown('<meta property="article:modified_time" content="2014-12-24T10:00:00+01:00">')
    assert found(learned(template, told=False), template) == [None] * len(OLD)


def test_nothing_changed_is_nothing_told() -> None:
    template = shown('<meta property="article:modified_time" content="{published}">')
    assert found(learned(template, told=False), template) == [None] * len(OLD)


def filled(entry: Entry | None) -> Record:
    template = shown('<meta property="article:modified_time" content="{changed}">')
    page = Page(OLD[0].url, template(OLD[0]).encode(), fetched="2015-01-01T00:00:00+00:00")
    record = Record("http://blog.test/", OLD[0].url)
    record.material = RecordSource(page, learned(template, told=False), entry)
    fill(record)
    return record


def test_the_feed_s_own_value_goes_before_the_page_s() -> None:
    exact = (changed(OLD[0]) + dt.timedelta(hours=3)).isoformat()
    assert filled(None).updated == CHANGED[0]
    record = filled(OLD[0].entry(updated=exact))
    assert (record.updated, record.provenance.fields["updated"].source) == (exact, "feed")


def test_what_the_feed_says_was_not_changed_has_no_change() -> None:
    record = filled(OLD[0].entry(updated=OLD[0].published.isoformat()))
    assert record.updated is None
    assert "updated" not in record.provenance.fields


def test_rules_survive_keeping() -> None:
    wrapper = learned(shown(text="<p class=u>Last edited on {changed_day}</p>"), told=True)
    assert Wrapper.from_dict(wrapper.to_dict()) == wrapper


@pytest.mark.parametrize(
    "line",
    ["Last updated {changed_day} · Published {day}", "{day} (modified {changed_day})", "{day}, updated: {changed_day}"],
)
def test_what_the_line_of_the_date_calls_an_update(line: str) -> None:
    template = line_of_dates(line)
    wrapper = Wrapper.from_dict(learned(template, told=False).to_dict())
    assert found(wrapper, template) == DAYS
    for one in OLD:
        extracted = wrapper.extract(parse(template(one)), one.url)
        assert extracted.published == f"{one.published:%Y-%m-%d}"
        assert "updated" not in extracted.sources or extracted.sources["updated"].confidence < 0.9


@pytest.mark.parametrize("line", ["{day}, on stage {changed_day}", "{day} (site updated 5 January 2024)"])
def test_other_dates_beside_the_date_are_no_updates(line: str) -> None:
    template = line_of_dates(line)
    assert found(learned(template, told=False), template) == [None] * len(OLD)


def line_of_dates(line: str) -> Template:
    return lambda one: shown()(one).replace(
        f"<p class=d>{one.published:%d %B %Y}</p>",
        f"<p class=d>{line.format(day=f'{one.published:%d %B %Y}', changed_day=f'{changed(one):%d %B %Y}')}</p>",
    )
