"""Learn rules for posts of a template that the feed does not show, such as that of an older design.

Title, date and a paragraph of the text, found by the page's lines and metadata, replace the feed's entry.
"""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from blogcrawler.dom import fragment, inline_text, readable_text
from blogcrawler.items import Entry
from blogcrawler.similarity import fold
from blogcrawler.wrapper.core.thresholds import MOST, PARAGRAPH, SEVERAL
from blogcrawler.wrapper.core.training import Example
from blogcrawler.wrapper.learning import learn, of_blog

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.wrapper import Wrapper

ENOUGH = 6
"""Number of pages that show what recurs in a template; `SEVERAL` is enough if there are no more."""


def learn_older(wrapper: Wrapper, sample: Sequence[tuple[HtmlElement, str]], *, is_last: bool = False) -> Wrapper:
    """The wrapper with rules for the pages of a sample that none of its rules fits, if there are enough of them. The
    sample holds roots and URLs of posts; `is_last`: there will be no more. O(n) in the size of the pages."""
    strangers = [(tree, url) for tree, url in sample if not wrapper.fits(tree)]
    examples = [example for tree, url in strangers if (example := _example(wrapper, tree, url)) is not None]
    if len(examples) < (SEVERAL if is_last else ENOUGH):
        return wrapper
    learned = learn(examples)
    template = replace(of_blog(learned, wrapper), validation=learned.validation)
    if _misnames(template, examples, wrapper.authors.known):
        authors = replace(wrapper.authors, rules=())
        template = template.each(lambda part: replace(part, authors=authors))
    right = sum(_agrees(template, example) for example in examples)
    return replace(wrapper, older=(*wrapper.older, template)) if right >= MOST * len(examples) else wrapper


def _example(wrapper: Wrapper, tree: HtmlElement, url: str) -> Example | None:
    """A page with an entry made from its lines and metadata; None if they show too little."""
    if not wrapper.is_other_post(tree, url, is_linked=True):
        return None
    extraction = wrapper.extract(tree, url)
    if extraction.article is None:
        return None
    text = fold(inline_text(extraction.article))
    paragraphs = readable_text(extraction.article).split("\n\n")  # those of lists have signs that are not in the page
    longest = max((paragraph for paragraph in paragraphs if fold(paragraph) in text), key=len, default="")
    if len(longest) < PARAGRAPH:
        return None
    entry = Entry(
        url,
        title=extraction.title,
        published=extraction.published,
        content_html=f"<p>{escape(longest)}</p>",
        is_summary=True,
        language=extraction.language,
        is_synthetic=True,
    )
    return Example(tree, entry, url)


def _misnames(template: Wrapper, examples: Sequence[Example], known: Sequence[str]) -> bool:
    """True if rules find more than the name of a known author, such as "Ann's picture"."""
    names = (fold(name) for example in examples for name in template.extract(example.tree, example.url).authors)
    return any(author in name and name not in known for name in names for author in known)


def _agrees(template: Wrapper, example: Example) -> bool:
    """True if rules find on a page the title and the text from which they were learned."""
    extraction = template.extract(example.tree, example.url)
    if extraction.article is None or extraction.sources["content"].source != "rule":
        return False
    paragraph = fold(inline_text(fragment(example.entry.content_html or "")))
    return fold(extraction.title or "") == fold(example.entry.title or "") and paragraph in fold(
        inline_text(extraction.article)
    )
