"""Identify the crawler to site owners: put the setting CONTACT into the user agent."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

_NOT_IN_A_COMMENT = re.compile(r"[^!-'*-\[\]-~]+")  # all but visible ASCII without parentheses and backslash


class ContactAddon:
    """Adds CONTACT to the setting USER_AGENT, unless the user (-s) or the spider has set another user agent."""

    def update_settings(self, settings: BaseSettings) -> None:
        contact = str(settings.get("CONTACT") or "")
        if not contact.strip():
            logger.info("CONTACT is not set: owners of crawled sites cannot tell whom to write to.")
        settings.set("USER_AGENT", user_agent(settings["USER_AGENT"], contact), priority="project")


def user_agent(base: str, contact: str) -> str:
    """`base` with the contact, a web or mail address, added to its comment (RFC 9110, section 10.1.5).

    Characters that a comment cannot hold become blanks; without a contact `base` is unchanged.
    """
    contact = _NOT_IN_A_COMMENT.sub(" ", contact).strip()
    if not contact:
        return base
    contact = f"+{contact}" if contact.startswith(("http://", "https://")) else contact
    return f"{base[:-1]}; {contact})" if base.endswith(")") else f"{base} ({contact})"
