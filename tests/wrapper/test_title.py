"""The title: as the page shows it, and not as anything else on the page says the same words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogcrawler.dom import parse
from blogcrawler.wrapper import Wrapper, learn
from tests.wrapper.pages import (
    OLD,
    POSTS,
    Post,
    Template,
    classic,
    examples,
    extracted,
    layout,
    learned,
    modern,
    recent,
)


def check(template: Template, **changes: object) -> None:
    wrapper = learned(template, **changes)
    assert [extracted(wrapper, template, one).title for one in OLD] == [one.title for one in OLD]


@pytest.mark.parametrize("template", [classic, modern])
def test_common_templates(template: Template) -> None:
    check(template)


def test_a_side_bar_of_recent_posts_before_the_title_does_not_win() -> None:
    check(lambda one: f'<div id="side">{recent()}</div>' + layout(f"<h2>{one.title}</h2><div class=e>{one.body}</div>"))


def test_a_side_bar_where_the_post_itself_is_the_first_does_not_win() -> None:
    def template(one: Post) -> str:
        first = recent([one, *POSTS[:3]]) if one in POSTS else recent(POSTS[:4])
        return f'<div id="side">{first}</div>' + layout(f'<div class="e"><h2>{one.title}</h2>{one.body}</div>')

    check(template)


def test_links_to_the_neighbours_do_not_win() -> None:
    def template(one: Post) -> str:
        older = POSTS[(one.number + 1) % len(POSTS)]
        return layout(f'<a class="older">{older.title}</a><h1 class="t">{one.title}</h1><div class=e>{one.body}</div>')

    check(template)


def test_a_title_with_a_subtitle_in_it() -> None:
    check(
        lambda one: layout(f"<h1>{one.title} <small>{one.paragraphs[0][:40]}</small></h1><div class=e>{one.body}</div>")
    )


@pytest.mark.parametrize(
    ("before", "after"), [("Note: ", ""), ("", " – the quiet blog"), ("« ", " »"), ("New | ", " | by us")]
)
def test_a_title_between_marks(before: str, after: str) -> None:
    check(lambda one: layout(f"<h1>{before}{one.title}{after}</h1><div class=e>{one.body}</div>"))


def test_a_sign_that_touches_the_next_word_is_a_mark() -> None:
    check(lambda one: layout(f"<h1>{one.title} (by us)</h1><div class=e>{one.body}</div>"))


def test_a_title_in_the_head_alone() -> None:
    check(lambda one: layout(f"<div class=e>{one.body}</div>", title=f"{one.title} | The quiet blog"))


def test_a_title_in_a_property_alone() -> None:
    check(
        lambda one: layout(f"<div class=e>{one.body}</div>", head=f'<meta property="og:title" content="{one.title}">')
    )


def test_the_visible_title_goes_before_the_hidden_one() -> None:
    wrapper = learned(lambda one: layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div>", title=one.title))
    assert "h1" in wrapper.title[0].learned.rule.xpath


def test_a_title_written_in_capitals_by_the_theme() -> None:
    def template(one: Post) -> str:
        return layout(f"<h1>{one.title.upper()}</h1><div class=e>{one.body}</div>")

    wrapper = learned(template)
    assert [extracted(wrapper, template, one).title for one in OLD] == [one.title.upper() for one in OLD]


def test_comments_in_the_markup_of_the_title() -> None:
    check(
        lambda one: layout(
            f'<h1 class="t"><!-- -->{one.title[:5]}<!-- -->{one.title[5:]}</h1><div class=e>{one.body}</div>',
            title="A blog",
        )
    )


def test_signs_that_a_theme_escaped_twice() -> None:
    def template(one: Post) -> str:
        return layout(f"<h1>{one.title} &amp;amp; more &amp;eacute;</h1><div class=e>{one.body}</div>")

    wrapper = learned(template)
    assert extracted(wrapper, template, OLD[0]).title == f"{OLD[0].title} & more é"


def test_an_escaped_sign_is_a_mark_as_a_whole() -> None:
    def template(one: Post) -> str:
        tea = "Tea &amp;amp; " if one in OLD else ""
        return layout(f"<h1>{tea}{one.title} &amp;raquo; the quiet blog</h1><div class=e>{one.body}</div>")

    wrapper = learned(template)
    assert [extracted(wrapper, template, one).title for one in OLD] == [f"Tea & {one.title}" for one in OLD]


def test_a_sign_that_titles_have_too_ends_none() -> None:
    def titled(one: Post) -> str:
        return f"{one.title} – part {one.number}" if one.number % 2 else one.title

    def template(one: Post) -> str:
        return layout(f"<h1>{titled(one)} – the quiet blog</h1><div class=e>{one.body}</div>")

    wrapper = learn([pair for one in POSTS for pair in examples(template, [one], title=titled(one))])
    assert [extracted(wrapper, template, one).title for one in OLD] == [titled(one) for one in OLD]


PERMALINKS = [
    ' <a class="headerlink" href="#{0}">¶</a>',
    '<a href="#{0}">#</a>',
    ' <a class="anchor" href="#{0}">Permanent link</a>',
    " <small>part {0}</small>",
    ' <span class="on">{0} May</span> <span>in print</span>',
    " <span>{0} notes</span> <span>in print</span>",
    '<svg><path d=""></path></svg> <button>Copy {0}</button>',
]


def with_markup(one: Post, form: str) -> str:
    """The title of an old post with markup around its second word, which has a link in it, too."""
    first, second, rest = one.title.split(" ", 2)
    return f"{first} {form.format(second)} {rest}" if one in OLD else one.title


@pytest.mark.parametrize("end", PERMALINKS)
@pytest.mark.parametrize(
    "form", ["<code>{}</code>", "<em>{}</em>", '<a href="/x/">{}</a>', "<br>{}", "<img alt=''> {}"]
)
def test_markup_in_the_title_before_what_ends_the_heading(end: str, form: str) -> None:
    check(
        lambda one: layout(
            f"<h1>{with_markup(one, form)}{end.format(one.number)}</h1><div class=e>{one.body}</div>",
            title=f"{one.title} | The quiet blog",
        )
    )


@pytest.mark.parametrize("form", ["h<sub>2</sub>o {}", "<i>{}</i><b></b>"])
def test_markup_in_the_title_of_a_post_of_the_feed(form: str) -> None:
    def titled(one: Post) -> str:
        return f"h2o {one.title}" if "sub" in form else one.title

    def template(one: Post) -> str:
        shown = form.format(one.title) if one.number % 3 == 0 or one in OLD else titled(one)
        return layout(f'<h1>{shown} <a href="#t">¶</a></h1><div class=e>{one.body}</div>')

    wrapper = learn([pair for one in POSTS for pair in examples(template, [one], title=titled(one))])
    wrapper = Wrapper.from_dict(wrapper.to_dict())
    assert [extracted(wrapper, template, one).title for one in OLD] == [titled(one) for one in OLD]


NAMES = [" – The quiet blog", " | The quiet blog of us all", " :: Quiet", " (quiet, too)", " - a - b"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("telling", ["{0}{1} edition", "{0} and{1}", "{0}{1}{1}"])
def test_the_blog_s_name_in_one_of_the_titles_before_it(name: str, telling: str) -> None:
    def titled(one: Post) -> str:
        return telling.format(one.title, name) if one in {POSTS[3], OLD[2]} else one.title

    def template(one: Post) -> str:
        return layout(f"<div class=e>{one.body}</div>", title=f"{titled(one)}{name}")

    wrapper = learn([pair for one in POSTS for pair in examples(template, [one], title=titled(one))])
    assert [extracted(wrapper, template, one).title for one in OLD] == [titled(one) for one in OLD]


@pytest.mark.parametrize("form", ["{} – The quiet blog", "The quiet blog: {}", "Quiet » {}", "Log - {} | Quiet"])
def test_a_title_of_the_feed_that_has_around_it_what_all_have_on_the_pages(form: str) -> None:
    def titled(one: Post) -> str:
        return form.format(one.title) if one is POSTS[3] else one.title

    def template(one: Post) -> str:
        return layout(f"<div class=e>{one.body}</div>", title=form.format(one.title))

    wrapper = learn([pair for one in POSTS for pair in examples(template, [one], title=titled(one))])
    assert [extracted(wrapper, template, one).title for one in OLD] == [one.title for one in OLD]


def test_a_page_that_has_no_title_gets_none() -> None:
    def template(one: Post) -> str:
        heading = "" if one in OLD else f"<h1>{one.title}</h1>"
        return layout(f"{heading}<div class=e>{one.body}</div>", title="A blog")

    assert extracted(learned(template), template, OLD[0]).title is None


@pytest.mark.parametrize(("typed", "set_"), [("'s -- a log", "’s – a log"), (': "tea" ...', ": “tea” …")])
def test_a_title_that_the_feed_types_and_the_page_sets(typed: str, set_: str) -> None:
    def template(one: Post) -> str:
        return layout(f"<h1>{one.title}{set_}</h1><div class=e>{one.body}</div>")

    wrapper = learn([pair for one in POSTS for pair in examples(template, [one], title=one.title + typed)])
    found = extracted(wrapper, template, OLD[0])
    assert found.title == OLD[0].title + set_
    assert found.sources["title"].confidence >= 0.9


def test_a_title_near_that_of_the_feed_is_better_than_none() -> None:
    def template(one: Post) -> str:
        return layout(f"<h1>{one.title} no. {one.number * 7}</h1><div class=e>{one.body}</div>")

    wrapper = learn(
        [pair for one in POSTS for pair in examples(template, [one], title=f"{one.title}, nr {one.number * 7}")]
    )
    found = extracted(wrapper, template, OLD[0])
    assert found.title == f"{OLD[0].title} no. {OLD[0].number * 7}"
    assert 0.3 <= found.sources["title"].confidence < 0.9


KICKER = '<span class="in">{0}</span> '


@pytest.mark.parametrize("kicker", [KICKER, '<a href="/in/{0}/">{0}</a> ', "<i></i>" + KICKER])
def test_a_kicker_in_the_heading(kicker: str) -> None:
    check(
        lambda one: layout(
            f'<h1 class="t">{kicker.format(one.tags[0])}{one.title}</h1><div class=e>{one.body}</div>',
            title=f"{one.title} | The quiet blog",
        )
    )


def test_a_kicker_in_some_headings() -> None:
    def template(one: Post) -> str:
        kicker = KICKER.format(one.tags[0]) if one.number % 4 == 0 else ""
        return layout(f'<h1 class="t">{kicker}{one.title}</h1><div class=e>{one.body}</div>')

    check(template)


def test_a_kicker_that_no_markup_tells_from_the_title() -> None:
    check(
        lambda one: layout(
            f"<h1>{one.tags[0]} {one.title}</h1><div class=e>{one.body}</div>", title=f"{one.title} | The quiet blog"
        )
    )


def test_a_sign_beside_the_title_on_most_pages() -> None:
    def template(one: Post) -> str:
        linked = f'<a href="/x/">{one.title}</a> <a href="{one.path}">★</a>'
        return layout(f'<h1 class="t">{linked if one.number % 3 else one.title}</h1><div class=e>{one.body}</div>')

    check(template)


def test_a_heading_that_says_more_than_the_title_is_doubted() -> None:
    def template(one: Post) -> str:
        return layout(f"<h1>{one.tags[0]} {one.title}</h1><div class=e>{one.body}</div>")

    found = extracted(learned(template), template, OLD[0])
    assert found.sources["title"].confidence < 0.7


def test_a_sign_that_links_to_the_post_is_no_part_of_an_old_title() -> None:
    def template(one: Post) -> str:
        sign = f' <a href="{one.path}">★</a>' if one in OLD else ""
        return layout(f'<h1 class="t">{one.title}!{sign}</h1><div class=e>{one.body}</div>')

    wrapper = learn([pair for one in POSTS for pair in examples(template, [one], title=f"{one.title}!")])
    assert [extracted(wrapper, template, one).title for one in OLD] == [f"{one.title}!" for one in OLD]


def test_linked_signs_that_the_feed_has_too_are_a_part_of_the_title() -> None:
    def titled(one: Post) -> str:
        return f"{one.title} {'★' * (1 + one.number % 5)}"

    def template(one: Post) -> str:
        stars = f'<a href="/ratings/">{"★" * (1 + one.number % 5)}</a>'
        return layout(f'<h1 class="t">{one.title} {stars}</h1><div class=e>{one.body}</div>')

    wrapper = learn([pair for one in POSTS for pair in examples(template, [one], title=titled(one))])
    wrapper = Wrapper.from_dict(wrapper.to_dict())
    assert [extracted(wrapper, template, one).title for one in OLD] == [titled(one) for one in OLD]
    plain = learned(lambda one: layout(f'<h1 class="t">{one.title}</h1><div class=e>{one.body}</div>'))
    assert [extracted(plain, template, one).title for one in OLD] == [titled(one) for one in OLD]


@pytest.mark.parametrize("first", ["<em>{}</em>", '<span class="big">{}</span>', "<span>{}</span>"])
def test_a_child_that_is_no_kicker_begins_an_old_title(first: str) -> None:
    def template(one: Post) -> str:
        word, rest = one.title.split(" ", 1)
        shown = f"{first.format(word)} {rest}" if one in OLD else KICKER.format(one.tags[0]) + one.title
        return layout(f'<h1 class="t">{shown}</h1><div class=e>{one.body}</div>')

    check(template)


def test_a_kicker_whose_class_is_its_own_text() -> None:
    check(
        lambda one: layout(
            f'<h1 class="t"><span class="{one.tags[0]}">{one.tags[0]}</span> {one.title}</h1><div class=e>{one.body}</div>'
        )
    )


@pytest.mark.parametrize("untitled", [range(2, 12, 3), range(12, 13)])
def test_the_blog_s_name_is_no_title_of_a_post_that_has_none(untitled: range) -> None:
    """A service tells "Photo" as the title of some posts, whose pages have the blog's name where others have a title."""

    def template(one: Post) -> str:
        has_title = one.number not in untitled and one not in OLD[:2]
        head = one.title if has_title else "The quiet blog"
        return layout(f"<h1>The quiet blog</h1><div class=e>{one.body}</div>", title=head)

    pages = [
        pair
        for one in POSTS
        for pair in examples(template, [one], title="Photo" if one.number in untitled else one.title)
    ]
    wrapper = Wrapper.from_dict(learn(pages).to_dict())
    assert [extracted(wrapper, template, one).title for one in OLD] == [None, None, *(one.title for one in OLD[2:])]


def test_a_title_that_posts_of_a_series_share_stays() -> None:
    def template(one: Post) -> str:
        return layout(f"<h1>{'Weekly notes' if one.number % 3 else one.title}</h1><div class=e>{one.body}</div>")

    titles = {one: f"Weekly notes {one.number}" if one.number % 3 else one.title for one in POSTS}
    wrapper = learn([pair for one, title in titles.items() for pair in examples(template, [one], title=title)])
    assert extracted(wrapper, template, OLD[0]).title == "Weekly notes"


def test_a_title_that_is_like_a_heading_of_the_page_stays_where_the_page_shows_it() -> None:
    def template(one: Post) -> str:
        return layout(f"<h3>Recent posts</h3><h1>{one.title}</h1><div class=e>{one.body}</div>")

    one = replace(OLD[0], title="Recent posts")
    assert extracted(learned(template), template, one).title == one.title


def test_a_whole_text_is_no_title() -> None:
    """On lists of an older template, what holds the title of newer posts may hold the text of whole posts."""
    row = '<div class="row">{}</div><p class="date">{:%B %d, %Y}</p>'

    def template(one: Post) -> str:
        return layout(row.format(f"<b>{one.title}</b>", one.published) + f'<div class="e">{one.body}</div>')

    wrapper = learned(template)
    listed = "".join(f"<h1>{one.title}</h1>{one.body}" for one in OLD)
    tree = parse(layout(row.format(listed, OLD[0].published) + f'<div class="e">{OLD[0].body}</div>'))
    assert wrapper.extract(tree, "https://blog.example/lists/old").title is None
    assert not wrapper.is_post(tree, "https://blog.example/lists/old")
    assert wrapper.is_post(parse(template(OLD[0])), "https://blog.example/old")
