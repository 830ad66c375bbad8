"""Names that not every system can hold or tell apart. Design page "Screening", "Names".

None of the errors here occurs in 39,579 files of real skills.
"""

from __future__ import annotations

from skillpack.rules.rule import files, rule, shell

_LONG = "n=$(printf 'n%.0s' {1..200}); "

NAMES = (
    rule(
        "path-encoding*",
        "eee",
        "a path that is not UTF-8",
        why="A wheel, JSON and Python hold names as text: such a name would be packed as another one.",
        fix="Rename it (`convmv -f latin1 -t utf8 --notest`).",
        example=shell(r"touch $'skills/pdf/caf\xe9.md'", r"touch $'skills/pdf/caf\xc3\xa9.md'"),
    ),
    rule(
        "path-normal-form",
        "wee",
        "a path that is not in Unicode normal form C",
        why=(
            "The name looks like the one that people type and is another one: on most systems a model that writes "
            "it with composed letters does not find the file."
        ),
        fix="Type the name anew, or compose its accents (`convmv -f utf8 -t utf8 --nfc --notest`).",
        example=shell(r"touch $'skills/pdf/cafe\xcc\x81.md'", r"touch $'skills/pdf/caf\xc3\xa9.md'"),
    ),
    rule(
        "path-control*",
        "eee",
        "a path with control or invisible characters",
        why=(
            "Two names look alike, or a name moves a terminal's cursor, breaks a line of a prompt, or is shown from "
            "right to left: a reviewer sees another name than a machine."
        ),
        fix="Rename it without these characters.",
        example=shell(r"touch $'skills/pdf/for\tms.md'", "touch skills/pdf/forms.md"),
    ),
    rule(
        "path-windows",
        "wee",
        "a path that Windows cannot hold",
        why="A checkout or an extracted skill on Windows fails, or has the file under another name.",
        fix='Rename it: no <>:"|?*\\, no dot or blank at the end, no device name such as aux, con or nul.',
        example=files("skills/pdf/references/aux.md", "skills/pdf/references/auxiliary.md"),
    ),
    rule(
        "path-length",
        "eee",
        "a path over 1,024 bytes or a segment over 255",
        why="File systems and archives end there: the wheel is built, and cannot be installed.",
        fix="Shorten the name, or the names of its directories.",
        example=shell(
            f'{_LONG}mkdir -p skills/pdf/$n/$n/$n/$n/$n && touch "$_/$n.md"',
            f"{_LONG}touch skills/pdf/$n.md",
        ),
    ),
    rule(
        "path-collision*",
        "eee",
        "two paths that some file systems cannot tell apart",
        why="On macOS and Windows one of the two overwrites the other, and nothing says which.",
        fix="Rename one of the two.",
        example=files("skills/pdf/FORMS.md\nskills/pdf/forms.md", "skills/pdf/forms.md"),
    ),
    rule(
        "local-file",
        "wwe",
        "a file named as local that is packed",
        why="Its name says that it is for one machine, and it would be in everybody's wheel.",
        fix="Rename it, or `exclude` it.",
        example=files("skills/pdf/notes.local.md", "skills/pdf/notes.md"),
    ),
)
