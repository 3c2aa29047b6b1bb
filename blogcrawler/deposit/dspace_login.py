"""Who we are to a DSpace: a token that runs out (JWT), and one against forged requests (CSRF)."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import TYPE_CHECKING

from blogcrawler.deposit.client import Client, origin_of
from blogcrawler.errors import NotPermitted

if TYPE_CHECKING:
    from collections.abc import Callable

    from blogcrawler.deposit.client import Answer, Client

USER, PASSWORD = "DSPACE_USER", "DSPACE_PASSWORD"
TOKEN = "DSPACE_TOKEN"  # noqa: S105  the name of a variable
_CSRF = "DSPACE-XSRF-TOKEN"
_LOGIN = "authn/login"
_MARGIN_S = 120
"""Seconds before a token runs out at which it is exchanged for another one."""
_BEARER = re.compile(r"Bearer\s+([^\s]+)", re.IGNORECASE)
_METHOD = re.compile(r'\b(\w++)\s++realm="')


class Login:
    """Credentials of one account. They are in no message, and in no representation."""

    def __init__(self, user: str, password: str, token: str, clock: Callable[[], float]) -> None:
        self._user, self._password = user, password
        self._token = token.removeprefix("Bearer ").strip()
        self._clock = clock
        self._csrf = ""
        self._is_entering = False
        self._runs_out = _runs_out(self._token)
        self._client: Client | None = None
        #: what the server says of itself
        self.root: dict[str, object] = {}

    def enter(self, client: Client) -> None:
        """See to it that the server knows us, and does so for a while."""
        self._client = client
        if not self._token and not (self._user and self._password):
            raise NotPermitted(
                f"No account is given: set the environment variables {USER} and {PASSWORD}, or {TOKEN} if the "
                "repository allows no login by password."
            )
        if not self.root:
            self._greet(client)
        if not self._token or (self._runs_out is not None and self._clock() > self._runs_out - _MARGIN_S):
            self._login(client)

    def headers(self, method: str) -> dict[str, str]:
        """What is sent with a request."""
        known = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        return known if method == "GET" else {**known, "X-XSRF-TOKEN": self._csrf}

    def heed(self, answer: Answer) -> None:
        """Take in the tokens that any answer may bring."""
        self._csrf = answer.headers.get(_CSRF) or self._csrf
        found = _BEARER.fullmatch(answer.headers.get("Authorization", "").strip())
        if found and answer.url.endswith(_LOGIN):
            self._token = found[1]
            # A server whose clock is behind ours would have us renew a token before each request.
            told = _runs_out(self._token)
            self._runs_out = None if told is None or told < self._clock() + 2 * _MARGIN_S else told

    def renew(self, answer: Answer) -> bool:
        """A request without a valid token is turned away unread: 403 without that of forms, 401 without ours."""
        if answer.status == 403:
            return bool(answer.headers.get(_CSRF))
        if self._is_entering or not self._user or not self._password or self._client is None:
            return False
        self._login(self._client)
        return True

    def hint(self) -> str:
        """What to do where that is not enough, as the end of a sentence."""
        return (
            f"may the account of {USER} (or {TOKEN}) submit to this collection, and is a token still valid? "
            "It needs the right to add to it."
        )

    def _greet(self, client: Client) -> None:
        """Check that it is a DSpace, and get a token against forged requests. Raises NotPermitted."""
        self.root = client.request("GET", client.address, ok=(200, 404)).json()
        if not self.root.get("dspaceVersion") and not self.root.get("dspaceServer"):
            self.root = {}
            raise NotPermitted(
                f"{client.address} is no DSpace of version 7 or later; give the address of its server, which often "
                "ends with /server."
            )
        if not self._csrf:
            client.request("GET", "security/csrf", ok=(200, 204, 401, 403, 404))

    def _login(self, client: Client) -> None:
        """Have a token issued, for a password or for the token that runs out."""
        form = {"user": self._user, "password": self._password} if self._user else None
        self._is_entering = True
        self._token = "" if form else self._token
        try:
            answer = client.request("POST", _LOGIN, form=form, ok=(200, 204, 401), is_repeatable=True)
        finally:
            self._is_entering = False
        if answer.status != 401 and self._token:
            return
        methods = _METHOD.findall(answer.headers.get("WWW-Authenticate", ""))
        if form is not None and methods and "password" not in methods:
            raise NotPermitted(
                f"{origin_of(client.address)} lets nobody in by password, but by {', '.join(methods)}; put a token "
                f"that it has issued into {TOKEN}."
            )
        told = f"{USER} and {PASSWORD}" if form is not None else TOKEN
        raise NotPermitted(f"{origin_of(client.address)} does not know the account of {told} ({answer.told}).")


def _runs_out(token: str) -> float | None:
    """When a JWT does, in seconds since 1970; None where it does not say so."""
    payload = [*token.split("."), "", ""][1]
    try:
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return float(claims["exp"])
    except (ValueError, KeyError, TypeError, binascii.Error):
        return None
