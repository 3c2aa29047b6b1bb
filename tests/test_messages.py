"""Messages are short: at most 200 characters, and not three sentences joined by semicolons."""

from __future__ import annotations

import re

import pytest

from tests.messages import Message, messages
from tests.test_docs import read

LONGEST = 200
FOUND = list(messages())
QUOTED = [part for line in read("errors.md").splitlines() for part in re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", line)]


def test_the_messages_are_found() -> None:
    texts = [message.text for message in FOUND]
    assert any("answered xxxxxxxxxxxxxxxxxxxx" in text for text in texts), "of an error"
    assert any("CONTACT is not set" in text for text in texts), "of the log"
    assert any(text.startswith("Archives all posts") for text in texts), "of a help"


@pytest.mark.parametrize("message", FOUND, ids=lambda message: message.place)
def test_a_message_is_short(message: Message) -> None:
    assert message.text.count(";") < 2, message.text
    sentences = re.split(r"(?<=[.:]) ", message.text) if message.is_help else [message.text]
    assert [sentence for sentence in sentences if len(sentence) > LONGEST] == []


@pytest.mark.parametrize("message", QUOTED)
def test_a_documented_message_is_short(message: str) -> None:
    assert len(message) <= LONGEST
    assert message.count(";") < 2
