"""Reading files safely: links, special files, what cannot be read as it is. Design page "Screening"."""

from __future__ import annotations

from skillpack.rules.rule import files, rule, shell

READING = (
    rule(
        "symlink*",
        "eee",
        "a symbolic link",
        why=(
            "A link that is followed packs whatever the machine has at its end: a build back end's own walk put "
            "/etc/hostname into a wheel. Links break on the way, too: in one public collection 213 of 301 led "
            "nowhere."
        ),
        fix=(
            "Replace the link with a copy of its target. For a skills root that is a link, write the target in "
            "`skills`."
        ),
        example=files("skills/pdf/forms.md -> ../../docs/forms.md", "skills/pdf/forms.md"),
    ),
    rule(
        "special-file*",
        "eee",
        "a FIFO, socket or device",
        why="To read one can wait for ever or set something off, and nothing of it can be packed.",
        fix="Remove it, or `exclude` it.",
        example=shell("mkfifo skills/pdf/answers"),
    ),
    rule(
        "hardlink",
        "nnn",
        "a file with more than one link",
        why=(
            "The same file has another name elsewhere, and to write to it there changes the skill. Package "
            "managers make such links to save space, so it is a note."
        ),
        fix="Nothing, if a package manager made it; else put a copy in its place.",
        example=shell("ln docs/forms.md skills/pdf/forms.md", "cp docs/forms.md skills/pdf/forms.md"),
    ),
    rule(
        "other-device",
        "eee",
        "a mount inside a skill",
        why="What is mounted depends on the machine, so the same checkout gives other bundles, or other people's files.",
        fix="Unmount it, or `exclude` the directory.",
        example=shell("mount --bind /srv/fonts skills/pdf/fonts", "cp -r /srv/fonts skills/pdf/fonts"),
    ),
    rule(
        "unreadable*",
        "eee",
        "a file or directory that cannot be read",
        why="To pack the rest would drop the file in silence, and the skill's instructions may tell a model to read it.",
        fix="Make it readable for the user who builds. If it vanished meanwhile, build again when nothing writes there.",
        example=shell("chmod 000 skills/pdf/references/forms.md", "chmod 644 skills/pdf/references/forms.md"),
    ),
    rule(
        "file-changed*",
        "eee",
        "a file that changed while it was read",
        why=(
            "What is packed must be what was screened. A naive check followed by an open leaked a file from "
            "outside the tree 14 times in 4 seconds, while another process swapped names."
        ),
        fix="Build again when nothing writes to the file.",
        example=shell("while true; do date > skills/pdf/now.txt; done & skillpack check"),
    ),
    rule(
        "vcs-entry*",
        "eee",
        "a version control directory inside a skill",
        why=(
            "A repository holds all that was ever removed from it, secrets too, and its configuration often has "
            "the password of its remote."
        ),
        fix="Delete it, or `exclude` it.",
        example=files("skills/pdf/.git/config"),
    ),
)
