"""Asks as Prometheus does."""

from __future__ import annotations

from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

from prometheus_client.parser import text_string_to_metric_families

__all__ = ["Scrape", "ask", "health"]


def ask(address: str, path: str, method: str = "GET") -> tuple[int, str, str]:
    """Status, type and text of an answer. Raises OSError."""
    with closing(HTTPConnection(urlsplit(address).netloc, timeout=30)) as connection:
        connection.request(method, f"/{path}")
        answer = connection.getresponse()
        return answer.status, answer.headers["Content-Type"], answer.read().decode()


def health(address: str) -> int:
    """The status of /healthz. Raises OSError."""
    return ask(address, "healthz")[0]


class Scrape:
    """What an address tells, by name."""

    def __init__(self, address: str) -> None:
        status, kind, text = ask(address, "metrics")
        assert status == 200
        assert kind.startswith("text/plain; version=")
        self.families = list(text_string_to_metric_families(text))

    def value(self, name: str, **labels: str) -> float:
        """Of the only sample with a name and these labels."""
        (found,) = self.values(name, **labels)
        return found

    def values(self, name: str, **labels: str) -> list[float]:
        """Of all samples with a name and these labels."""
        samples = [sample for family in self.families for sample in family.samples]
        return [one.value for one in samples if one.name == name and labels.items() <= one.labels.items()]

    def by(self, name: str, label: str) -> dict[str, float]:
        """The values of a name by a label, without those that are 0."""
        samples = [sample for family in self.families for sample in family.samples if sample.name == name]
        return {sample.labels[label]: sample.value for sample in samples if sample.value}
