"""A browser with a pool of reusable tabs.

It is started for the first page, restarted after some hundred pages because of memory leaks, and restarted after a
crash.
"""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib.resources import files
from time import monotonic
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright

from blogcrawler.browser.choices import INSTALL, NoBrowser, browsers, is_installed
from blogcrawler.browser.memory import watch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine

    from playwright.async_api import Browser, BrowserContext, CDPSession, Cookie, Page, Playwright, Route
    from scrapy.settings import BaseSettings

    from blogcrawler.browser.visit import Visit

logger = logging.getLogger(__name__)

TAB_USES = 50
"""Number of pages after which a tab is replaced."""
BROWSER_USES = 300
"""Number of pages after which the browser is restarted."""
START_S = 30
END_S = 10
ANSWER_S = 5
"""Seconds within which a working browser answers."""
STARTS = 3
"""Number of attempts to start a browser that has worked before."""
MOST_MIB = 1024
"""Most memory of a page; one that uses more is extracted without rendering."""
VIEWPORT = (1280, 2000)
NETWORK = (
    "--disable-quic",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)
"""Keeps the browser off the network: no host name resolves, and the proxy does not exist."""
APART = "--site-per-process"
"""Puts frames of other sites into separate processes, so that a busy frame does not block the page."""
NOWHERE = "http://nowhere.invalid:1"
PLAYWRIGHT_SIGNS = ("playwright", "reading from the driver")
"""Text in asyncio's messages about Playwright's tasks and errors whose results are no longer needed."""
NOBODY_LOOKED = "was never retrieved"
"""Text in asyncio's message about a broken pipe; only Playwright's process uses pipes."""
MIB = 1024 * 1024


@dataclass(eq=False)
class Tab:
    """A tab of the browser, which shows one document after another."""

    page: Page
    cdp: CDPSession
    session: _Session
    visit: Visit | None = None
    uses: int = 0
    #: True if it is to be closed after use
    is_spent: bool = False

    def note_crash(self) -> None:
        """Handle a crash of the process of the page."""
        self.is_spent = True
        if self.visit is not None:
            self.visit.is_lost = True

    async def cookies(self, url: str) -> dict[str, str]:
        """Return the page's cookies for a URL, by name."""
        cookies: list[Cookie] = []
        with suppress(PlaywrightError):  # the page is gone
            cookies = await self.page.context.cookies(url)
        return {cookie["name"]: cookie["value"] for cookie in cookies if "name" in cookie and "value" in cookie}

    async def freeze(self) -> None:
        """Stop all scripts, including endless ones; the tab is not used again."""
        self.is_spent = True
        with suppress(PlaywrightError):
            await self.cdp.send("Runtime.terminateExecution")
            await self.cdp.send("Emulation.setScriptExecutionDisabled", {"value": True})


@dataclass(eq=False)
class _Session:
    """A running browser."""

    browser: Browser
    cdp: CDPSession
    watching: asyncio.Task[None]
    idle: list[Tab] = field(default_factory=list)
    in_use: int = 0
    uses: int = 0

    async def answers(self) -> bool:
        """True if the browser and Playwright's process are alive."""
        try:
            async with asyncio.timeout(ANSWER_S):
                await self.cdp.send("Browser.getVersion")
        except (PlaywrightError, TimeoutError):
            return False
        return True

    async def close(self) -> None:
        self.watching.cancel()
        await _end(self.browser.close())


class Pool:
    """Tabs of a browser; `answer` answers their requests.

    Settings: USER_AGENT, RENDER_BROWSER, RENDER_CONCURRENCY.
    """

    def __init__(self, settings: BaseSettings, answer: Callable[[Route, Visit | None], Awaitable[None]]) -> None:
        self._user_agent, self._program = settings["USER_AGENT"], settings["RENDER_BROWSER"]
        self._answer = answer
        self._free = asyncio.Semaphore(max(1, settings.getint("RENDER_CONCURRENCY")))
        self._starting = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._session: _Session | None = None
        self._is_closed = False
        #: time when a page's process was last killed for its size
        self.ended_at = float("-inf")
        #: number of browsers started
        self.starts = 0

    @asynccontextmanager
    async def tab(self) -> AsyncIterator[Tab]:
        """Lend a tab for one page. Raises NoBrowser, or Playwright's errors if the browser dies."""
        async with self._free:
            session = await self._running()
            session.in_use += 1
            session.uses += 1
            try:
                tab = await self._tab_of(session)
                try:
                    yield tab
                except BaseException as error:
                    tab.is_spent = True
                    if isinstance(error, PlaywrightError) and not await session.answers():
                        self._leave(session)
                    raise
                finally:
                    await self._give_back(tab)
            finally:
                session.in_use -= 1
                if session is not self._session and not session.in_use:
                    await session.close()

    async def _tab_of(self, session: _Session) -> Tab:
        """Return a free or new tab. A browser that opens no tab in time counts as hung and is replaced."""
        if session.idle:
            return session.idle.pop()
        try:
            async with asyncio.timeout(START_S):
                return await self._new_tab(session)
        except (PlaywrightError, TimeoutError):
            self._leave(session)
            raise

    def _leave(self, session: _Session) -> None:
        """Let the next tab come from a new browser."""
        if session is self._session:
            self._session = None
            if not self._is_closed:
                logger.warning("The browser has ended or hangs; it is restarted.")

    async def close(self) -> None:
        self._is_closed = True
        async with self._starting:
            session, self._session = self._session, None
            if session is not None:
                await session.close()
            await self._end_driver()

    async def _running(self) -> _Session:
        async with self._starting:
            session = self._session
            if session is not None and session.browser.is_connected() and session.uses < BROWSER_USES:
                return session
            if self._is_closed:
                raise NoBrowser("The crawl has ended, so no browser is started.")
            if session is not None and not session.browser.is_connected():
                self._leave(session)
            self._session = None
            if session is not None and not session.in_use:
                await session.close()
            self._session = await self._start()
            return self._session

    async def _start(self) -> _Session:
        browser = await self._browser()
        self.starts += 1
        try:
            async with asyncio.timeout(START_S):
                cdp = await browser.new_browser_cdp_session()
                watching = asyncio.ensure_future(watch(cdp, MOST_MIB * MIB, self._note_end))
                return _Session(browser, cdp, watching)
        except TimeoutError:
            await _end(browser.close())
            raise

    async def _browser(self) -> Browser:
        """Start a browser. One that worked before is tried again, also with a new Playwright process."""
        for left in reversed(range(STARTS if self.starts else 1)):
            try:
                return await self._launch(await self._driver())
            except NoBrowser:
                if not left:
                    raise
                await self._end_driver()
        raise AssertionError

    async def _driver(self) -> Playwright:
        if self._playwright is None:
            logging.getLogger("asyncio").addFilter(_is_of_use)
            try:
                self._playwright = await async_playwright().start()
            except Exception as error:  # Playwright raises a bare Exception if its process ends during the start
                raise NoBrowser(f"Playwright cannot be started ({_first_line(error)}); install it again.") from error
        return self._playwright

    async def _end_driver(self) -> None:
        driver, self._playwright = self._playwright, None
        if driver is not None:
            await _end(driver.stop())

    async def _launch(self, playwright: Playwright) -> Browser:
        reasons: dict[str, str] = {}
        for program in browsers(self._program):
            if program is None and not is_installed(playwright.chromium.executable_path):
                reasons["Playwright's own"] = "is not installed"
                continue
            try:
                return await playwright.chromium.launch(
                    executable_path=program,
                    chromium_sandbox=os.geteuid() != 0,
                    timeout=START_S * 1000,
                    proxy={"server": NOWHERE, "bypass": "<-loopback>"},
                    args=[*NETWORK, APART, f"--js-flags=--max-old-space-size={MOST_MIB}"],
                )
            except PlaywrightError as error:
                reasons[program or "Playwright's own"] = _first_line(error)
        failures = "; ".join(f"{program}: {reason}" for program, reason in reasons.items())
        raise NoBrowser(
            "No browser can be started, so pages are read as they are sent, without what their scripts would show. "
            f"To install one: {INSTALL} ({failures})."
        )

    def _note_end(self) -> None:
        self.ended_at = monotonic()

    async def _new_tab(self, session: _Session) -> Tab:
        context = await self._context_of(session.browser)
        page = await context.new_page()
        tab = Tab(page, await context.new_cdp_session(page), session)
        page.on("crash", lambda _: tab.note_crash())
        await page.route("**/*", lambda route: self._answer(route, tab.visit))
        await page.route_web_socket("**/*", lambda socket: socket.close())
        return tab

    async def _context_of(self, browser: Browser) -> BrowserContext:
        """Open a window with its own cookies; Chromium renders background tabs at only one frame per second."""
        context = await browser.new_context(
            user_agent=self._user_agent,
            viewport={"width": VIEWPORT[0], "height": VIEWPORT[1]},
            service_workers="block",
            accept_downloads=False,
            bypass_csp=True,
        )
        await context.add_init_script(files(__package__).joinpath("scripts/begin.js").read_text("utf-8"))
        await context.route("**/*", lambda route: route.abort())  # pages that no tab has opened
        return context

    async def _give_back(self, tab: Tab) -> None:
        tab.visit = None
        tab.uses += 1
        try:
            async with asyncio.timeout(END_S):
                if tab.is_spent or tab.uses >= TAB_USES or tab.session is not self._session:
                    await tab.page.context.close()
                    return
                await tab.page.goto("about:blank")
                await tab.page.context.clear_cookies()
                tab.session.idle.append(tab)
        except (PlaywrightError, TimeoutError) as error:
            if isinstance(error, TimeoutError):
                self._leave(tab.session)
            await _end(tab.page.context.close())


async def _end(ending: Coroutine[Any, Any, None]) -> None:
    """Wait some seconds for a task to end; ignore its result."""
    with suppress(PlaywrightError, TimeoutError):
        async with asyncio.timeout(END_S):
            await ending


def _is_of_use(record: logging.LogRecord) -> bool:
    """False for asyncio's messages about Playwright's pending work after its browser or process ended."""
    message, error = record.getMessage(), record.exc_info[1] if record.exc_info else None
    is_broken_pipe = NOBODY_LOOKED in message and isinstance(error, (BrokenPipeError, ConnectionResetError))
    return not is_broken_pipe and not any(sign in message for sign in PLAYWRIGHT_SIGNS)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
