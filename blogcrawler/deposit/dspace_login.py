"""Login to a DSpace server: an access token that expires (a JWT) and a token against forged requests (CSRF)."""

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

    from blogcrawler.deposit.client import Client, ServerResponse

USER, PASSWORD = "DSPACE_USER", "DSPACE_PASSWORD"
TOKEN = "DSPACE_TOKEN"  # noqa: S105  the name of a variable
_CSRF = "DSPACE-XSRF-TOKEN"
_LOGIN = "authn/login"
_MARGIN_S = 120
"""A token that expires within this many seconds is renewed."""
_BEARER = re.compile(r"Bearer\s+([^\s]+)", re.IGNORECASE)
_METHOD = re.compile(r'\b(\w++)\s++realm="')


class Login:
    """Credentials of one account. No message and no `repr` contains them."""

    def __init__(self, user: str, password: str, token: str, clock: Callable[[], float]) -> None:
        self._user, self._password = user, password
        self._token = token.removeprefix("Bearer ").strip()
        self._clock = clock
        self._csrf = ""
        self._is_entering = False
        self._expires = _expiry(self._token)
        self._client: Client | None = None
        #: the server's description of itself
        self.root: dict[str, object] = {}

    def enter(self, client: Client) -> None:
        """Log in, or renew a token that is about to expire."""
        self._client = client
        if not self._token and not (self._user and self._password):
            raise NotPermitted(
                f"No account is configured: set the environment variables {USER} and {PASSWORD}, or {TOKEN} if the "
                "repository does not allow login by password."
            )
        if not self.root:
            self._greet(client)
        if not self._token or (self._expires is not None and self._clock() > self._expires - _MARGIN_S):
            self._login(client)

    def headers(self, method: str) -> dict[str, str]:
        authorization = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        return authorization if method == "GET" else {**authorization, "X-XSRF-TOKEN": self._csrf}

    def heed(self, answer: ServerResponse) -> None:
        """Store the tokens that a response carries."""
        self._csrf = answer.headers.get(_CSRF) or self._csrf
        bearer = _BEARER.fullmatch(answer.headers.get("Authorization", "").strip())
        if bearer and answer.url.endswith(_LOGIN):
            self._token = bearer[1]
            # If the server's clock is behind ours, we would renew the token before each request.
            expires = _expiry(self._token)
            self._expires = None if expires is None or expires < self._clock() + 2 * _MARGIN_S else expires

    def renew(self, answer: ServerResponse) -> bool:
        """Renew a missing or expired token: the CSRF token after a 403, the access token after a 401."""
        if answer.status == 403:
            return bool(answer.headers.get(_CSRF))
        if self._is_entering or not self._user or not self._password or self._client is None:
            return False
        self._login(self._client)
        return True

    def hint(self) -> str:
        return (
            f"check that the account of {USER} (or {TOKEN}) may submit to this collection and that its token is "
            "still valid."
        )

    def _greet(self, client: Client) -> None:
        """Check that the server is a DSpace, and get a CSRF token. Raises NotPermitted."""
        self.root = client.request("GET", client.address, ok=(200, 404)).json()
        if not self.root.get("dspaceVersion") and not self.root.get("dspaceServer"):
            self.root = {}
            raise NotPermitted(
                f"{client.address} is not a DSpace of version 7 or later; give the address of its API server, which "
                "often ends with /server."
            )
        if not self._csrf:
            client.request("GET", "security/csrf", ok=(200, 204, 401, 403, 404))

    def _login(self, client: Client) -> None:
        """Get an access token with the password, or with the token that is about to expire."""
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
                f"{origin_of(client.address)} does not allow login by password, only by {', '.join(methods)}; set "
                f"{TOKEN} to a token issued by the server."
            )
        variables = f"{USER} and {PASSWORD}" if form is not None else TOKEN
        raise NotPermitted(f"{origin_of(client.address)} rejects the account in {variables} ({answer.status_line}).")


def _expiry(token: str) -> float | None:
    """Expiry time of a JWT as a Unix timestamp; None if the token states none."""
    payload = [*token.split("."), "", ""][1]
    try:
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return float(claims["exp"])
    except (ValueError, KeyError, TypeError, binascii.Error):
        return None
