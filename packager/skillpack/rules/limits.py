"""How much is too much. Design page "Screening", "Reading files safely"."""

from __future__ import annotations

from skillpack.rules.rule import pyproject, rule, shell

LIMITS = (
    rule(
        "large-skill",
        "wwe",
        "a skill over 512 files or 16 MiB, where MCP hosts stop",
        why="Hosts that take skills over MCP refuse one of more than 512 files or 16 MiB.",
        fix="`exclude` what the skill does not need.",
        example=shell("touch skills/pdf/{001..600}.txt"),
    ),
    rule(
        "large-file",
        "nnn",
        "a file over 1 MiB",
        why="The file is in the module: each process that imports the agent pays for it, whether it is read or not.",
        fix="Make it smaller, or `exclude` it if no instruction needs it.",
        example=shell("head -c 2000000 /dev/zero > skills/pdf/sample.bin"),
    ),
    rule(
        "limit-files",
        "eee",
        "a skill over max-skill-files",
        why=(
            "Thousands of files are most often an environment or a checkout in the wrong place. The limit holds "
            "while the skill is walked, so that nobody waits for it."
        ),
        fix="`exclude` what the skill does not need, or raise `max-skill-files`.",
        example=pyproject(
            "[tool.skillpack]\nmax-skill-files = 1\n", "[tool.skillpack]\nmax-skill-files = 10_000\n"
        ),
    ),
    rule(
        "limit-skill-bytes",
        "eee",
        "a skill over max-skill-bytes",
        why="A skill of that size holds data sets or builds, which a module cannot carry and an agent does not read.",
        fix="`exclude` what the skill does not need, or raise `max-skill-bytes`.",
        example=pyproject(
            '[tool.skillpack]\nmax-skill-bytes = "80 B"\nmax-file-bytes = "1 MiB"\n',
            '[tool.skillpack]\nmax-skill-bytes = "128 MiB"\n',
        ),
    ),
    rule(
        "limit-file-bytes",
        "eee",
        "a file over max-file-bytes",
        why="A file of that size is a data set or a build, which a module cannot carry and a model cannot read.",
        fix="`exclude` the file, or raise `max-file-bytes`.",
        example=pyproject(
            '[tool.skillpack]\nmax-file-bytes = "20 B"\n', '[tool.skillpack]\nmax-file-bytes = "32 MiB"\n'
        ),
    ),
    rule(
        "limit-run",
        "eee",
        "a run over max-files or max-bytes",
        why="A root that leads to a home directory or a whole disk is noticed, and not read for an hour.",
        fix="Name smaller skills roots, `exclude` what no skill needs, or raise `max-files` or `max-bytes`.",
        example=pyproject("[tool.skillpack]\nmax-files = 2\n", "[tool.skillpack]\nmax-files = 100_000\n"),
    ),
    rule(
        "limit-depth",
        "eee",
        "a directory below max-depth",
        why="Paths of that depth are made by accident or on purpose, and tools fail on them in many ways.",
        fix="Lay the files out flatter, `exclude` the directory, or raise `max-depth`.",
        example=shell("mkdir -p skills/pdf/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17"),
    ),
)
