"""Who hands posts over to an archive or library, as they say it of themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Sender:
    """An organisation and how it can be reached; None where that is not said."""

    organisation: str | None = None
    #: a web or mail address
    contact: str | None = None
    #: what else is to be said of what is handed over, by its label
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def mail(self) -> str | None:
        """The mail address, where the contact is one."""
        address = (self.contact or "").removeprefix("mailto:")
        return address if "@" in address and "/" not in address else None
