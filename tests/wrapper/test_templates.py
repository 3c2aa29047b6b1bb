"""Blogs with several templates: each page is read by the rules of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from html import escape

import pytest

from blogcrawler.dom import parse
from blogcrawler.wrapper import Example, Wrapper, learn, refine
from blogcrawler.wrapper.learning import in_order_of_keys
from tests.wrapper.pages import OLD, POSTS, Post, Template, article, classic, extracted, layout, modern, recent, words


def photo(one: Post) -> str:
    """Another theme of the same author: what is a title in `classic` is a link to the album here."""
    main = f"""<h2 class="post-title">The album</h2>
<div class="plate"><h3>{one.title}</h3><p class="byline">Taken by {one.author}, <span class="date">1 January 1990</span></p>
<div class="caption">{one.body}</div><p class="shot">Shown since {one.published:%d.%m.%Y}</p></div>"""
    return layout(main)


def mixed(*templates: Template) -> Callable[[Post], str]:
    return lambda one: templates[one.number % len(templates)](one)


def learned(template: Template, posts: tuple[Post, ...] = POSTS, *, summaries: bool = False) -> Wrapper:
    return learn(
        Example(
            parse(template(one)),
            one.entry(content_html=f"<p>{one.summary}</p>", is_summary=True) if summaries else one.entry(),
            one.url,
        )
        for one in posts
    )


@pytest.mark.parametrize("summaries", [False, True])
@pytest.mark.parametrize("template", [mixed(classic, photo), mixed(classic, modern), mixed(classic, classic, photo)])
def test_each_page_is_read_by_its_template(template: Template, summaries: bool) -> None:
    wrapper = learned(template, summaries=summaries)
    for one in OLD:
        found = extracted(wrapper, template, one)
        assert found.title == one.title
        assert found.authors == [one.author]
        assert found.published is not None
        assert found.published[:10] == one.published.date().isoformat()
        assert words(found) == article(one)


def test_a_redesign_within_the_feed() -> None:
    def template(one: Post) -> str:
        return (classic if one.number < 6 else photo)(one)

    wrapper = learned(template)
    assert len(wrapper.templates) == 2
    for one in OLD:
        for old in (classic, photo):
            assert extracted(wrapper, old, one).title == one.title
            assert wrapper.is_post(parse(old(one)), one.url)


def test_one_template_is_learned_once() -> None:
    assert learned(classic).templates == ()


def test_two_odd_pages_are_no_template() -> None:
    assert learned(lambda one: photo(one) if one.number in {3, 7} else classic(one)).templates == ()


def test_a_post_of_a_template_may_lack_its_title_at_a_post_s_address() -> None:
    wrapper = learned(mixed(classic, photo))
    for one in OLD:
        tree = parse(classic(one).replace(f">{escape(one.title)}</a>", "></a>"))
        assert wrapper.is_post(tree, one.url, is_permalink=True)
        assert not wrapper.is_post(tree, one.url)


def labelled(one: Post) -> str:
    """An article without a name of its own; tags that no address marks as such."""
    tags = "".join(f"<li>{tag}</li>" for tag in one.tags)
    main = f"""<div class="heading"><h2 class="post-title">{one.title}</h2></div>
<p class="byline">Posted on <span class="date">{one.published:%d %B %Y}</span></p>
<article>{one.body}</article><ul class="labels">{tags}</ul>"""
    return layout(main, side=recent())


def redesigned(template: Template) -> Template:
    """The same elements with other ids and classes, below a heading of the site."""
    site = '<body class="site"><h2>The album</h2>'
    renamed = partial(re.sub, r'(class|id)="([\w -]+)"', lambda found: f'{found[1]}="new-{found[2][::-1]}"')
    return lambda one: renamed(template(one)).replace("<body ", f"{site}<div ").replace("</body>", "</div></body>")


def test_a_redesign_that_renames_all_elements_except_the_article() -> None:
    wrapper = learned(mixed(labelled, redesigned(labelled)))
    for one in OLD:
        for template in (labelled, redesigned(labelled)):
            found = extracted(wrapper, template, one)
            assert found.title == one.title
            assert sorted(found.tags) == sorted(one.tags)
            assert words(found) == article(one)


def test_no_rule_is_applied_to_a_page_of_an_unknown_design() -> None:
    wrapper = learned(labelled)
    for one in OLD:
        page = redesigned(labelled)(one)
        assert not wrapper.fits(parse(page))
        assert not wrapper.is_post(parse(page), one.url)
        found = wrapper.extract(parse(page), one.url)
        assert {source.source for source in found.sources.values()}.isdisjoint({"rule"})
        assert article(one) in words(found)


def test_metadata_outlive_a_redesign() -> None:
    def stating(template: Template) -> Template:
        return lambda one: template(one).replace(
            "</head>", "".join(f'<meta property="article:tag" content="{tag}">' for tag in one.tags) + "</head>"
        )

    def unlabelled(one: Post) -> str:
        return re.sub(r'<ul class="labels">.*?</ul>', "", labelled(one))

    wrapper = learned(stating(unlabelled))
    for one in OLD:
        assert sorted(extracted(wrapper, stating(redesigned(unlabelled)), one).tags) == sorted(one.tags)


def test_a_post_without_comments_is_of_the_same_design() -> None:
    names = ("respond", "reply", "commentlist", "avatar", "says", "comment-meta", "comment-body", "form", "submit")
    comments = "".join(f'<div class="{name}">Say something</div>' for name in names)
    wrapper = learned(lambda one: labelled(one).replace("</article>", f"</article>{comments}"))
    for one in OLD:
        assert wrapper.fits(parse(labelled(one)))


def test_templates_are_kept() -> None:
    wrapper = learned(mixed(classic, photo))
    assert wrapper.templates
    assert Wrapper.from_dict(wrapper.to_dict()) == wrapper


def test_one_author_of_a_template_is_not_that_of_the_blog() -> None:
    posts = tuple(one if one.number % 2 else replace(one, author="Even Stone") for one in POSTS)

    def bare(one: Post) -> str:
        return layout(f"<h1>{one.title}</h1><div class=plate>{one.body}</div>")

    wrapper = learned(mixed(bare, classic), posts)
    assert wrapper.templates
    assert extracted(wrapper, bare, OLD[0]).authors == []


@pytest.mark.parametrize(
    ("fitting", "expected"),
    [
        ({"a": "a", "b": "b"}, "ab"),
        ({"a": "ab", "b": "b"}, "ba"),
        ({"a": "abc", "b": "bc", "c": "c"}, "cba"),
        ({"a": "ab", "b": "ab"}, ""),
    ],
)
def test_the_narrower_key_is_asked_first(fitting: dict[str, str], expected: str) -> None:
    order = in_order_of_keys([(name, name) for name in fitting], lambda template, page: page in fitting[template])  # type: ignore[arg-type]
    assert "".join(order) == expected


def test_refining_reaches_each_template() -> None:
    def aged(template: Template) -> Template:
        box = '<div class="box">Readers also liked the one about {tag}.</div>'
        return lambda one: template(one).replace(one.body, one.body + box.replace("{tag}", one.tags[0]))

    wrapper = learned(mixed(classic, photo))
    old = tuple(replace(one, number=one.number + 100) for one in OLD)
    sample = [(parse(aged(mixed(classic, photo))(one)), one.url) for one in (*OLD, *old)]
    examples = [Example(parse(mixed(classic, photo)(one)), one.entry(), one.url) for one in POSTS]
    refined = refine(wrapper, examples, sample)
    assert refined.templates
    for one in OLD:
        assert words(refined.extract(parse(aged(mixed(classic, photo))(one)))) == article(one)
