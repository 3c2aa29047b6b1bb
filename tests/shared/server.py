"""A Redis of our own for the tests: on loopback, in a temporary folder, gone when they are over."""

from __future__ import annotations

import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

PROGRAM = shutil.which("redis-server")
STARTS_WITHIN_S = 20


class Server:
    """Runs while the context lasts; what it holds outlives `stop` and `start` (appendonly).

    It also outlives `kill` with `is_safe`; else what was written to disk late is lost.
    """

    def __init__(self, *, is_safe: bool = False) -> None:
        self._fsync = "always" if is_safe else "everysec"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.folder = Path(tempfile.mkdtemp(prefix="redis-"))
        self.password = secrets.token_urlsafe(16)
        self.url = f"redis://:{self.password}@127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        assert PROGRAM is not None
        secret = self.folder / "redis.conf"
        secret.write_text(
            f'bind 127.0.0.1\nport {self.port}\nrequirepass {self.password}\ndir "{self.folder}"\nsave ""\n'
            f"appendonly yes\nappendfsync {self._fsync}\nmaxmemory-policy noeviction\n"
        )
        with (self.folder / "log").open("a") as log:
            self._process = subprocess.Popen([PROGRAM, secret], stdout=log, stderr=log, cwd=self.folder)
        deadline = time.monotonic() + STARTS_WITHIN_S
        while not self._answers():
            assert self._process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.02)

    def stop(self) -> None:
        """As a service is stopped."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Let it answer nothing, as behind a network that is cut; connections stay."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(20)
            self._process = None

    def _answers(self) -> bool:
        try:
            return self.ask(f"AUTH {self.password}", "PING")[-1] == "+PONG"
        except OSError:
            return False

    def ask(self, *commands: str) -> list[str]:
        """The first lines of the answers to some commands."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall("".join(f"{command}\r\n" for command in commands).encode())
            with connection.makefile() as answers:
                return [answers.readline().rstrip() for _ in commands]

    def empty(self) -> None:
        self.ask(f"AUTH {self.password}", "FLUSHALL")

    @property
    def size(self) -> int:
        """How many keys it holds."""
        return int(self.ask(f"AUTH {self.password}", "DBSIZE")[-1][1:])
