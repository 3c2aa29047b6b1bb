"""Pages for corrections: the user selects the element of a field; the wrapper learns from it and extracts all posts
again."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse
from starlette.routing import Route

from blogcrawler.browse.checking import WITH_FORMS, WITH_FRAMES, frame_of, page_of
from blogcrawler.browse.context import context_of, form_of, number_in, requested_blog, requested_post
from blogcrawler.browse.outlined import choosable
from blogcrawler.browse.pages import name_of
from blogcrawler.browse.posts import UNTITLED
from blogcrawler.choices import CORRECTABLE
from blogcrawler.dom import inline_text
from blogcrawler.errors import BadArgument, DamagedCapture, NotAWebPage
from blogcrawler.reextraction import correct, propose, take_back
from blogcrawler.wrapper import path_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement
    from starlette.requests import Request
    from starlette.responses import Response

    from blogcrawler.backend import BlogRow
    from blogcrawler.reextraction import PostPage

_LEVELS = 8
"""Number of enclosing elements that are offered besides the clicked one."""
_BEGINNING = 120
_SEE_OTHER = 303
_BY_WORDS = ("title", "authors")
_ZERO = "0"


def _field(request: Request) -> str:
    name = request.path_params["field"]
    if name not in CORRECTABLE:
        raise HTTPException(404, f"This field cannot be corrected. Fields: {', '.join(CORRECTABLE)}.")
    return str(name)


def choose(request: Request) -> Response:
    """The page on which the user selects an element of the archived page."""
    context, name = context_of(request), _field(request)
    row, kept = requested_post(request)
    return context.pages.page(
        "choose_element.html",
        title=f"Which part is the {_label(name)} of {name_of(kept.record.title, UNTITLED)}?",
        blog=row,
        kept=kept,
        field=name,
        label=_label(name),
        headers=WITH_FRAMES,
    )


def choose_frame(request: Request) -> Response:
    """The archived page with selectable texts, for the frame."""
    name = _field(request)
    row, kept = requested_post(request)
    start = f"/posts/{kept.id}/correct/{name}/"
    return frame_of(context_of(request).holdings, row, kept, lambda number: f"{start}{number}")


def confirm(request: Request) -> Response:
    """The page that shows the field's value for the clicked element and each enclosing one."""
    context, name = context_of(request), _field(request)
    row, kept = requested_post(request)
    try:
        post = page_of(context.holdings, row, kept.record)
    except (DamagedCapture, NotAWebPage) as error:
        raise HTTPException(404, str(error)) from error
    options = [_option(post, name, node) for node in _around(post.tree, request.path_params["number"])]
    return context.pages.page(
        "confirm_element.html",
        title=f"Is this the {_label(name)} of {name_of(kept.record.title, UNTITLED)}?",
        blog=row,
        kept=kept,
        field=name,
        label=_label(name),
        options=options,
        first=next((option["path"] for option in options if option["value"]), None),
        takes_words=name in _BY_WORDS,
        headers=WITH_FORMS,
    )


def _around(tree: HtmlElement, number: str) -> list[HtmlElement]:
    """Return the element with this number and its ancestors, the innermost first."""
    at = 0 if number == _ZERO else number_in(number)
    node = choosable(tree, at) if at is not None else None
    if node is None:
        raise HTTPException(404, "The page has no element with this number.")
    around = [node, *node.iterancestors()]
    return [element for element in around if element.tag != "html"][:_LEVELS] or around[:1]


def _option(post: PostPage, name: str, node: HtmlElement) -> dict[str, Any]:
    """Return the value of a field if it is extracted from an element, or why there is none."""
    path = path_of(node)
    try:
        value, why = propose(post, name, path).value, ""
    except BadArgument as error:
        value, why = "", str(error)
    said = inline_text(node).strip()
    return {"path": path, "tag": node.tag, "value": value, "why": why, "says": said[:_BEGINNING], "size": len(said)}


async def save(request: Request) -> Response:
    """Save the selection, and start learning."""
    form = await form_of(request)
    return await run_in_threadpool(_save, request, form)


def _save(request: Request, form: dict[str, str]) -> Response:
    context, name = context_of(request), _field(request)
    row, kept = requested_post(request)
    try:
        words = form.get("words") if name in _BY_WORDS else None
        post = page_of(context.holdings, row, kept.record)
        correct(context.holdings.archive, propose(post, name, form.get("path", ""), words))
    except (BadArgument, DamagedCapture, NotAWebPage) as error:
        raise HTTPException(400, str(error)) from error
    return _begun(request, row)


async def forget(request: Request) -> Response:
    """Undo a correction."""
    await form_of(request)
    return await run_in_threadpool(_forget, request)


def _forget(request: Request) -> Response:
    name = _field(request)
    row, kept = requested_post(request)
    try:
        take_back(context_of(request).holdings.archive, kept.record, name)
    except BadArgument as error:
        raise HTTPException(400, str(error)) from error
    return _begun(request, row)


async def renew(request: Request) -> Response:
    """Start learning a blog's rules and extracting its posts again."""
    await form_of(request)
    return await run_in_threadpool(lambda: _begun(request, requested_blog(request)))


def _begun(request: Request, row: BlogRow) -> Response:
    context = context_of(request)
    context.renewals.start(context.holdings, row)
    return RedirectResponse(f"/blogs/{row.id}/renewal", _SEE_OTHER)


def progress(request: Request) -> Response:
    """The page of the progress or the result."""
    context, row = context_of(request), requested_blog(request)
    renewal = context.renewals.of(row)
    if renewal is None:
        raise HTTPException(404, "The posts of this blog were not extracted again since this server started.")
    state: Literal["done", "failed", "running"]
    state = "failed" if renewal.error else "done" if renewal.is_over else "running"
    reasons = renewal.outcome.left if renewal.outcome is not None else {}
    left = Counter(why.replace(url, "…") for url, why in reasons.items())
    return context.pages.page(
        "renewal.html",
        title={"done": "All posts were extracted again", "failed": "The posts were not read again"}.get(
            state, "Posts are being extracted again"
        ),
        blog=row,
        renewal=renewal,
        state=state,
        left=list(left.items()),
        headers=None if renewal.is_over else {"refresh": "1"},
    )


def _label(name: str) -> str:
    return {"published": "date of publication", "content": "article"}.get(name, name)


ROUTES = [
    Route("/posts/{post}/correct/{field}", choose),
    Route("/posts/{post}/correct/{field}", save, methods=["POST"]),
    Route("/posts/{post}/correct/{field}/frame", choose_frame),
    Route("/posts/{post}/correct/{field}/forget", forget, methods=["POST"]),
    Route("/posts/{post}/correct/{field}/{number}", confirm),
    Route("/blogs/{blog}/renewal", progress),
    Route("/blogs/{blog}/renewal", renew, methods=["POST"]),
]
