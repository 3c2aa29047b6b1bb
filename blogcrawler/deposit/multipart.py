"""Files as parts of a form (multipart/form-data), sent as they are read: no file is in memory as a whole."""

from __future__ import annotations

import io
import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from blogcrawler.deposit.repository import DepositFile

_PORTION = 1 << 16
_ESCAPED = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})


class FilePart:
    """A form with one file, under the name `file`; each stream begins anew."""

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

    def open(self) -> BinaryIO:
        """The form, to be read once."""
        size = len(self._head) + self._file.size + len(self._tail)
        return _Chain([io.BytesIO(self._head), self._file.open(), io.BytesIO(self._tail)], size)  # type: ignore[return-value]


class _Chain:
    """Streams one after the other, of which the number of bytes is known."""

    def __init__(self, streams: list[BinaryIO | io.BytesIO], size: int) -> None:
        self._streams, self._size, self._at = streams, size, 0

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[bytes]:
        while part := self.read(_PORTION):
            yield part

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        parts, left = [], size
        for stream in self._streams:
            part = stream.read(left)
            parts.append(part)
            if size >= 0:
                left -= len(part)
                if not left:
                    break
        found = b"".join(parts)
        self._at += len(found)
        return found

    def close(self) -> None:
        for stream in self._streams:
            stream.close()
