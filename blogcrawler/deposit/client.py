"""Requests to a repository, patient and bounded; and what all repositories with such requests have in common."""

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
"""Of an answer."""
_MOST_REDIRECTS = 3
_LONGEST = 300
"""Characters of what a repository says that are told."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_REPEATABLE = frozenset({"GET", "PUT", "DELETE"})
_TROUBLED = frozenset({500, 502, 503, 504})
_AGES = 10**9
"""Numbers from here on are times since 1970, and no seconds to wait."""
_PAUSE_AT_MOST_S = 60.0
_MOST_RENEWALS = 2
"""Of one request: a secret may have run out, and the token that goes with it."""
_GOES_ON = "it goes on when the same is asked for again."
GONE = (404, 410)
_PORTION = 1 << 16
_ESCAPED = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})


class Unanswered(RepositoryUnavailable):
    """A request that may have been fulfilled or not: its answer did not come, or told of trouble."""


class Conflict(DepositRefused):
    """What is there is not what we thought: somebody else was at work (409)."""


class _Later(RepositoryUnavailable):
    """A request that may be made again: after some seconds, or after a pause that grows where these are None."""

    def __init__(self, message: str, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class Credentials(Protocol):
    """Who we are."""

    def headers(self, method: str) -> dict[str, str]:
        """What is sent with a request."""

    def heed(self, answer: Answer) -> None:
        """Take in what any answer brings."""

    def renew(self, answer: Answer) -> bool:
        """Take in a refusal; return True if the request may be made again, with other headers."""

    def hint(self) -> str:
        """What to do where that is not enough, as the end of a sentence."""


@dataclass(frozen=True)
class Pace:
    """How patient we are."""

    #: times that a request is made
    tries: int = 5
    #: seconds before the second time; twice as many before each further one
    delay_s: float = 1.0
    #: seconds of the longest pause that a repository may ask for
    longest_wait_s: float = 900.0
    #: seconds without a byte
    timeout_s: float = 60.0
    #: seconds after which a search finds what was made
    settle_s: float = 3.0


@dataclass(frozen=True)
class Answer:
    """What a repository has answered."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    def json(self) -> dict[str, Any]:
        """The object that the body is as JSON; an empty one where it is none."""
        try:
            value = json.loads(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def told(self) -> str:
        """The status, and what the repository says of it, in one short line."""
        texts = _messages(self.json())
        name = f"{self.status} {_phrase(self.status)}".strip()
        line = " ".join(": ".join([name, "; ".join(texts)] if texts else [name]).split())
        clean = "".join(sign if sign.isprintable() else " " for sign in line)
        return clean if len(clean) <= _LONGEST else f"{clean[:_LONGEST]} …"


class Client:
    """Talks to one server. What it is given are paths below its address, or addresses of the same server."""

    def __init__(self, address: str, credentials: Credentials, pace: Pace | None = None) -> None:
        self.address = address.rstrip("/")
        self.pace = pace or Pace()
        self._credentials = credentials
        self._origin = origin_of(address)
        self._session = requests.Session()
        self._session.auth = lambda request: request  # keeps .netrc out
        self._session.headers["User-Agent"] = f"blogcrawler/{__version__} (deposit)"
        self._stopped = threading.Event()
        #: of time.monotonic()
        self._free_at = 0.0

    def close(self) -> None:
        """Give up the connections."""
        self._session.close()

    def stop(self) -> None:
        """End all pauses, and make no further request."""
        self._stopped.set()

    def pause(self, seconds: float) -> None:
        """Wait. Raises RepositoryUnavailable when there is no time any more."""
        if self._stopped.wait(seconds):
            raise RepositoryUnavailable(f"The deposit in {self.address} was interrupted; it goes on next time.")

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
    ) -> Answer:
        """Make a request, again and again where that is safe, until it is answered with one of some statuses.

        Its body is a JSON `value`, a `form`, a `text`, or what a `stream` holds. Raises Unanswered where the request
        may have been fulfilled and `is_repeatable` is False, Conflict, and what `Repository.deposit` raises.
        """
        url = self._url(path)
        kind = kind or _kind(value, text, stream)
        repeatable = method in _REPEATABLE if is_repeatable is None else is_repeatable
        renewals = iter(range(_MOST_RENEWALS))

        def attempt() -> Answer:
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
                raise _Later(f"{self.address} did not let us in; {_GOES_ON}", wait_s=0)
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

    def _exchange(self, method: str, url: str, query: Mapping[str, str] | None, body: Any, kind: str | None) -> Answer:  # noqa: ANN401
        """One request, and where its answer leads within the server."""
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
                        raise RepositoryUnavailable(f"{self.address} answers more than anybody can read.")
                answer = Answer(url, response.status_code, response.headers, bytes(content))
            self._credentials.heed(answer)
            self._heed_limits(answer)
            if answer.status not in _REDIRECTS or "Location" not in answer.headers:
                return answer
            target = urljoin(url, answer.headers["Location"])
            if method != "GET" or origin_of(target) != self._origin:
                raise NotPermitted(
                    f"{self.address} leads to {origin_of(target)}; give the address that it has now, which is sent "
                    "nothing before."
                )
            url, query = target, None
        raise RepositoryUnavailable(f"{self.address} leads from one address to the next without an end.")

    def _url(self, path: str) -> str:
        url = path if "://" in path else f"{self.address}/{path.lstrip('/')}"
        if origin_of(url) != self._origin:
            raise DepositRefused(f"{self.address} names an address of another server, {origin_of(url)}.")
        return url

    def _heed_limits(self, answer: Answer) -> None:
        """Ask for nothing more before the server takes it, where this answer was the last one of a period."""
        if answer.headers.get("X-RateLimit-Remaining", "").strip() != "0":
            return
        wait = _seconds(answer.headers.get("X-RateLimit-Reset")) or 0.0
        self._free_at = time.monotonic() + min(wait, self.pace.longest_wait_s)

    def _no_answer(self, error: requests.RequestException, *, repeatable: bool) -> RepositoryUnavailable:
        reason = _reason(error)
        if repeatable or _was_never_sent(error):
            return _Later(f"{self.address} does not answer ({reason}); {_GOES_ON}")
        return Unanswered(f"{self.address} did not answer ({reason}); it goes on next time.")

    def _refusal(self, method: str, answer: Answer, *, repeatable: bool) -> BlogcrawlerError:
        """The error for an answer whose status was not asked for."""
        told_later = answer.status == HTTPStatus.SERVICE_UNAVAILABLE and "Retry-After" in answer.headers
        if told_later or answer.status == HTTPStatus.TOO_MANY_REQUESTS:  # turned away unread
            wait_s = self._time_told(answer)
            if wait_s is None or wait_s <= self.pace.longest_wait_s:
                return _Later(f"{self.address} cannot do it now ({answer.told}); {_GOES_ON}", wait_s)
            return RepositoryUnavailable(
                f"{self.address} asks to wait {wait_s:.0f} seconds ({answer.told}), longer than "
                f"{self.pace.longest_wait_s:.0f}; ask for the same again then."
            )
        if answer.status in _TROUBLED and not repeatable:
            return Unanswered(f"{self.address} is in trouble ({answer.told}); it goes on next time.")
        if answer.status in _TROUBLED:
            return _Later(f"{self.address} cannot do it now ({answer.told}); {_GOES_ON}")
        if answer.status in (401, 403):
            return NotPermitted(f"{self.address} refuses ({answer.told}); {self._credentials.hint()}")
        told = f"{self.address} does not take it ({method} {urlsplit(answer.url).path}: {answer.told})"
        return Conflict(told) if answer.status == HTTPStatus.CONFLICT else DepositRefused(told)

    def _time_told(self, answer: Answer) -> float | None:
        """Seconds to wait, as a server says that is busy."""
        told = _seconds(answer.headers.get("Retry-After"))
        if told is None and answer.headers.get("X-RateLimit-Remaining", "0").strip() == "0":
            told = _seconds(answer.headers.get("X-RateLimit-Reset"))
        return told

    def _time_before_next(self, state: RetryCallState) -> float:
        """Seconds as the server says, else growing, and at random half to all of it: not at once with other clients."""
        error = state.outcome.exception() if state.outcome is not None else None
        if isinstance(error, _Later) and error.wait_s is not None:
            return error.wait_s
        longest: float = min(self.pace.delay_s * 2 ** (state.attempt_number - 1), _PAUSE_AT_MOST_S)
        return longest * random.uniform(0.5, 1)  # noqa: S311  no secret


class WebRepository(Repository):
    """A repository with a client; where an answer is lost, it looks for the effect of the request."""

    def __init__(self, name: str, address: str, credentials: Credentials, pace: Pace | None = None) -> None:
        self.name = name
        self._client = Client(address, credentials, pace)

    def stop(self) -> None:
        """Wait for nothing any more."""
        self._client.stop()

    def close(self) -> None:
        """Give up connections."""
        self._client.close()

    def deposit(self, deposit: Deposit, progress: Progress) -> None:
        """Deposit a post; where an answer is lost, look for the effect of the request, and go on from there."""
        Retrying(
            stop=stop_after_attempt(self._client.pace.tries),
            wait=wait_exponential(multiplier=self._client.pace.delay_s),
            sleep=self._client.pause,
            retry=retry_if_exception_type((Unanswered, Conflict)),
            reraise=True,
        )(self._bring, deposit, progress)

    @abstractmethod
    def _bring(self, deposit: Deposit, progress: Progress) -> None:
        """Deposit a post from the stage that it has reached. Called again when an answer was lost."""


class FilePart:
    """A form with one file, under the name `file` (multipart/form-data): bytes that are read anew each time."""

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
    """A text as one part of a path."""
    return quote(text or "", safe="")


def origin_of(url: str) -> str:
    """Scheme, host and port of an address."""
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
    """True if there was no connection at all."""
    cause = getattr(error.args[0] if error.args else None, "reason", None)
    never = NewConnectionError | ConnectTimeoutError | NameResolutionError
    return isinstance(error, requests.ConnectTimeout) or isinstance(cause, never)


def _reason(error: requests.RequestException) -> str:
    """In a few words: the library's own are long, and for programmers."""
    if isinstance(error, requests.exceptions.SSLError):
        return "its certificate is not valid"
    if isinstance(error, requests.Timeout):
        return "no answer in time"
    cause = getattr(error.args[0] if error.args else None, "reason", None)
    if isinstance(cause, NameResolutionError):
        return "host not found"
    return "no connection" if isinstance(cause, NewConnectionError) else "broken off"


def _seconds(told: str | None) -> float | None:
    """How long to wait as a header says: seconds, a time since 1970, or a date."""
    if not told:
        return None
    now = datetime.now(UTC)
    try:
        number = float(told)
    except ValueError:
        try:
            date = parsedate_to_datetime(told)
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


def _messages(said: Mapping[str, Any]) -> list[str]:
    """What InvenioRDM and DSpace say of an error."""
    texts = [str(said[name]) for name in ("message", "detail") if said.get(name)]
    errors = said.get("errors")
    for error in errors if isinstance(errors, list) else []:
        if isinstance(error, dict):
            messages = error.get("messages") or [error.get("message", "")]
            where = error.get("field") or ", ".join(map(str, error.get("paths", [])))
            texts.append(" ".join([f"{where}:" if where else "", *map(str, messages)]).strip())
    return texts
