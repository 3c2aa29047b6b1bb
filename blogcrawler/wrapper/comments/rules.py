"""The learned rules for the comments of a blog's posts, which extract comments from a page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from blogcrawler.dates import read_date
from blogcrawler.dom import base_url, readable_text, resolve, sanitise
from blogcrawler.items import Comment
from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments.authors import AuthorRule  # noqa: TC001  (serialise)
from blogcrawler.wrapper.comments.body import ContentRule, lines_of
from blogcrawler.wrapper.comments.content import content_of
from blogcrawler.wrapper.comments.counts import CountRule  # noqa: TC001  (serialise)
from blogcrawler.wrapper.comments.ids import IdRule, values_at
from blogcrawler.wrapper.comments.pingbacks import SiblingForms, kind_of, select_undated_pingbacks
from blogcrawler.wrapper.comments.region import Region
from blogcrawler.wrapper.comments.threads import Indent, ParentRule, addressed, answered_by_box, names_of
from blogcrawler.wrapper.comments.units import Form, Unit, own_nodes
from blogcrawler.wrapper.comments.view import View
from blogcrawler.wrapper.core.training import DateReader

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from lxml.html import HtmlElement

SHOWING = re.compile(r"<(?:img|svg|video|audio|iframe|picture|source)\b")
"""Elements that show something without text."""
LEVELS = 4
"""Maximum number of levels around an author's name that are searched for a link."""


@dataclass(frozen=True)
class Kind:
    """Comments of one form, and where their fields are."""

    form: Form
    #: rules for the author's name; the first that finds a name counts
    authors: tuple[AuthorRule, ...] = ()
    content: ContentRule = field(default_factory=lambda: ContentRule(""))
    identifier: IdRule | None = None
    parent: ParentRule | None = None
    indent: Indent | None = None
    #: whether answers are in boxes behind the answered comments
    is_boxed: bool = False
    #: whether they are only links with a label
    is_bare: bool = False
    #: forms of siblings that are pingbacks without a date
    kindred: frozenset[str] = frozenset()
    #: forms of siblings that are no comments
    strangers: frozenset[str] = frozenset()
    confidence: float = 0.0


@dataclass(frozen=True)
class CommentRules:
    """Extracts the comments from a blog's pages. Compares, prints and serialises by value."""

    kinds: tuple[Kind, ...]
    languages: tuple[str, ...] = ()
    #: order of day and month in digits
    order: str | None = None
    trusts_offset: bool = True
    count: CountRule | None = None

    @property
    def confidence(self) -> float:
        """The confidence that the extracted elements are the post's comments, 0 to 1."""
        return max((kind.confidence for kind in self.kinds), default=0.0)

    @property
    def xpath(self) -> str:
        """An XPath expression for the elements of comments, as far as names identify them."""
        return " | ".join(dict.fromkeys(kind.form.xpath for kind in self.kinds))

    def extract(
        self, tree: HtmlElement, url: str, fetched: datetime | None = None, *, is_part: bool = False
    ) -> list[Comment]:
        """The comments of a page, in its order. O(n) in the page. `is_part`: parents may be on further pages.

        Dates such as "3 days ago" are relative to `fetched`, and unknown without it. `url` is the page's own: links are
        relative to it, and permalinks are built from it for comments that have none.
        """
        return self.read(tree, url, fetched, is_part=is_part)[0]

    def read(
        self, tree: HtmlElement, url: str, fetched: datetime | None = None, *, is_part: bool = False
    ) -> tuple[list[Comment], int | None]:
        """The result of `extract`, and the number of comments that the page announces; None if it announces none."""
        languages = tuple(dict.fromkeys((*filter(None, [tree.get("lang")]), *self.languages)))
        view = View(tree, url, DateReader(languages), fetched)
        count = self.count.extract(view) if self.count is not None else None
        return self._comments(view, base_url(tree, url), is_part=is_part), count

    def _comments(self, view: View, base: str, *, is_part: bool) -> list[Comment]:
        selected = select(view, self.kinds)
        regions = [Region(view, unit) for unit, _ in selected]
        kinds = [kind for _, kind in selected]
        ids = [
            kind.identifier.extract(region) if kind.identifier else None
            for region, kind in zip(regions, kinds, strict=True)
        ]
        parents = _parents(regions, kinds, ids, is_part=is_part)
        known = names_of(ids)
        read = [
            self._comment(region, kind, identifier, parent, base, known)
            for region, kind, identifier, parent in zip(regions, kinds, ids, parents, strict=True)
        ]
        return [comment for comment in read if _is_comment(comment)]

    def _comment(
        self,
        region: Region,
        kind: Kind,
        identifier: str | None,
        parent: str | None,
        base: str,
        known: Mapping[str, str],
    ) -> Comment:
        is_bare = kind.is_bare or region.unit.is_bare
        author, link = _linked_name(region) if is_bare else _author(region, kind)
        rule = ContentRule("") if is_bare else kind.content
        content = content_of(region, rule, lines_of(region, () if is_bare else kind.authors, is_by_day=rule.is_by_day))
        text = readable_text(content)
        return Comment(
            id=identifier,
            parent=parent or addressed(content, region.view.url, known, identifier),
            kind=kind_of(text, is_bare=is_bare or _is_only_name(author, link, text)),
            author=author,
            author_url=_page_of_author(link, base, region.view.url),
            published=self._published(region),
            url=_permalink(region, kind, identifier, base),
            content_html=sanitise(content, base).strip(),
            content_text=text,
        )

    def _published(self, region: Region) -> str | None:
        day, view = region.day, region.view
        moment = read_date(day, view.reader.languages, self.order, view.fetched) if day else None
        if moment is None:
            return None
        return (moment if self.trusts_offset else moment.without_offset()).isoformat()


def select(view: View, kinds: Sequence[Kind]) -> list[tuple[Unit, Kind]]:
    """The comments of all kinds in a page, in document order, each with its kind. O(n)."""
    units_by_root: dict[int, tuple[Unit, Kind]] = {}
    for kind in kinds:
        for unit in kind.form.select(view):
            units_by_root.setdefault(unit.roots[0], (unit, kind))
    for kind in kinds:
        units = [unit for unit, of in units_by_root.values() if of is kind]
        for unit in select_undated_pingbacks(view, kind.form, SiblingForms(kind.kindred, kind.strangers), units):
            units_by_root.setdefault(unit.roots[0], (unit, kind))
    ordered = [units_by_root[root] for root in sorted(units_by_root)]
    own_nodes(view, [unit for unit, _ in ordered])
    return ordered


def _is_comment(comment: Comment) -> bool:
    """False if an element has no author and no text, and shows nothing: it belongs to the template."""
    has_content = comment.id or comment.author or comment.content_text or comment.kind == "pingback"
    return bool(has_content) or SHOWING.search(comment.content_html or "") is not None


def _parents(
    regions: Sequence[Region], kinds: Sequence[Kind], ids: Sequence[str | None], *, is_part: bool
) -> list[str | None]:
    """The comment that each comment answers: by an attribute, by its place, or by its indentation."""
    known = names_of(ids)
    boxed = answered_by_box(regions) if any(kind.is_boxed for kind in kinds) else [None] * len(regions)
    parents: list[str | None] = []
    above: list[tuple[float, str | None]] = []
    for region, kind, own, before in zip(regions, kinds, ids, boxed, strict=True):
        prefix = kind.identifier.prefix if is_part and kind.identifier else ""
        parent = kind.parent.extract(region, known, prefix) if kind.parent else None
        answered = region.unit.inside if region.unit.inside is not None else before
        if parent is None and answered is not None:
            parent = ids[answered]
        level = kind.indent.extract(region) if kind.indent else None
        if level is not None:
            while above and above[-1][0] >= level:
                above.pop()
            if parent is None and above:
                parent = above[-1][1]
            above.append((level, own))
        parents.append(parent if parent != own else None)
    return parents


def _author(region: Region, kind: Kind) -> tuple[str | None, str | None]:
    names = ((name, rule.place(region)) for rule in kind.authors if (name := rule.extract(region)))
    name, place = next(names, (None, None))
    if name is None:
        return None, None
    view = region.view
    around = (at for at, _ in zip(view.around(region.own[place or 0]), range(LEVELS), strict=False))
    within = range(region.own[place or 0], view.ends[region.own[place or 0]])
    for position in (*around, *within):
        node, number = view.nodes[position], region.number_at.get(position)
        if number is None or node.tag != "a" or not (text := region.texts[number]):
            continue
        if node.get("href") and fold(name) in fold(text):
            return name, node.get("href")
    return name, None


def _is_only_name(author: str | None, link: str | None, text: str) -> bool:
    """True if a comment's text is only the name of its author, who links to the post."""
    return bool(author and link) and fold(text) == fold(author or "")


def _linked_name(region: Region) -> tuple[str | None, str | None]:
    for number, position in enumerate(region.own):
        node, view = region.view.nodes[position], region.view
        if node.tag == "a" and (node.get("href") or "").startswith(("http://", "https://")):
            inside = range(position, view.ends[position])
            text = region.texts[number] or " ".join("".join(view.runs[2 * at] for at in inside).split())
            if text:
                return text, node.get("href")
    return None, None


def _address(link: str | None, base: str) -> str | None:
    address = resolve(link, base) if link else None
    return address if address and address.startswith(("http://", "https://")) else None


def _page_of_author(link: str | None, base: str, url: str) -> str | None:
    """The page that a name links to, if it is another page: some themes link all names to the comment or to nothing."""
    address = _address(link, base) if link and not link.strip().startswith("#") else None
    return address if address and address.partition("#")[0] != url.partition("#")[0] else None


def _permalink(region: Region, kind: Kind, identifier: str | None, base: str) -> str | None:
    if identifier is None:
        return None
    rule = kind.identifier
    links = values_at(region, rule.path, "href") if rule is not None and rule.attribute == "href" else ()
    return next(filter(None, (_address(link, base) for link in links)), urljoin(region.view.url, f"#{identifier}"))
