#!/usr/bin/env python3
"""Print one line a column of a CSV file: name, filled rows, distinct values, guessed type."""

import csv
import sys
from pathlib import Path


def kind(values: set[str]) -> str:
    for name, parse in (("integer", int), ("number", float)):
        try:
            for value in values:
                parse(value)
        except ValueError:
            continue
        return name
    return "text"


def main(path: Path) -> None:
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    for column in rows[0] if rows else ():
        filled = [row[column] for row in rows if row[column]]
        distinct = set(filled)
        print(f"{column}: {len(filled)}/{len(rows)} filled, {len(distinct)} distinct, {kind(distinct)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
