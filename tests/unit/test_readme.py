"""The README's tables are those of the code.

`SKILLPACK_WRITE_README=1 pytest tests/unit/test_readme.py` writes them anew.
"""

from __future__ import annotations

import os

from support import readme


def test_the_tables_are_those_of_the_code() -> None:
    text = readme.PATH.read_text(encoding="utf-8")
    written = readme.with_tables(text)
    if os.environ.get("SKILLPACK_WRITE_README"):
        readme.PATH.write_text(written, encoding="utf-8")
    else:
        assert text == written
