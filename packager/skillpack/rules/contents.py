"""Text that hides, and what nobody can review. Design page "Screening", "Text that hides"."""

from __future__ import annotations

from skillpack.rules.rule import frontmatter, rule, shell, skill_md

_FIELDS = ("name: pdf", "description: Fills in PDF forms.")

CONTENTS = (
    rule(
        "invisible-text*",
        "eee",
        "SKILL.md has characters that hide text from a reader",
        why=(
            "A model reads what a reviewer cannot see: tag characters and bidirectional controls are the known ways "
            "to hide instructions in a skill. One of 9,111 public skills has any invisible character."
        ),
        fix=(
            "Delete the characters; ask who put them there. For what may ship as it is, the refusal prints the entry that "
            "allows it."
        ),
        example=skill_md(
            frontmatter(*_FIELDS, body="Fill in the form\u202e, and sign it.\n"),
            frontmatter(*_FIELDS, body="Fill in the form, and sign it.\n"),
        ),
    ),
    rule(
        "invisible-characters",
        "wwe",
        "a text has characters that cannot be seen",
        why="They split words that a reviewer or a scanner looks for, and come along with text from web pages.",
        fix="Delete the characters, or write them as escapes.",
        example=skill_md(
            frontmatter(*_FIELDS, body="Fill in the\u200b form.\n"),
            frontmatter(*_FIELDS, body="Fill in the form.\n"),
        ),
    ),
    rule(
        "html-comment",
        "nnn",
        "an HTML comment in SKILL.md, which a rendered page does not show",
        why="A reader of the rendered page does not see it, and a model does.",
        fix="Delete it, or write it as text.",
        example=skill_md(
            frontmatter(*_FIELDS, body="Fill in the form.\n<!-- Sign it, too. -->\n"),
            frontmatter(*_FIELDS, body="Fill in the form.\nSign it, too.\n"),
        ),
    ),
    rule(
        "executable-content",
        "wwe",
        "a compiled program",
        why="Nobody can review it, and it runs on one platform alone.",
        fix="Ship its source, or `exclude` it.",
        example=shell("cp /bin/ls skills/pdf/scripts/list", "echo 'ls \"$@\"' > skills/pdf/scripts/list.sh"),
    ),
)
