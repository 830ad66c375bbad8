"""Secrets by name and by content. Design page "Screening".

No example holds a secret, nor what looks like one: it is made where the commands are run.
"""

from __future__ import annotations

from skillpack.rules.rule import files, rule, shell

SECRETS = (
    rule(
        "secret-name*",
        "eee",
        "a file whose name says that it holds a secret",
        why=(
            "Whoever installs the wheel has the file, and a release cannot be taken back. Names are refused as such, "
            "since no rule knows every form that a password can have."
        ),
        fix=(
            "Take the file out of the skill, or `exclude` it. A template is taken under a name that says so: "
            "`.env.example`. For what may ship as it is, the refusal prints the entry that allows it."
        ),
        example=files("skills/pdf/.env", "skills/pdf/.env.example"),
    ),
    rule(
        "secret-dir*",
        "eee",
        "a directory whose name says that it holds secrets",
        why=(
            "Tools keep keys and logins in directories of this name, under names that no rule knows; whoever installs "
            "the wheel has them."
        ),
        fix=(
            "Take the directory out of the skill, or `exclude` it. For what may ship as it is, the refusal prints the "
            "entry that allows it."
        ),
        example=files("skills/pdf/.aws/config", "skills/pdf/references/aws.md"),
    ),
    rule(
        "secret-content*",
        "eee",
        "a secret in a file or in a name",
        why=(
            "Whoever installs the wheel has the secret, and a release cannot be taken back. In 31,147 real files "
            "these rules found 9 secrets, and nothing that was none. Bytes are searched as they are, as UTF-16, for "
            "private keys in base64, and frontmatter as YAML reads it; archives, compressed files, documents that are one of these (docx, pdf) and "
            "other encodings are not looked into."
        ),
        fix=(
            "Revoke it where it was issued, since the history of the repository has it too. Then take it out of the "
            "file, or `exclude` the file; what has it in its name is to be renamed. Of one file 20 are listed, and the "
            "number of the others. For a file that holds no secret, the refusal prints the entry that allows it."
        ),
        example=shell(
            "printenv > skills/pdf/references/environment.txt",
            "printenv | cut -d= -f1 > skills/pdf/references/environment.txt",
        ),
    ),
    rule(
        "secret-like",
        "wwe",
        "what looks like a secret in a file or in a name",
        why=(
            "A password in an address, or a signed token, can be live or an example out of a manual; only its author "
            "knows. Whoever installs the wheel has it."
        ),
        fix="Put a placeholder such as <token> in its place; if it was a live one, revoke it.",
        example=shell(
            'echo "psql $DATABASE_URL" > skills/pdf/references/database.md',
            "echo 'psql $DATABASE_URL' > skills/pdf/references/database.md",
        ),
    ),
    rule(
        "sensitive-name",
        "wwe",
        "a file whose name says that it may hold private data",
        why=(
            "Databases, logs, captures and shell settings often hold what people did or who they are, and whoever "
            "installs the wheel has it."
        ),
        fix="`exclude` it if it is no part of the skill; if it is, look through it first.",
        example=files("skills/pdf/fill.log", "skills/pdf/references/logging.md"),
    ),
)
