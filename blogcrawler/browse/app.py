"""The ASGI application: all routes behind the guard, and the error pages."""

from __future__ import annotations

from http import HTTPStatus
from importlib import resources
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from blogcrawler.browse import blogs, checking, correcting, downloads, files, posts, search, versions
from blogcrawler.browse.context import Context, Slots
from blogcrawler.browse.pages import Pages
from blogcrawler.browse.security import Guard, Names
from blogcrawler.errors import BackendUnavailable, BlogcrawlerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from blogcrawler.browse.holdings import Holdings

_BROKEN = "This page could not be created. Run blogcrawler verify to check the archive for damage."
_STYLES = {
    "reading.css": ("blogcrawler.export.site", "assets/style.css"),
    "style.css": ("blogcrawler.browse", "static/style.css"),
}
"""Style sheets: that of exported sites, and additions for this server."""


def application(holdings: Holdings, host: str = "127.0.0.1") -> ASGIApp:
    """Return the application for an archive; it accepts requests for `host`."""
    pages = Pages()
    app = Starlette(
        routes=[
            *downloads.ROUTES,
            *blogs.ROUTES,
            *posts.ROUTES,
            *versions.ROUTES,
            *checking.ROUTES,
            *correcting.ROUTES,
            *search.ROUTES,
            *files.ROUTES,
            Route("/static/{name}", _style),
        ],
        exception_handlers={
            HTTPException: _error_page(pages, lambda error: error.status_code),  # type: ignore[attr-defined]
            BackendUnavailable: _error_page(pages, lambda _: 503),
            BlogcrawlerError: _error_page(pages, lambda _: 500),
            Exception: _error_page(pages, lambda _: 500, _BROKEN),
        },
    )
    app.router.redirect_slashes = False
    app.state.context = Context(holdings, pages, Slots())
    return Guard(app, Names(host))


def _error_page(
    pages: Pages, status_of: Callable[[Exception], int], sentence: str | None = None
) -> Callable[[Request, Exception], Response]:
    """Return an error page."""

    def page(_request: Request, error: Exception) -> Response:
        status, said, headers = status_of(error), sentence or str(error), None
        if isinstance(error, HTTPException):
            said, headers = error.detail, error.headers
        if said == HTTPStatus.NOT_FOUND.phrase:
            said = "There is no such page."
        title = {400: "Wrong address", 404: "Not found", 503: "Not now"}.get(status, "No page")
        return pages.page("error.html", title=title, sentence=said, status=status, headers=headers)

    return page


def _style(request: Request) -> Response:
    source = _STYLES.get(request.path_params["name"])
    if source is None:
        raise HTTPException(404, "There is no such page.")
    content = (resources.files(source[0]) / source[1]).read_bytes()
    return Response(
        content, headers={"content-type": "text/css; charset=utf-8", "cache-control": "private, max-age=60"}
    )
