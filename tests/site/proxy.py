"""A proxy that answers for every host itself, over http and https: the web of a test, with names and schemes."""

from __future__ import annotations

import ssl
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.site.local import Reply
from tests.site.raw import RawSite

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable


class ProxySite(RawSite):
    """Calls `answer` with the whole URL of each request. `targets` are these URLs, in order.

    For https it takes the place of the server, with a certificate that nobody has signed.
    """

    def __init__(self, answer: Callable[[str], Reply]) -> None:
        super().__init__(self._relay)
        self._reply = answer
        self._tls = _tls_context()
        self.targets: list[str] = []

    def _relay(self, connection: socket.socket, head: bytes) -> None:
        method, target, _ = head.decode("latin-1").split(" ", 2)
        if method != "CONNECT":
            self._send(connection, target)
            return
        connection.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        with self._tls.wrap_socket(connection, server_side=True) as secured:
            inner = b""
            while b"\r\n\r\n" not in inner:
                received = secured.recv(4096)
                if not received:
                    return
                inner += received
            path = inner.decode("latin-1").split(" ", 2)[1]
            self._send(secured, f"https://{target.removesuffix(':443')}{path}")

    def _send(self, connection: socket.socket, url: str) -> None:
        self.targets.append(url)
        reply = self._reply(url)
        body = reply.body.encode() if isinstance(reply.body, str) else reply.body
        headers = {
            "Content-Type": reply.content_type,
            "Content-Length": str(len(body)),
            "Connection": "close",
            **reply.headers,
        }
        lines = [f"HTTP/1.1 {reply.status} Answer", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        connection.sendall("\r\n".join(lines).encode() + body)


def _tls_context() -> ssl.SSLContext:
    """A server's, with a certificate of its own making."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "loopback")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    signed = builder.not_valid_before(now).not_valid_after(now + timedelta(days=1)).sign(key, hashes.SHA256())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "certificate.pem"
        encoded = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file.write_bytes(encoded + signed.public_bytes(serialization.Encoding.PEM))
        context.load_cert_chain(file)
    return context
