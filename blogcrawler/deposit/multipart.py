"""Files as parts of a form (multipart/form-data), sent as they are read: no file is in memory as a whole."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.deposit.repository import DepositFile

_PORTION = 1 << 16
_ESCAPED = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})


class FilePart:
    """The bytes of a form with one file, under the name `file`; read anew each time, and of known length."""

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
