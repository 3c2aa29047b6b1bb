"""Names in one text are taken apart, and what only looks like several names stays whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.people import is_joint, joint_name, known_names, separate

BOTH = ["Ann Lee", "Bo Okafor"]


@pytest.mark.parametrize(
    "joint",
    [
        "and",
        "und",
        "et",
        "y",
        "e",
        "i",
        "en",
        "och",
        "og",
        "ja",
        "és",
        "și",
        "и",
        "та",
        "και",
        "ve",
        "và",
        "dan",
        "va",
        "ו",
        "و",
        "और",
        "এবং",
        "และ",
        "및",
        "和",
        "と",
        "ir",
        "un",
        "a",
        "&",
        "+",
    ],
)
def test_conjunctions_of_many_languages(joint):
    assert separate(f"Ann Lee {joint} Bo Okafor") == BOTH


@pytest.mark.parametrize(
    "text", ["Ann Lee, Bo Okafor", "Ann Lee; Bo Okafor", "Ann Lee、Bo Okafor", "Ann Lee, and Bo Okafor"]
)
def test_signs_between_known_people(text):
    assert separate(text, {"ann lee", "bo okafor"}) == BOTH


def test_three_people():
    assert separate("Ann Lee, Bo Okafor and Cy Moe") == [*BOTH, "Cy Moe"]
    assert separate("ann & bo", {"ann", "bo"}) == ["ann", "bo"]


@pytest.mark.parametrize(
    "text",
    [
        "Sturm und Drang",
        "Lee, Ann",
        "Ann Lee, Staff Writer",
        "José Ortega y Gasset",
        "Santiago Ramón y Cajal",
        "Ann and Bo Okafor",
        "the kettle and the ferry",
        "Fish & Chips",
        "Johnson & Son Ltd.",
        "Q & A",
        "A",
        "Ann Lee",
        "and",
        "",
    ],
)
def test_what_is_one_name(text):
    assert separate(text) == [text]


def test_a_known_name_is_whole():
    assert separate("Smith and Jones", {"smith and jones", "smith", "jones"}) == ["Smith and Jones"]


def test_people_who_are_known():
    assert known_names(["Ann", "Ann and Bo", "Bo", "Cy Moe and Di Poe"]) == {"ann", "bo", "cy moe", "di poe"}


def test_a_name_with_those_beside_it():
    assert joint_name("By Ann Lee and Bo Okafor on Monday", "Ann Lee", ["Bo Okafor"]) == "Ann Lee and Bo Okafor"
    assert joint_name("By Bo Okafor, Ann Lee on Monday", "Ann Lee", ["Bo Okafor"]) == "Bo Okafor, Ann Lee"
    assert joint_name("By Ann Lee on Monday", "Ann Lee", ["Bo Okafor"]) == "Ann Lee"
    assert joint_name("nobody", "Ann Lee", ["Bo Okafor"]) == "Ann Lee"


@given(st.text(max_size=60), st.sets(st.sampled_from(["ann", "bo", "ann lee"])))
def test_no_letter_is_invented(text, known):
    for part in separate(text, known):
        assert part in text


@pytest.mark.parametrize(
    ("text", "expected"), [("", True), (" and ", True), (",", True), (", and", True), ("&", True), ("by", False)]
)
def test_what_may_stand_between_two_names(text: str, expected: bool) -> None:
    assert is_joint(text) is expected
