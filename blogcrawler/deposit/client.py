"""The HTTP client for repositories, with bounded retries, and the base class of repositories that use it."""

from __future__ import annotations

import json
import random
import threading
import time
import uuid
from abc import abstractmethod
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol
from urllib.parse import quote, urljoin, urlsplit

import requests
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError

from blogcrawler import __version__
from blogcrawler.deposit.repository import Repository
from blogcrawler.errors import BlogcrawlerError, DepositRefused, NotPermitted, RepositoryUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from blogcrawler.deposit.repository import Deposit, DepositFile, Progress

_MOST_BYTES = 16 * 1024 * 1024
"""Largest accepted response body."""
_MOST_REDIRECTS = 3
_LONGEST = 300
"""Maximum length of a server's error text in our messages."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_REPEATABLE = frozenset({"GET", "PUT", "DELETE"})
_TROUBLED = frozenset({500, 502, 503, 504})
_AGES = 10**9
"""Numbers from this value on are Unix timestamps; smaller numbers are seconds to wait."""
_PAUSE_AT_MOST_S = 60.0
_MOST_RENEWALS = 2
"""Maximum number of credential renewals for a single request: the access token and the CSRF token may both have
expired."""
_GOES_ON = "run the same command again to continue."
GONE = (404, 410)
_PORTION = 1 << 16
_ESCAPED = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})


class Unanswered(RepositoryUnavailable):
    """The request may or may not have been executed: no response arrived, or the response was a server error."""


class Conflict(DepositRefused):
    """Another client changed the same object on the server (status 409)."""


class _Later(RepositoryUnavailable):
    """The request may be repeated after `wait_s` seconds, or after an exponentially growing pause if `wait_s` is
    None."""

    def __init__(self, message: str, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class Credentials(Protocol):
    """The credentials of one account on the server."""

    def headers(self, method: str) -> dict[str, str]:
        """Return the authentication headers for a request."""

    def heed(self, answer: ServerResponse) -> None:
        """Store tokens that the response carries."""

    def renew(self, answer: ServerResponse) -> bool:
        """Handle a 401 or 403 response; return True if the request may be repeated with other headers."""

    def hint(self) -> str:
        """Return advice for a refused request, as the end of a sentence."""


@dataclass(frozen=True)
class Pace:
    """Retry and timeout settings."""

    #: number of attempts for a request
    tries: int = 5
    #: seconds before the second attempt; doubled for each further attempt
    delay_s: float = 1.0
    #: longest pause that the server may request, in seconds
    longest_wait_s: float = 900.0
    #: seconds without received data after which a request fails
    timeout_s: float = 60.0
    #: seconds until the server's search index contains a new draft
    settle_s: float = 3.0


@dataclass(frozen=True)
class ServerResponse:
    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    def json(self) -> dict[str, Any]:
        """The JSON object in the body; an empty dictionary if the body is not a JSON object."""
        try:
            value = json.loads(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def status_line(self) -> str:
        """The status and the server's error text, in one short line."""
        texts = _messages(self.json())
        name = f"{self.status} {_phrase(self.status)}".strip()
        line = " ".join(": ".join([name, "; ".join(texts)] if texts else [name]).split())
        clean = "".join(sign if sign.isprintable() else " " for sign in line)
        return clean if len(clean) <= _LONGEST else f"{clean[:_LONGEST]} …"


class Client:
    """Sends requests to one server. Paths are relative to its address; absolute URLs must have the same origin."""

    def __init__(self, address: str, credentials: Credentials, pace: Pace | None = None) -> None:
        self.address = address.rstrip("/")
        self.pace = pace or Pace()
        self._credentials = credentials
        self._origin = origin_of(address)
        self._session = requests.Session()
        self._session.auth = lambda request: request  # do not read ~/.netrc
        self._session.headers["User-Agent"] = f"blogcrawler/{__version__} (deposit)"
        self._stopped = threading.Event()
        #: earliest time of the next request, by time.monotonic()
        self._free_at = 0.0

    def close(self) -> None:
        self._session.close()

    def stop(self) -> None:
        """Interrupt all pauses and send no further request."""
        self._stopped.set()

    def pause(self, seconds: float) -> None:
        """Sleep. Raises RepositoryUnavailable if `stop` is called meanwhile."""
        if self._stopped.wait(seconds):
            raise RepositoryUnavailable(f"The deposit in {self.address} was interrupted; the next run continues it.")

    def request(
        self,
        method: str,
        path: str,
        *,
        ok: Iterable[int] = (200, 201, 202, 204),
        query: Mapping[str, str] | None = None,
        value: Any = None,  # noqa: ANN401
        form: Mapping[str, str] | None = None,
        text: str | None = None,
        stream: Callable[[], BinaryIO | Iterable[bytes]] | None = None,
        kind: str | None = None,
        is_repeatable: bool | None = None,
    ) -> ServerResponse:
        """Send a request, repeat it where that is safe, and return the first response whose status is in `ok`.

        The body is a JSON `value`, a `form`, a `text` or the content of a `stream`. Raises Unanswered if the request
        may have been executed and `is_repeatable` is False, Conflict, and the errors of `Repository.deposit`.
        """
        url = self._url(path)
        kind = kind or _kind(value, text, stream)
        repeatable = method in _REPEATABLE if is_repeatable is None else is_repeatable
        renewals = iter(range(_MOST_RENEWALS))

        def attempt() -> ServerResponse:
            self.pause(max(0.0, self._free_at - time.monotonic()))
            body = _body(value, form, text, stream)
            try:
                answer = self._exchange(method, url, query, body, kind)
            except requests.RequestException as error:
                raise self._no_answer(error, repeatable=repeatable) from error
            finally:
                if hasattr(body, "close"):
                    body.close()
            if answer.status in (401, 403) and next(renewals, None) is not None and self._credentials.renew(answer):
                raise _Later(f"{self.address} rejected the credentials; {_GOES_ON}", wait_s=0)
            if answer.status in ok:
                return answer
            raise self._refusal(method, answer, repeatable=repeatable)

        return Retrying(
            stop=stop_after_attempt(self.pace.tries),
            wait=self._time_before_next,
            sleep=self.pause,
            retry=retry_if_exception_type(_Later),
            reraise=True,
        )(attempt)

    def _exchange(
        self,
        method: str,
        url: str,
        query: Mapping[str, str] | None,
        body: Any,  # noqa: ANN401
        kind: str | None,
    ) -> ServerResponse:
        """Send a request and follow redirects within the server."""
        for _ in range(_MOST_REDIRECTS + 1):
            headers = {"Accept": "application/json", **({"Content-Type": kind} if kind else {})}
            with self._session.request(
                method,
                url,
                params=query,
                data=body,
                headers={**headers, **self._credentials.headers(method)},
                timeout=(min(10.0, self.pace.timeout_s), self.pace.timeout_s),
                allow_redirects=False,
                stream=True,
            ) as response:
                content = bytearray()
                for part in response.iter_content(1 << 16):
                    content += part
                    if len(content) > _MOST_BYTES:
                        raise RepositoryUnavailable(f"{self.address} sent a response larger than 16 MB.")
                answer = ServerResponse(url, response.status_code, response.headers, bytes(content))
            self._credentials.heed(answer)
            self._heed_limits(answer)
            if answer.status not in _REDIRECTS or "Location" not in answer.headers:
                return answer
            target = urljoin(url, answer.headers["Location"])
            if method != "GET" or origin_of(target) != self._origin:
                raise NotPermitted(
                    f"{self.address} redirects to {origin_of(target)}, to which nothing was sent; configure the "
                    "new address."
                )
            url, query = target, None
        raise RepositoryUnavailable(f"{self.address} redirects more than {_MOST_REDIRECTS} times.")

    def _url(self, path: str) -> str:
        url = path if "://" in path else f"{self.address}/{path.lstrip('/')}"
        if origin_of(url) != self._origin:
            raise DepositRefused(f"{self.address} refers to an address on another server, {origin_of(url)}.")
        return url

    def _heed_limits(self, answer: ServerResponse) -> None:
        """Delay the next request until the server's rate limit resets, if this response used up the limit."""
        if answer.headers.get("X-RateLimit-Remaining", "").strip() != "0":
            return
        wait = _seconds(answer.headers.get("X-RateLimit-Reset")) or 0.0
        self._free_at = time.monotonic() + min(wait, self.pace.longest_wait_s)

    def _no_answer(self, error: requests.RequestException, *, repeatable: bool) -> RepositoryUnavailable:
        reason = _reason(error)
        if repeatable or _was_never_sent(error):
            return _Later(f"{self.address} does not answer ({reason}); {_GOES_ON}")
        return Unanswered(f"{self.address} did not answer ({reason}); the next run continues.")

    def _refusal(self, method: str, answer: ServerResponse, *, repeatable: bool) -> BlogcrawlerError:
        """Return the error for a response whose status is not among the expected ones."""
        is_busy = answer.status == HTTPStatus.SERVICE_UNAVAILABLE and "Retry-After" in answer.headers
        if is_busy or answer.status == HTTPStatus.TOO_MANY_REQUESTS:  # the server did not process the request
            wait_s = self._requested_wait_s(answer)
            if wait_s is None or wait_s <= self.pace.longest_wait_s:
                return _Later(f"{self.address} is busy ({answer.status_line}); {_GOES_ON}", wait_s)
            return RepositoryUnavailable(
                f"{self.address} asks to wait {wait_s:.0f} seconds ({answer.status_line}), which is longer than "
                f"{self.pace.longest_wait_s:.0f}; run the same command again after that time."
            )
        if answer.status in _TROUBLED and not repeatable:
            return Unanswered(f"{self.address} reports a server error ({answer.status_line}); the next run continues.")
        if answer.status in _TROUBLED:
            return _Later(f"{self.address} is busy ({answer.status_line}); {_GOES_ON}")
        if answer.status in (401, 403):
            return NotPermitted(f"{self.address} refuses ({answer.status_line}); {self._credentials.hint()}")
        message = f"{self.address} rejects the request ({method} {urlsplit(answer.url).path}: {answer.status_line})"
        return Conflict(message) if answer.status == HTTPStatus.CONFLICT else DepositRefused(message)

    def _requested_wait_s(self, answer: ServerResponse) -> float | None:
        """Seconds to wait according to the headers of a busy server; None if it sent none."""
        wait_s = _seconds(answer.headers.get("Retry-After"))
        if wait_s is None and answer.headers.get("X-RateLimit-Remaining", "0").strip() == "0":
            wait_s = _seconds(answer.headers.get("X-RateLimit-Reset"))
        return wait_s

    def _time_before_next(self, state: RetryCallState) -> float:
        """Seconds until the next attempt: as the server asks, else exponential backoff with random jitter."""
        error = state.outcome.exception() if state.outcome is not None else None
        if isinstance(error, _Later) and error.wait_s is not None:
            return error.wait_s
        longest: float = min(self.pace.delay_s * 2 ** (state.attempt_number - 1), _PAUSE_AT_MOST_S)
        return longest * random.uniform(0.5, 1)  # noqa: S311  no secret


class WebRepository(Repository):
    """A repository with a web API. After a lost response it searches for the effect of the request."""

    def __init__(self, name: str, address: str, credentials: Credentials, pace: Pace | None = None) -> None:
        self.name = name
        self._client = Client(address, credentials, pace)

    def stop(self) -> None:
        self._client.stop()

    def close(self) -> None:
        self._client.close()

    def deposit(self, deposit: Deposit, progress: Progress) -> None:
        """Deposit a post; after a lost response, search for the effect of the request and continue from there."""
        Retrying(
            stop=stop_after_attempt(self._client.pace.tries),
            wait=wait_exponential(multiplier=self._client.pace.delay_s),
            sleep=self._client.pause,
            retry=retry_if_exception_type((Unanswered, Conflict)),
            reraise=True,
        )(self._bring, deposit, progress)

    @abstractmethod
    def _bring(self, deposit: Deposit, progress: Progress) -> None:
        """Deposit a post, starting at the stage that it has reached. Called again after a lost response."""


class FilePart:
    """A multipart/form-data body with one file, in the field `file`; each iteration reads the file from its start."""

    def __init__(self, file: DepositFile) -> None:
        boundary = uuid.uuid4().hex
        self.type = f"multipart/form-data; boundary={boundary}"
        self._file = file
        name = file.name.translate(_ESCAPED)
        self._head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            f"Content-Type: {file.type}\r\n\r\n"
        ).encode()
        self._tail = f"\r\n--{boundary}--\r\n".encode()

    def __len__(self) -> int:
        return len(self._head) + self._file.size + len(self._tail)

    def __iter__(self) -> Iterator[bytes]:
        yield self._head
        with self._file.open() as stream:
            while part := stream.read(_PORTION):
                yield part
        yield self._tail


def quoted(text: str | None) -> str:
    """Return a text quoted as one segment of a path."""
    return quote(text or "", safe="")


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}"


def _kind(value: Any, text: str | None, stream: object) -> str | None:  # noqa: ANN401
    if value is not None:
        return "application/json"
    if stream is not None:
        return "application/octet-stream"
    return "text/uri-list" if text is not None else None


def _body(
    value: Any,  # noqa: ANN401
    form: Mapping[str, str] | None,
    text: str | None,
    stream: Callable[[], BinaryIO | Iterable[bytes]] | None,
) -> Any:  # noqa: ANN401
    if value is not None:
        return json.dumps(value).encode()
    if text is not None:
        return text.encode()
    return form if stream is None else stream()


def _was_never_sent(error: requests.RequestException) -> bool:
    """True if the connection was never established."""
    cause = getattr(error.args[0] if error.args else None, "reason", None)
    never = NewConnectionError | ConnectTimeoutError | NameResolutionError
    return isinstance(error, requests.ConnectTimeout) or isinstance(cause, never)


def _reason(error: requests.RequestException) -> str:
    """A short reason for people: the library's own error texts are long and technical."""
    if isinstance(error, requests.exceptions.SSLError):
        return "its certificate is not valid"
    if isinstance(error, requests.Timeout):
        return "no answer in time"
    cause = getattr(error.args[0] if error.args else None, "reason", None)
    if isinstance(cause, NameResolutionError):
        return "host not found"
    return "no connection" if isinstance(cause, NewConnectionError) else "connection lost"


def _seconds(header: str | None) -> float | None:
    """Seconds to wait according to a header, which holds seconds, a Unix timestamp or a date."""
    if not header:
        return None
    now = datetime.now(UTC)
    try:
        number = float(header)
    except ValueError:
        try:
            date = parsedate_to_datetime(header)
        except ValueError:
            return None
        return max(0.0, ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds())
    if not 0 <= number < float("inf"):
        return None
    return max(0.0, number - now.timestamp()) if number >= _AGES else number


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _messages(body: Mapping[str, Any]) -> list[str]:
    """Error texts in a response body of InvenioRDM or DSpace."""
    texts = [str(body[name]) for name in ("message", "detail") if body.get(name)]
    errors = body.get("errors")
    for error in errors if isinstance(errors, list) else []:
        if isinstance(error, dict):
            messages = error.get("messages") or [error.get("message", "")]
            field_name = error.get("field") or ", ".join(map(str, error.get("paths", [])))
            texts.append(" ".join([f"{field_name}:" if field_name else "", *map(str, messages)]).strip())
    return texts
