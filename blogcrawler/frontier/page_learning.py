"""Learn from fetched pages which pages are posts, which kinds of pages lead to posts, and which links are boilerplate.

The input of each page is its row and one `Observation`. A resumed crawl learns the same from the stored observations.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from blogcrawler.frontier.features import places_of
from blogcrawler.frontier.kind_history import LastLook, PageResult
from blogcrawler.frontier.kinds import area_of, shape_of
from blogcrawler.frontier.observation import REDIRECT, Observation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from blogcrawler.frontier.aliases import Aliases
    from blogcrawler.frontier.observation import Findings
    from blogcrawler.frontier.store import Candidate
    from blogcrawler.frontier.yields import YieldModel

FEW = 3
"""Number of new pages of another area at or above which a page leads on; one or two may be more pages like itself."""
FREQUENT = 0.5
"""Share of the pages with links at a place above which this place is boilerplate."""
ENOUGH = 4
"""Number of pages below which nothing counts as boilerplate."""


class PageLearner:
    """Updates the yield model, the table of aliases and the boilerplate of pages after each fetched page. `revive` is
    called when a page that had counted against pages like it turns out to be a post."""

    def __init__(self, model: YieldModel, aliases: Aliases, revive: Callable[[], None]) -> None:
        self._model = model
        self._aliases = aliases
        self._revive = revive
        self.boilerplate = BoilerplateLinks()
        #: the same for links to pages other than posts, without their names, since they are many
        self._surroundings = BoilerplateLinks()
        self.last_look = LastLook()
        #: surprises since waiting posts were last judged
        self.doubts = 0
        #: number of posts that were found on pages of other posts
        self.found_on_posts = 0

    def observe(self, page: Candidate, findings: Findings, *, is_copy: bool) -> Observation:
        """Record the links of a fetched page, and return its observation."""
        shown, places = findings.shown, tuple(findings.places)
        self._note_links(shown, places)
        origin = findings.origin.key if findings.origin is not None else None
        leads_on = shown is None or self._leads_on(page.url, shown, findings.leads_to)
        linked = self.last_look.without_menus(findings.linked) if page.was_post else ()
        return Observation(page.key, shown, places, origin, leads_on=leads_on, is_copy=is_copy, linked=linked)

    def learn(self, page: Candidate, observation: Observation, origin: Candidate | None = None) -> None:
        """Learn from a finished page whose links are recorded; `origin` is the candidate whose address redirected to
        it, if any."""
        if observation.is_gone:
            self._learn(page, PageResult(is_gone=True, detours=observation.detours))
        elif page.reason == REDIRECT:
            if observation.is_alias:
                self._model.kinds.note_places(places_of(page.marks))
            self._learn(page, is_alias=observation.is_alias)
        else:
            self._learn_fetched(page, observation, origin)

    def learn_again(self, page: Candidate, observation: Observation, origin: Candidate | None) -> None:
        """Learn what an earlier run of the crawl has learned from a finished page."""
        if not observation.is_gone and page.reason != REDIRECT:
            self._note_links(observation.shown, observation.places)
        self.learn(page, observation, origin)

    def learn_by_row(self, page: Candidate) -> Observation:
        """Learn from the row of a page whose observation is lost; returns an observation in its place."""
        self._learn(page, PageResult(is_gone=page.status == "failed"))
        return Observation(page.key, is_gone=page.status == "failed" and page.was_post is False)

    def presume(self, page: Candidate, findings: Findings) -> None:
        """Count a fetched page as no post until it can be judged."""
        listed = self.boilerplate.listed(findings.shown or {})
        self.doubts += self._model.presume(page, PageResult(findings.new_posts, is_undecided=True, listed=listed))

    def _note_links(self, shown: Mapping[str, Iterable[str]] | None, places: Iterable[str]) -> None:
        """Record the places where a page links to posts and to other pages."""
        if shown is not None:
            self.boilerplate.note(shown)
            self._surroundings.note({"": places})

    def _leads_on(self, url: str, posts: Iterable[str], pages: Mapping[str, tuple[str, ...]]) -> bool:
        """True if a page links to posts to which few pages link, or, outside its boilerplate, to new pages of another
        area."""
        if any(self.boilerplate.not_on_most_pages(posts)):
            return True
        area = area_of(url)
        others = (target for target in self._surroundings.listed(pages) if area_of(target) != area)
        return len(list(islice(others, FEW))) == FEW

    def _learn_fetched(self, page: Candidate, observation: Observation, origin: Candidate | None) -> None:
        new_posts = page.new_posts or 0
        self._aliases.note_answer(page.url)
        if page.was_post:
            self.found_on_posts += new_posts
            self.last_look.note(observation.linked)
        if origin is not None and page.was_post:  # pages with the shape, places or additions of `origin` may be posts
            self._model.kinds.note_post(origin.url, places_of(origin.marks))
            self._aliases.additions.record(origin.url, brings_something=True)
            self._model.learn_kind(origin, is_post=True)
        elif origin is not None and page.post_links is not None and shape_of(origin.url) != shape_of(page.url):
            self._learn(replace(origin, post_links=page.post_links, new_posts=new_posts, was_post=False))
        listed = None if observation.shown is None else self.boilerplate.listed(observation.shown)
        self._learn(page, PageResult(listed=listed, leads_on=observation.leads_on), is_copy=observation.is_copy)

    def _learn(
        self, page: Candidate, result: PageResult | None = None, *, is_copy: bool = False, is_alias: bool = False
    ) -> None:
        """Learn from a requested page; `is_copy` and `is_alias` as in `Observation`."""
        if page.post_links is None or page.was_post is None:
            return
        result, listed = result or PageResult(), None
        if result.listed is not None:  # a variant of a post links back to the post
            listed = set(result.listed) - {addition.base for addition in self._aliases.additions.of(page.url)}
        result = replace(result, new_posts=page.new_posts or 0, was_post=page.was_post, listed=listed)
        goes_on = self._model.kinds.goes_on(page.url, listed or ())
        was_counted = page.key in self._model.counted
        self.doubts += self._model.learn(page, result, is_alias=is_alias)
        if page.new_posts:
            self.last_look.forget(page.url)
        if page.was_post and was_counted:
            self._revive()
        brings = bool(page.new_posts or page.was_post or goes_on)
        if is_copy and not page.new_posts:
            self._aliases.additions.record_copy(page.url)
        # otherwise it may list posts that no other page lists
        elif brings or listed is not None or not page.post_links:
            self._aliases.additions.record(page.url, brings_something=brings)


class BoilerplateLinks:
    """Counts the pages that link from each place (see `features.marks_of`) and to each target, to recognise
    boilerplate."""

    def __init__(self) -> None:
        self._pages = 0
        self._at: Counter[str] = Counter()
        self._to: Counter[str] = Counter()

    def note(self, linked: Mapping[str, Iterable[str]]) -> None:
        """Count the links of a page, given as the places of each target."""
        self._pages += 1
        self._to.update(linked.keys())
        self._at.update({place for places in linked.values() for place in places})

    def is_boilerplate(self, place: str) -> bool:
        """True if most pages have links at this place."""
        return self._is_frequent(self._at[place])

    def _is_frequent(self, count: int) -> bool:
        return self._pages >= ENOUGH and count > FREQUENT * self._pages

    def not_on_most_pages(self, names: Iterable[str]) -> Iterator[str]:
        """The targets that most pages do not link to from any place."""
        return (name for name in names if not self._is_frequent(self._to[name]))

    def listed(self, posts: Mapping[str, Iterable[str]]) -> set[str]:
        """The given posts that are linked outside of the boilerplate, or at no known place."""
        places_by_name = {name: list(places) for name, places in posts.items()}
        return {
            name for name, places in places_by_name.items() if not places or not all(map(self.is_boilerplate, places))
        }
