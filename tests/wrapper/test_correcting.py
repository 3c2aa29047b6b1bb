"""What a person points out on one page corrects all pages."""

from __future__ import annotations

import json
from dataclasses import replace
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.choices import CORRECTABLE
from blogcrawler.dom import inline_text, parse
from blogcrawler.errors import NotEnoughExamples
from blogcrawler.wrapper import (
    Corrected,
    Correction,
    Example,
    Wrapper,
    learn,
    learn_corrected,
    node_at,
    path_of,
)
from tests.wrapper.pages import OLD, POSTS, article, classic, examples, extracted, layout, modern, prose, recent, words


def decked(one):
    """A theme with a line of its own above each post, which a feed may take for the title."""
    main = f"""<div class="entry"><p class="deck">{escape(deck(one))}</p>
<h2 class="name">{escape(one.title)}</h2>
<p class="meta">Written by {one.author} on <time datetime="{one.published.isoformat()}">{one.published:%d/%m/%Y}</time>,
last change <span class="changed">2020-0{1 + one.number % 9}-1{one.number % 9}</span></p>
<blockquote class="summary">{prose(f"summary{one.number}", 60)}</blockquote>
<div class="text">{one.body}</div>
<ul class="labels">{"".join(f"<li><a href='/t/{tag.lower()}'>{tag}</a></li>" for tag in one.tags)}</ul></div>"""
    return layout(main, title=deck(one), side=recent())


def deck(one):
    return prose(f"deck{one.number}", 5)


def corrected(template, one, xpath, field, words=None, **entry):
    """A page on which somebody has pointed out an element."""
    tree = parse(template(one))
    (node,) = tree.xpath(xpath)
    return Corrected(Example(tree, one.entry(**entry), one.url), (Correction(field, path_of(node), words),))


def entries(template, of):
    """Training pages whose feed says of each post what `of` tells."""
    return [Example(parse(template(one)), one.entry(**of(one)), one.url) for one in POSTS]


def test_a_title_that_was_pointed_out_once_is_found_everywhere():
    training = entries(decked, lambda one: {"title": deck(one)})
    assert extracted(learn(training), decked, OLD[0]).title == deck(OLD[0])
    wrapper = learn_corrected(training, [corrected(decked, POSTS[3], "//h2", "title", title=deck(POSTS[3]))])
    for one in (*OLD, *POSTS):
        found = extracted(wrapper, decked, one)
        assert found.title == one.title
        assert (words(found), found.published) == (article(one), one.published.isoformat())
    assert "title" in wrapper.distrusted
    assert wrapper.pinned(POSTS[3].url) == {"title"}
    assert not wrapper.pinned(POSTS[4].url)


def test_a_feed_is_not_believed_where_posts_that_it_lacks_show_it_wrong():
    training = entries(decked, lambda one: {"title": deck(one)})
    wrapper = learn_corrected(training, [corrected(decked, OLD[0], "//h2", "title", title=None)])
    assert [extracted(wrapper, decked, one).title for one in (*OLD, *POSTS)] == [one.title for one in (*OLD, *POSTS)]
    assert "title" in wrapper.distrusted


def test_names_that_only_one_post_has_make_no_rule():
    """As headings have that are made from Markdown."""

    def named(one):
        return decked(one).replace('<h2 class="name">', f'<h2 id="{one.slug}">')

    training = entries(named, lambda one: {"title": deck(one)})
    wrapper = learn_corrected(training, [corrected(named, OLD[0], "//h2", "title", title=None)])
    assert [extracted(wrapper, named, one).title for one in (*OLD, *POSTS)] == [one.title for one in (*OLD, *POSTS)]


def test_one_of_two_templates_shows_it_for_both():
    def either(one):
        page = decked(one)
        return page.replace('class="entry"', 'class="photo"').replace("<h2", "<div><h2") if one.number % 2 else page

    training = entries(either, lambda one: {"title": deck(one)})
    wrapper = learn_corrected(training, [corrected(either, OLD[0], "//h2", "title", title=None)])
    assert [extracted(wrapper, either, one).title for one in (*OLD, *POSTS)] == [one.title for one in (*OLD, *POSTS)]


def test_a_feed_is_believed_where_a_page_is_unlike_those_that_it_has():
    def older(one):
        return modern(one).replace("<h1", "<h4>Notes</h4><h1").replace("h1", "h3").replace(' itemprop="headline"', "")

    pointed = corrected(older, OLD[0], "//h3[text()!='Recent posts']", "title", title=None)
    wrapper = learn_corrected(examples(modern), [pointed])
    assert "title" not in wrapper.distrusted
    assert [extracted(wrapper, modern, one).title for one in OLD] == [one.title for one in OLD]


def test_a_feed_with_most_of_each_title_is_not_believed():
    def longer(one):
        return decked(one).replace("</h2>", " II</h2>")

    training = entries(longer, lambda one: {"title": one.title})
    wrapper = learn_corrected(training, [corrected(longer, POSTS[3], "//h2", "title")])
    assert extracted(wrapper, longer, OLD[0]).title == f"{OLD[0].title} II"
    assert "title" in wrapper.distrusted


def test_a_feed_with_some_of_the_tags_is_not_believed():
    def labelled(one):
        return decked(replace(one, tags=(*one.tags, f"Label{one.number}")))

    training = entries(labelled, lambda one: {"tags": one.tags})
    wrapper = learn_corrected(training, [corrected(labelled, POSTS[3], "//ul[@class='labels']", "tags")])
    assert "tags" in wrapper.distrusted


def test_a_feed_that_agrees_is_still_believed():
    training = examples(decked)
    wrapper = learn_corrected(training, [corrected(decked, OLD[0], "//h2", "title")])
    assert "title" not in wrapper.distrusted
    assert all(extracted(wrapper, decked, one).title == one.title for one in OLD)


def test_titles_of_a_feed_without_titles():
    training = entries(decked, lambda _: {"title": None})
    wrapper = learn_corrected(training, [corrected(decked, OLD[0], "//h2", "title", title=None)])
    assert [extracted(wrapper, decked, one).title for one in OLD] == [one.title for one in OLD]


def test_authors_by_their_element():
    training = entries(classic, lambda _: {"authors": ("The editors",)})
    wrapper = learn_corrected(
        training, [corrected(classic, POSTS[0], "//a[@class='author']", "authors", authors=("The editors",))]
    )
    assert [extracted(wrapper, classic, one).authors for one in OLD] == [[one.author] for one in OLD]


def test_authors_by_some_words_of_an_element():
    training = entries(decked, lambda _: {"authors": ("The editors",)})
    one = POSTS[0]
    pointed = corrected(decked, one, "//p[@class='meta']", "authors", one.author, authors=("The editors",))
    other = corrected(decked, POSTS[1], "//p[@class='meta']", "authors", POSTS[1].author, authors=("The editors",))
    wrapper = learn_corrected(training, [pointed, other])
    assert [extracted(wrapper, decked, one).authors for one in OLD] == [[one.author] for one in OLD]


@pytest.mark.parametrize(
    ("template", "xpath"), [(decked, "//time"), (modern, "//time"), (classic, "//*[@class='date']")]
)
def test_dates(template, xpath):
    wrong = {"published": "2021-01-01T00:00:00+00:00"}
    training = entries(template, lambda _: wrong)
    wrapper = learn_corrected(training, [corrected(template, POSTS[2], xpath, "published", **wrong)])
    for one in OLD:
        assert extracted(wrapper, template, one).published.startswith(f"{one.published:%Y-%m-%d}")
    assert "published" in wrapper.distrusted


@pytest.mark.parametrize("xpath", ["//ul[@class='labels']", "//ul[@class='labels']/li[1]/a"])
def test_tags_by_their_list_or_by_one_of_them(xpath):
    training = entries(decked, lambda _: {"tags": ("Blog",)})
    wrapper = learn_corrected(training, [corrected(decked, POSTS[0], xpath, "tags", tags=("Blog",))])
    assert [set(extracted(wrapper, decked, one).tags) for one in OLD] == [set(one.tags) for one in OLD]
    assert set(extracted(wrapper, decked, POSTS[0]).tags) == set(POSTS[0].tags)


def filed(one):
    """A theme whose tags stand behind a word, beside a date and a name in elements of the same kind."""
    links = ", ".join(f"<a href='/c/{tag.lower()}'>{tag}</a>" for tag in one.tags)
    line = f"""<div class="line"><span>{one.published:%d %B %Y}, at noon</span> <span>by <a href="/who">{one.author}</a></span>
<span>Filed in {links}</span></div>"""
    return layout(f'<div class="post"><h2>{escape(one.title)}</h2>{line}<div class="text">{one.body}</div></div>')


@pytest.mark.parametrize("told", [("Blog",), ()])
def test_tags_are_the_links_of_what_was_pointed_out_and_nothing_beside_it(told):
    training = entries(filed, lambda _: {"tags": told})
    wrapper = learn_corrected(training, [corrected(filed, POSTS[0], "//span[3]", "tags", tags=told)])
    for one in (*OLD, *POSTS):
        assert set(extracted(wrapper, filed, one).tags) == set(one.tags)


@pytest.mark.parametrize("told", [("Nobody",), ()])
def test_authors_are_the_links_of_what_was_pointed_out(told):
    training = entries(filed, lambda _: {"authors": told})
    wrapper = learn_corrected(training, [corrected(filed, POSTS[0], "//span[2]", "authors", authors=told)])
    for one in (*OLD, *POSTS):
        assert extracted(wrapper, filed, one).authors == [one.author]


def shifted(one):
    """A theme whose tags stand behind so many paragraphs as the post has."""
    links = ", ".join(f"<a href='/c/{tag.lower()}'>{tag}</a>" for tag in one.tags)
    before = "".join(f"<p>{prose(f'{one.number}-{at}', 30)}</p>" for at in range(1 + one.number % 5))
    return layout(f'<div class="post"><h2>{escape(one.title)}</h2>{before}<p><small>Filed in {links}</small></p></div>')


def test_tags_that_are_nowhere_to_be_seen_do_not_speak_against_a_rule():
    training = entries(shifted, lambda one: {"tags": (f"secret{one.number}",)})
    old = corrected(shifted, OLD[0], "//small", "tags", title=None, published=None, authors=(), content_html=None)
    wrapper = learn_corrected(training, [old])
    assert [set(extracted(wrapper, shifted, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


def subtitled(one):
    """A theme with a second line in the element of the title."""
    heading = f"<h2>{escape(one.title)} <small>{escape(deck(one))}</small></h2>"
    return layout(f'<div class="post">{heading}<div class="text">{one.body}</div></div>', title=deck(one))


def labelled(one):
    """A theme with a line before the title in its element."""
    heading = f"<h2><em>{escape(deck(one))}</em> {escape(one.title)}</h2>"
    return layout(f'<div class="post">{heading}<div class="text">{one.body}</div></div>', title=deck(one))


@pytest.mark.parametrize("template", [subtitled, labelled])
def test_titles_beside_which_other_words_stand_on_each_page(template):
    training = entries(template, lambda one: {"title": deck(one)})
    told = corrected(template, POSTS[0], "//h2", "title", words=POSTS[0].title, title=deck(POSTS[0]))
    wrapper = learn_corrected(training, [told])
    assert [extracted(wrapper, template, one).title for one in OLD] == [one.title for one in OLD]


@pytest.mark.parametrize("told", ["The same title", None])
def test_titles_that_were_pointed_out_tell_where_articles_end(told):
    """As those of a feed do, where that has none, or none that can be believed."""
    training = entries(subtitled, lambda _: {"title": told, "content_html": None})
    before = learn(entries(subtitled, lambda _: {"content_html": None}))
    one = corrected(subtitled, OLD[5], "//h2", "title", words=OLD[5].title, title=None, published=None, authors=())
    wrapper = learn_corrected(training, [one])
    for post in OLD[:5]:
        found, right = extracted(wrapper, subtitled, post), extracted(before, subtitled, post)
        assert found.title == post.title
        assert inline_text(found.article) == inline_text(right.article)


def test_articles_where_the_feed_brings_another_text_of_the_page():
    training = entries(decked, lambda one: {"content_html": f"<p>{prose(f'summary{one.number}', 60)}</p>"})
    assert "summary" not in words(extracted(learn(training), decked, OLD[0]))
    summary = f"<p>{prose(f'summary{POSTS[0].number}', 60)}</p>"
    wrapper = learn_corrected(
        training, [corrected(decked, POSTS[0], "//div[@class='text']", "content", content_html=summary)]
    )
    assert [words(extracted(wrapper, decked, one)) for one in OLD] == [article(one) for one in OLD]


def test_several_fields_of_several_pages():
    training = entries(decked, lambda one: {"title": deck(one), "authors": ("Nobody",), "tags": ("Blog",)})
    told = {"title": "x", "authors": ("Nobody",), "tags": ("Blog",)}
    tree = parse(decked(POSTS[5]))
    (name,), (labels,) = tree.xpath("//h2"), tree.xpath("//ul[@class='labels']")
    both = (Correction("title", path_of(name)), Correction("tags", path_of(labels)))
    wrapper = learn_corrected(training, [Corrected(Example(tree, POSTS[5].entry(**told), POSTS[5].url), both)])
    for one in OLD:
        found = extracted(wrapper, decked, one)
        assert (found.title, set(found.tags)) == (one.title, set(one.tags))


def test_a_page_that_is_like_no_other_keeps_what_was_pointed_out():
    def odd(one):
        return layout(f"<table><tr><td><font size=5>{one.title}</font></td></tr></table>{one.body}", title="Odd")

    pointed = corrected(odd, OLD[5], "//font", "title")
    wrapper = learn_corrected(examples(modern), [pointed])
    found = wrapper.extract(pointed.example.tree, OLD[5].url)
    assert (found.title, found.sources["title"].source, found.sources["title"].confidence) == (OLD[5].title, "rule", 1)
    assert [extracted(wrapper, modern, one).title for one in OLD[:5]] == [one.title for one in OLD[:5]]


def test_a_pin_holds_as_long_as_the_element_says_the_same():
    wrapper = learn_corrected(examples(decked), [corrected(decked, OLD[0], "//p[@class='deck']", "title")])
    assert extracted(wrapper, decked, OLD[0]).title == deck(OLD[0])
    changed = decked(OLD[0]).replace(escape(deck(OLD[0])), "Something else")
    assert wrapper.extract(parse(changed), OLD[0].url).sources["title"].confidence < 1


def test_a_corrected_wrapper_is_kept_as_it_is():
    wrapper = learn_corrected(examples(decked), [corrected(decked, OLD[0], "//h2", "title")])
    assert Wrapper.from_dict(json.loads(json.dumps(wrapper.to_dict()))) == wrapper


def test_without_corrections_nothing_is_corrected():
    assert learn_corrected(examples(classic), []) == learn(examples(classic))
    with pytest.raises(NotEnoughExamples):
        learn_corrected([], [])


@pytest.mark.parametrize(
    "path", ["", "//h2", "/html/body/div[9999]", "/html[1]|//h2", "/html/body/..", "id('x')", "/a[b]"]
)
def test_what_is_no_path_or_leads_nowhere_is_passed_over(path):
    one = OLD[0]
    pointed = Corrected(Example(parse(decked(one)), one.entry(), one.url), (Correction("title", path),))
    assert node_at(pointed.example.tree, path) is None
    assert learn_corrected(examples(decked), [pointed]).pins == ()


def test_elements_that_say_nothing_change_nothing():
    tree = parse(decked(OLD[0]).replace("<h2", "<i class='none'></i><h2"))
    (node,) = tree.xpath("//i")
    for field in CORRECTABLE:
        pointed = Corrected(Example(tree, OLD[0].entry(), OLD[0].url), (Correction(field, path_of(node)),))
        wrapper = learn_corrected(examples(decked), [pointed])
        assert [extracted(wrapper, decked, one).title for one in OLD[1:]] == [one.title for one in OLD[1:]]


@given(st.text("<>/abdiv ptl:o2=\"' ", max_size=200))
def test_every_element_has_a_path_that_leads_to_it(html):
    tree = parse(f"<p>x{html}")
    for node in tree.iter("*"):
        assert node_at(tree, path_of(node)) is node


def test_what_a_path_leads_to_is_what_was_pointed_out():
    tree = parse(decked(OLD[0]))
    for node in tree.iter("h2", "time", "li"):
        assert inline_text(node_at(tree, path_of(node))) == inline_text(node)
