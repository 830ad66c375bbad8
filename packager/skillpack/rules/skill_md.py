"""SKILL.md as a file and as YAML: the tables "The file" and "YAML" of the design page "Reading SKILL.md".

Of the figures, the public readers are the eleven that were run over the design's 117 inputs, and the public skills
are the 9,111 that were read to set the levels.
"""

from __future__ import annotations

from skillpack.rules.rule import files, frontmatter, rule, shell, skill_md

_NAME = "name: pdf"
_DESCRIPTION = "description: Fills in PDF forms."
_GOOD = frontmatter(_NAME, _DESCRIPTION)

SKILL_MD = (
    rule(
        "skill-md-case*",
        "eee",
        "the file's name is exactly SKILL.md",
        why=(
            "Hosts open `SKILL.md` by this name. On macOS and Windows `skill.md` answers to it too; on Linux, "
            "where agents are deployed, the skill is absent and nothing says so. 45 skills of one public package "
            "were."
        ),
        fix="Rename the file to SKILL.md; where both are there, remove the other one.",
        example=files("skills/docx/skill.md", "skills/docx/SKILL.md"),
    ),
    rule(
        "skill-md-missing",
        "wwe",
        "a directory of a skills root has files but no SKILL.md",
        why=(
            "A skill whose SKILL.md was forgotten, or whose directory lies one level deeper than the root, is not "
            "in the bundle."
        ),
        fix=(
            "Add a SKILL.md; where the skills lie deeper, name their directory in `skills`; what is no skill, "
            "`exclude`. A directory whose name begins with . or _ is passed over."
        ),
        example=files("skills/docx/reference.md", "skills/docx/SKILL.md\nskills/docx/reference.md"),
    ),
    rule(
        "skill-md-encoding*",
        "eee",
        "SKILL.md is strict UTF-8 without NUL",
        why=(
            "7 of 11 public readers refuse what is not UTF-8, and the others read another text than was written. At a "
            "NUL the text ends for many tools, so that what follows escapes a review."
        ),
        fix="Save the file as UTF-8, and delete NUL characters.",
        example=skill_md(
            frontmatter(_NAME, _DESCRIPTION, body="Fill in the form.\0\n"),
            frontmatter(_NAME, _DESCRIPTION, body="Fill in the form.\n"),
        ),
    ),
    rule(
        "bom",
        "nwe",
        "SKILL.md begins with a byte order mark",
        why="The mark stands before the opening fence: 7 of 11 public readers find no frontmatter behind it.",
        fix="Save the file as UTF-8 without a byte order mark.",
        example=skill_md("\ufeff" + _GOOD, _GOOD),
    ),
    rule(
        "crlf",
        "nwe",
        "SKILL.md has CRLF line ends",
        why=(
            "Digests are those of the bytes: a checkout that turns LF into CRLF gives the same skill another "
            "digest, so approvals and comparisons fail although nobody has edited anything."
        ),
        fix=(
            "Save the file with LF line ends, and keep git from changing them: `SKILL.md text eol=lf` in "
            ".gitattributes."
        ),
        example=skill_md(_GOOD.replace("\n", "\r\n"), _GOOD),
    ),
    rule(
        "line-ending*",
        "eee",
        "lines end with LF or CRLF, not with CR alone",
        why="To most tools a file with CR alone is one long line: 6 of 11 public readers find no frontmatter in it.",
        fix="Save the file with LF line ends.",
        example=skill_md(_GOOD.replace("\n", "\r"), _GOOD),
    ),
    rule(
        "frontmatter-missing*",
        "eee",
        "SKILL.md begins with a frontmatter between two lines ---",
        why=(
            "All 11 public readers refuse the file. Without name and description an agent cannot know that the skill is "
            "there, or when to use it; 127 public skills have no frontmatter."
        ),
        fix=(
            "Begin the file with a line `---`, the fields and another line `---`, with nothing before or above "
            "the first."
        ),
        example=skill_md("# PDF\n\nFill in the form.\n", frontmatter(_NAME, _DESCRIPTION, body="# PDF\n")),
    ),
    rule(
        "fence-whitespace",
        "nwe",
        "a fence line of the frontmatter has trailing blanks",
        why=(
            "5 of 11 public readers refuse a file with a blank behind its opening fence, and 2 with one behind its closing "
            "fence; most editors do not show it."
        ),
        fix="Delete the blanks behind ---.",
        example=skill_md(_GOOD.replace("---", "--- ", 1), _GOOD),
    ),
    rule(
        "fence-end",
        "nwe",
        "the closing fence ends the file without a newline",
        why="One of 11 public readers finds no end of the frontmatter and passes the skill over.",
        fix="End the line --- with a newline, and write the instructions below it.",
        example=skill_md(_GOOD.removesuffix("\n"), _GOOD),
    ),
    rule(
        "dashes-in-frontmatter",
        "nwe",
        "the text --- stands inside the frontmatter",
        why=(
            "The reference validator and two hosts end the frontmatter at the first ---, also in the middle of a "
            "line: they refuse the file, or lose the rest of the value without a word."
        ),
        fix="Replace the dashes with another mark, in comments too.",
        example=skill_md(
            frontmatter(_NAME, "description: Fills in PDF forms --- and signs them."),
            frontmatter(_NAME, "description: Fills in PDF forms, and signs them."),
        ),
    ),
    rule(
        "body-empty",
        "nnn",
        "SKILL.md has no instructions below the frontmatter",
        why="A model that loads the skill gets nothing to follow. 8 public skills are so; it is allowed.",
        fix="Write the instructions below the closing fence.",
        example=skill_md(_GOOD, frontmatter(_NAME, _DESCRIPTION, body="Fill in the form.\n")),
    ),
    rule(
        "body-length",
        "nnn",
        "the body is over 500 lines or about 5,000 tokens",
        why=(
            "All of the body goes into the model's context when the skill is loaded, whether the task needs it or "
            "not. 473 public skills are over 500 lines."
        ),
        fix="Move details into files of the skill, and say in the body when to read which.",
        example=shell(
            "yes 'Fill in the next field.' | head -n 501 >> skills/pdf/SKILL.md",
            "yes 'Fill in the next field.' | head -n 501 >> skills/pdf/references/fields.md",
        ),
    ),
    rule(
        "yaml-invalid",
        "wee",
        "the frontmatter is a YAML mapping",
        why=(
            "Readers refuse the file, and many hosts then pass the skill over without a word. 57 of 69 broken "
            "public files have an unquoted colon and a blank in a value."
        ),
        fix=(
            "Quote the value: the finding has the line to paste. At --lenient a line that is no YAML by itself is "
            "read as if it was quoted."
        ),
        example=skill_md(
            frontmatter(_NAME, "description: Forms: fills in and signs PDF files."),
            frontmatter(_NAME, 'description: "Forms: fills in and signs PDF files."'),
        ),
    ),
    rule(
        "yaml-duplicate-key*",
        "eee",
        "a key stands twice in one mapping",
        why=(
            "7 of 11 public readers refuse the file, the others take one of the two values: what a reviewer reads need "
            "not be what a model gets."
        ),
        fix="Delete one of the two.",
        example=skill_md(
            frontmatter(_NAME, _DESCRIPTION, "description: Fills in and signs PDF forms."),
            frontmatter(_NAME, "description: Fills in and signs PDF forms."),
        ),
    ),
    rule(
        "yaml-alias*",
        "eee",
        "anchors, aliases, merge keys, tags and directives are refused",
        why=(
            "Aliases can turn a few hundred bytes into more than a machine holds (one host hangs on them), and "
            "what tags and merge keys give differs from reader to reader."
        ),
        fix="Write out what an alias stands for, delete anchors and tags; quote a text that begins with *, & or !.",
        example=skill_md(
            frontmatter(_NAME, _DESCRIPTION, "metadata:", "  author: &us Docs team", "  owner: *us"),
            frontmatter(_NAME, _DESCRIPTION, "metadata:", "  author: Docs team", "  owner: Docs team"),
        ),
    ),
    rule(
        "yaml-limits*",
        "eee",
        "at most 64 KiB, 8 levels, 1,000 nodes, and 4,300 digits in an integer",
        why=(
            "Deep or huge YAML exhausts parsers, and a longer integer ends a Python host with an error. Hosts read "
            "the frontmatter of every skill when they start."
        ),
        fix="Move data into a file of the skill, or below the frontmatter; quote a long number.",
        example=skill_md(
            frontmatter(_NAME, _DESCRIPTION, "metadata:", "  fields: [[[[[[[text]]]]]]]"),
            frontmatter(_NAME, _DESCRIPTION, "metadata:", "  fields: references/fields.json"),
        ),
    ),
    rule(
        "yaml-flow",
        "nne",
        "a flow collection, [...] or {...}",
        why="The reference validator refuses every flow collection: all 92 skills of one vendor failed there.",
        fix="Write one indented line for each entry.",
        example=skill_md(
            frontmatter(_NAME, _DESCRIPTION, "metadata: {author: Docs team}"),
            frontmatter(_NAME, _DESCRIPTION, "metadata:", "  author: Docs team"),
        ),
    ),
    rule(
        "yaml-comment",
        "nwe",
        "a comment cuts a plain value",
        why=(
            "Every YAML parser drops a value's text from a blank and # on: of the description below a model sees "
            "`Fills in form`."
        ),
        fix="Quote the value, or move a comment that is meant as one to a line of its own.",
        example=skill_md(
            frontmatter(_NAME, "description: Fills in form #12 of the tax office."),
            frontmatter(_NAME, 'description: "Fills in form #12 of the tax office."'),
        ),
    ),
    rule(
        "ambiguous-text",
        "nee",
        "name or description is read as another type by some hosts",
        why=(
            "YAML takes yes, no, null, 007, 1e3 or a date for another type than text, and YAML 1.1 and 1.2 differ "
            "on which. 4 of 11 public readers refuse the name `no`, and one calls that skill False; a public skill is "
            "named `yes`."
        ),
        fix="Quote the value.",
        example=skill_md(
            frontmatter("name: yes", "description: Agrees with everything."),
            frontmatter('name: "yes"', "description: Agrees with everything."),
            place="skills/yes/SKILL.md",
        ),
    ),
    rule(
        "ambiguous-scalar",
        "nne",
        "a value of another field is read as another type by some hosts",
        why=(
            "Version 1.10 is the number 1.1 to one host and text to another, and one refuses a date, which 86 "
            "public skills have in their metadata. The bundle has the text as it was written."
        ),
        fix="Quote the value.",
        example=skill_md(
            frontmatter(_NAME, _DESCRIPTION, "metadata:", "  version: 1.10"),
            frontmatter(_NAME, _DESCRIPTION, "metadata:", '  version: "1.10"'),
        ),
    ),
)
