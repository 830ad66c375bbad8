#!/usr/bin/env python3
"""Check a commit message given on standard input; print one line for each fault."""

import re
import sys

TYPES = ("feat", "fix", "perf", "refactor", "test", "docs", "build")


def faults(message: str) -> list[str]:
    subject, _, rest = message.rstrip("\n").partition("\n")
    found = []
    if not re.match(rf"({'|'.join(TYPES)}): \S", subject):
        found.append(f"the subject must begin with one of {', '.join(TYPES)}, then a colon and a space")
    if subject.endswith("."):
        found.append("the subject ends with a full stop")
    if rest and not rest.startswith("\n"):
        found.append("the second line must be blank")
    for number, line in enumerate(message.splitlines(), 1):
        if len(line) > 72:
            found.append(f"line {number} has {len(line)} characters, 72 are allowed")
    return found


if __name__ == "__main__":
    lines = faults(sys.stdin.read())
    print("\n".join(lines) or "good")
    sys.exit(bool(lines))
