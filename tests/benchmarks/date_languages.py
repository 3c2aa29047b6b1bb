"""Shares of dates and times past that are read, and read wrongly, by language.

    python -m tests.benchmarks.date_languages [LANGUAGE …] [--unknown] [--show]

The texts are those that CLDR, dateparser and num2words write. `--unknown`: the reader does not know the language.
`--show`: the texts that are not read or read wrongly. Exit code 1: something is read wrongly though the language is known.
"""

from __future__ import annotations

import argparse
from collections import Counter

from tests.dates import written

KINDS = {
    "formatted": written.formatted_dates,
    "named": written.named_dates,
    "weekdays": written.weekdays,
    "past": written.times_past,
    "in words": written.times_past_in_words,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE")
    parser.add_argument("--unknown", action="store_true")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    total: Counter[tuple[str, str]] = Counter()
    print(f"{'texts, read, wrong':18}", *(f"{kind:>21}" for kind in KINDS))
    for language in options.languages or written.languages():
        counts: Counter[tuple[str, str]] = Counter()
        for kind, texts in KINDS.items():
            for text, meant in texts(language).items():
                verdict = written.verdict(text, meant, () if options.unknown else (language,))
                counts[kind, verdict] += 1
                if options.show and verdict != "read":
                    print(f"  {kind}\t{verdict}\t{text}\t{meant}")
        print(f"{language:18}", *(_share(kind, counts) for kind in KINDS))
        total += counts
    print(f"{'all':18}", *(_share(kind, total) for kind in KINDS))
    return int(not options.unknown and any(total[kind, "wrong"] for kind in KINDS))


def _share(kind: str, counts: Counter[tuple[str, str]]) -> str:
    read, wrong = counts[kind, "read"], counts[kind, "wrong"]
    most = read + wrong + counts[kind, "none"]
    return f"{most:6} {read / most:7.1%} {wrong / most:6.2%}" if most else " " * 21


if __name__ == "__main__":
    raise SystemExit(main())
