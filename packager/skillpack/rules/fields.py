"""The fields of SKILL.md: the table "Fields" of the design page "Reading SKILL.md".

Public readers and public skills are those of `skillpack.rules.skill_md`.
"""

from __future__ import annotations

from skillpack.rules.rule import frontmatter, rule, shell, skill_md

_NAME = "name: pdf"
_DESCRIPTION = "description: Fills in PDF forms."
_GOOD = frontmatter(_NAME, _DESCRIPTION)

FIELDS = (
    rule(
        "name-missing",
        "wee",
        "name is present and not blank",
        why="10 of 11 public readers refuse a skill without a name.",
        fix="Give the skill a name, the one of its directory. At --lenient the directory's name serves.",
        example=skill_md(frontmatter(_DESCRIPTION), _GOOD),
    ),
    rule(
        "name-format",
        "wee",
        "name is 1 to 64 of a-z, 0-9 and single hyphens",
        why=(
            "8 of 11 public readers refuse a name with capitals, underscores, blanks or doubled hyphens: there the skill "
            "is missing. 396 public skills have such a name."
        ),
        fix="Use a-z, 0-9 and single hyphens between them, at most 64 characters.",
        example=skill_md(frontmatter("name: PDF_forms", _DESCRIPTION), _GOOD),
    ),
    rule(
        "name-unsafe*",
        "eee",
        "name has no path or control characters",
        why=(
            "Hosts join names to paths: through the name of a skill one public host could be made to leave its "
            "directory. Invisible characters make two names look like one."
        ),
        fix="Use a-z, 0-9 and single hyphens between them.",
        example=skill_md(frontmatter("name: ../pdf", _DESCRIPTION), _GOOD),
    ),
    rule(
        "name-mismatch",
        "nwe",
        "name equals the name of its directory",
        why=(
            "7 of 11 public readers refuse a skill whose directory has another name, and 1,283 public skills are so. "
            "Packing cures it: every emitted form goes by the name of the frontmatter."
        ),
        fix="Rename the directory, or set the name to the directory's. For skills of others, use an override.",
        example=skill_md(frontmatter("name: pdf-forms", _DESCRIPTION), _GOOD),
    ),
    rule(
        "name-reserved",
        "nne",
        "name has no word that a vendor reserves",
        why="One vendor's uploader refuses names that hold `anthropic` or `claude`.",
        fix="Leave the word out of the name, if the skill is to be uploaded there.",
        example=skill_md(frontmatter("name: claude-pdf", _DESCRIPTION), _GOOD),
    ),
    rule(
        "name-duplicate*",
        "eee",
        "two skills have one name",
        why=(
            "An agent loads a skill by its name. Hosts let one of the two win without a word, and which one "
            "depends on the order in which a machine lists directories."
        ),
        fix="Rename one of them, or leave one out with `exclude`. Two skills that differ in no byte are one.",
        example=shell("cp -r skills/pdf skills/forms && echo 'Sign it.' >> skills/forms/SKILL.md"),
    ),
    rule(
        "description-missing*",
        "eee",
        "description is present and not blank",
        why=(
            "The description is all that an agent knows of a skill before it loads it: without one no model can "
            "choose it, and all 11 public readers refuse it."
        ),
        fix="Write what the skill does and when to use it.",
        example=skill_md(frontmatter(_NAME), _GOOD),
    ),
    rule(
        "description-length",
        "wee",
        "description is at most 1,024 characters",
        why=(
            "7 of 11 public readers refuse a longer description, and the rest take it: the author hears of it from the "
            "users of another host."
        ),
        fix="Shorten it, and move the details below the frontmatter. What counts is the text that YAML gives.",
        example=skill_md(
            frontmatter(_NAME, f"description: {'Fills in PDF forms and signs them. ' * 30}Use it for forms."),
            _GOOD,
        ),
    ),
    rule(
        "description-closing-tag",
        "wee",
        "name or description holds a closing tag",
        why=(
            "Descriptions stand in the prompt, in many hosts between tags and not escaped: a closing tag ends the "
            "catalog there, and what follows reads like the host's own instructions."
        ),
        fix="Write it without angle brackets.",
        example=skill_md(frontmatter(_NAME, "description: Fills in what stands before </form>."), _GOOD),
    ),
    rule(
        "description-markup",
        "nwe",
        "name or description holds a tag",
        why=(
            "2 of 11 public readers refuse a tag in a description, and one host takes a word in angle brackets for "
            "markup. skillpack escapes it wherever it renders a description."
        ),
        fix="Write it without angle brackets. At --strict any angle bracket counts, as in `a -> b`.",
        example=skill_md(
            frontmatter(_NAME, "description: Fills in PDF forms and <form> elements."),
            frontmatter(_NAME, "description: Fills in PDF forms and form elements."),
        ),
    ),
    rule(
        "description-control",
        "wee",
        "name or description holds control or invisible characters",
        why=(
            "A model reads what a reviewer cannot see: such characters hide instructions in a description, or show "
            "its words in another order. A catalog in XML that holds a noncharacter, such as U+FFFE, does not parse."
        ),
        fix="Delete these characters, and their escapes.",
        example=skill_md(
            frontmatter(_NAME, r'description: "Fills in PDF\u202e forms."'),
            frontmatter(_NAME, 'description: "Fills in PDF forms."'),
        ),
    ),
    rule(
        "description-edges",
        "nne",
        "description begins or ends with white space",
        why=(
            "Of 6 public readers in Python 4 strip a description and 2 keep what stands around it, so that one file gives "
            "two descriptions. A block of text that `|` or `>` begins ends with a newline."
        ),
        fix="Begin the block with `|-` or `>-`, or delete the white space.",
        example=skill_md(
            frontmatter(_NAME, "description: >", "  Fills in PDF forms.", "  Use it for tax forms."),
            frontmatter(_NAME, "description: >-", "  Fills in PDF forms.", "  Use it for tax forms."),
        ),
    ),
    rule(
        "description-lines",
        "nnn",
        "description has more than one line",
        why="Catalogs that show one line a skill fold the lines into one; 2,402 public skills have several.",
        fix="Write one line, or fold the lines with `>-` instead of `|-`, if they are one sentence.",
        example=skill_md(
            frontmatter(_NAME, "description: |-", "  Fills in PDF forms.", "  Use it for tax forms."),
            frontmatter(_NAME, "description: >-", "  Fills in PDF forms.", "  Use it for tax forms."),
        ),
    ),
    rule(
        "license-type",
        "wee",
        "license is text",
        why="2 of 11 public readers refuse the skill when its license is a number, one when it is blank.",
        fix="Write the license as text, or delete the field.",
        example=skill_md(
            frontmatter(_NAME, _DESCRIPTION, "license:"), frontmatter(_NAME, _DESCRIPTION, "license: MIT")
        ),
    ),
    rule(
        "compatibility-type",
        "wee",
        "compatibility is text of at most 500 characters",
        why="6 of 11 public readers refuse a longer text, 5 a list, and one a blank text.",
        fix="Write one text of at most 500 characters, or delete the field.",
        example=skill_md(
            frontmatter(_NAME, _DESCRIPTION, "compatibility:", "  - Python 3.11", "  - pdftk"),
            frontmatter(_NAME, _DESCRIPTION, "compatibility: Python 3.11 and pdftk"),
        ),
    ),
    rule(
        "metadata-type",
        "nwe",
        "metadata maps text to text",
        why=(
            "The format's metadata is text by text, and up to 3 of 11 public readers refuse anything else. A list or a "
            "mapping in it stays in the skill's `frontmatter`, but is not in its `metadata`."
        ),
        fix="Write a value as one text, or as several keys. For a whole field that is no mapping: indent `key: value`.",
        example=skill_md(
            frontmatter(_NAME, _DESCRIPTION, "metadata:", "  tags:", "    - forms", "    - tax"),
            frontmatter(_NAME, _DESCRIPTION, "metadata:", "  tags: forms, tax"),
        ),
    ),
    rule(
        "allowed-tools-form",
        "nne",
        "allowed-tools is one space-separated text",
        why=(
            "The format has one text with spaces, and 3 of 11 public readers refuse a list. Most take commas, as 2,854 of "
            "3,058 public files have them; the bundle holds the same tools in either form."
        ),
        fix="Write the tools as one text with single spaces between them.",
        example=skill_md(
            frontmatter(_NAME, _DESCRIPTION, "allowed-tools: Read, Write"),
            frontmatter(_NAME, _DESCRIPTION, "allowed-tools: Read Write"),
        ),
    ),
    rule(
        "allowed-tools-syntax",
        "wee",
        "allowed-tools can be split into tools",
        why=(
            "With a parenthesis left open nobody can tell where one tool ends and the next begins: a host allows "
            "more than was meant, or nothing."
        ),
        fix="Balance the parentheses; write tools and no mapping, or delete the field.",
        example=skill_md(
            frontmatter(_NAME, _DESCRIPTION, "allowed-tools: Bash(pdftk:* Read"),
            frontmatter(_NAME, _DESCRIPTION, "allowed-tools: Bash(pdftk:*) Read"),
        ),
    ),
    rule(
        "globs-form",
        "nwe",
        "globs is a list of texts or a comma-separated text",
        why="From any other form a host that offers skills by file gets no pattern.",
        fix="Write a list of texts, or one text with commas.",
        example=skill_md(
            frontmatter(_NAME, _DESCRIPTION, "globs:", '  forms: "**/*.pdf"'),
            frontmatter(_NAME, _DESCRIPTION, 'globs: "**/*.pdf"'),
        ),
    ),
    rule(
        "field-unknown",
        "nne",
        "a key beyond the six fields of the format",
        why=(
            "2 of 11 public readers, and uploaders that go by the format, refuse other keys; most hosts pass over them, "
            "and 4,969 public skills have some. They are kept in the skill's `frontmatter`."
        ),
        fix="Move the key under `metadata`. A host's own field (`model`, `hooks` …) has to stay where it is.",
        example=skill_md(
            frontmatter(_NAME, _DESCRIPTION, "author: Docs team"),
            frontmatter(_NAME, _DESCRIPTION, "metadata:", "  author: Docs team"),
        ),
    ),
    rule(
        "field-case",
        "wee",
        "a known key is written in other letters",
        why="Keys are exact: 10 of 11 public readers do not find a `Name`, and the value is lost.",
        fix="Write the key in lower case.",
        example=skill_md(
            frontmatter(_NAME, _DESCRIPTION, "License: MIT"), frontmatter(_NAME, _DESCRIPTION, "license: MIT")
        ),
    ),
)
