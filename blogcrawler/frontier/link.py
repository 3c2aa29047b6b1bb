"""Links, as a frontier is told of them."""

from __future__ import annotations

from dataclasses import dataclass

from blogcrawler.frontier.features import places_of

__all__ = ["Link"]


@dataclass(frozen=True)
class Link:
    """A link as it was found on a page, absolute."""

    url: str
    is_post: bool = False
    #: added to the estimated yield
    bonus: float = 0.0
    #: what it says of the page, see `features.marks_of`
    marks: tuple[str, ...] = ()
    #: is it in the site's menu, where posts seldom are?
    in_menu: bool = False
    #: has it a post's address with parameters that posts have not?
    is_variant: bool = False

    @property
    def places(self) -> tuple[str, ...]:
        """Those marks that tell where on the page it is."""
        return places_of(self.marks)
