"""What the screen says about names, paths, texts and programs."""

from __future__ import annotations

import hashlib
import tomllib
import unicodedata
from random import Random
from typing import TYPE_CHECKING

import pytest
from blake3 import blake3

from skillpack import screen
from skillpack.findings import Policy, Report, visible
from skillpack.rules import Level
from skillpack.screen import secret_names
from support import screening, tokens
from support.screening import findings, found, levels

if TYPE_CHECKING:
    from skillpack.model import NameJudge
    from skillpack.rules import Setting

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
SKILL = "---\nname: demo\ndescription: A demo\n---\n"

ERROR = ("secret-name error", "secret-name error")
WARNING = ("sensitive-name warning", "sensitive-name error")
NOTE = ("sensitive-name note", "sensitive-name note")
SPARED = ("sensitive-name note", "sensitive-name error")
CERTIFICATE_NAME = ("", "sensitive-name error")
NOTHING = ("", "")


# What the walk asks: left out, refused, taken.

judge: NameJudge = screen.judge


def action(path: str, *, is_directory: bool, entries: tuple[str, ...] = ()) -> str:
    verdict = judge(path, is_directory=is_directory, entries=entries)
    return f"{verdict.action} {verdict.code}".strip()


@pytest.mark.parametrize(
    "name",
    [
        "__pycache__", ".venv", "node_modules", "Node_Modules", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".nox", ".cache",
        ".turbo", ".ipynb_checkpoints", ".idea", "__MACOSX", ".in_use",
    ],
)  # fmt: skip
def test_directories_that_tools_make_are_left_out_and_so_are_links_to_them(name: str) -> None:
    assert action(f"scripts/{name}", is_directory=True) == "leave-out left-out"
    assert action(name, is_directory=False) == "leave-out left-out"


@pytest.mark.parametrize(
    "name",
    [
        "x.pyc", "x.pyo", ".DS_Store", "._x.md", "Thumbs.db", "THUMBS.DB", "desktop.ini", "x.swp", "x.swo", "x.md~", ".#x.md", "#x.md#",
        "x.orig", "x.rej", "secrets-management.md~", ".env.example.orig", "X.PYC",
    ],
)  # fmt: skip
def test_leftovers_of_editors_and_systems_are_left_out(name: str) -> None:
    assert action(f"references/{name}", is_directory=False) == "leave-out left-out"


@pytest.mark.parametrize("name", [".env~", ".env.orig", ".env.swp", ".dev.vars~"])
def test_a_leftover_with_the_name_of_a_secret_is_not_passed_over(name: str) -> None:
    assert action(name, is_directory=False) == "take"
    assert levels(name) == ERROR


@pytest.mark.parametrize(
    "name",
    ["dist", "build", "target", "vendor", ".github", "data.orig", "notes~", "secrets", "venv", "env", "cvs"],
)
def test_directories_that_may_be_content_are_taken(name: str) -> None:
    assert action(name, is_directory=True) == "take"


@pytest.mark.parametrize(
    "name",
    [
        ".gitignore",
        ".gitkeep",
        ".git-notes",
        "__init__.py",
        "__proto__",
        "hg",
        ".hg",
        "#1.md",
        "cvs",
        ".env",
        "SKILL.md",
    ],
)
def test_files_that_may_be_content_are_taken(name: str) -> None:
    assert action(name, is_directory=False) == "take"


def test_a_venv_is_left_out_when_it_is_one() -> None:
    assert action("venv", is_directory=True, entries=("bin", "pyvenv.cfg")) == "leave-out left-out"
    assert action("venv", is_directory=True, entries=("notes.md",)) == "take"


@pytest.mark.parametrize("name", [".git", ".GIT", ".hg", ".svn", ".bzr", ".jj", "CVS"])
def test_version_control_directories_are_refused(name: str) -> None:
    assert action(f"a/{name}", is_directory=True) == "refuse vcs-entry"


def test_a_git_file_is_refused_as_submodules_have_it() -> None:
    assert action("a/.git", is_directory=False) == "refuse vcs-entry"


def test_a_directory_cvs_in_other_letters_is_refused_by_its_files() -> None:
    assert action("cvs", is_directory=True, entries=("Entries", "Repository", "Root")) == "refuse vcs-entry"
    assert action("cvs", is_directory=True, entries=("jane.md", "root")) == "take"


@pytest.mark.parametrize(
    "name",
    [
        ".ssh", ".SSH", ".aws", ".gnupg", ".kube", ".terraform", ".m2", ".env", ".env.local", ".dev.vars", ".dev.varsbackup",
        "db.opvault", "login.keychain-db",
    ],
)  # fmt: skip
def test_directories_of_secrets_are_entered_and_refused_with_a_way_out(name: str) -> None:
    assert action(f"a/{name}", is_directory=True) == "take"
    (finding,) = [
        finding for finding in findings([f"a/{name}/x.md", f"a/{name}/y.md"]) if finding.code == "secret-dir"
    ]
    assert finding.path == f"skills/demo/a/{name}"
    assert f'exclude = ["skills/demo/a/{name}/"]' in finding.hint


@pytest.mark.parametrize(
    ("name", "default", "strict"),
    [
        (".docker", "note", "note"),
        (".Config", "note", "note"),
        ("secrets", "note", "note"),
        ("secret-santa", "note", "note"),
        (".nuget", "warning", "error"),
        (".env.example", "note", "error"),
    ],
)
def test_sensitive_directories_are_taken_and_reported_once(name: str, default: str, strict: str) -> None:
    assert action(name, is_directory=True) == "take"
    files = [f"x/{name}/a.md", f"x/{name}/b.md", f"x/{name}/sub/c.md"]
    assert found(files) == [(f"x/{name}", "sensitive-name", default)]
    assert found(files, "strict") == [(f"x/{name}", "sensitive-name", strict)]


def test_a_directory_of_secrets_does_not_hide_what_is_in_it() -> None:
    assert found(["a/.ssh/id_rsa", "a/.ssh/x.ppk"]) == [
        ("a/.ssh", "secret-dir", "error"),
        ("a/.ssh/id_rsa", "secret-name", "error"),
        ("a/.ssh/x.ppk", "secret-name", "error"),
    ]


def digest_of(files: dict[str, bytes | str], code: str) -> str:
    (digest,) = {finding.sha256 for finding in findings(files) if finding.code == code}
    return digest


def test_the_digest_of_a_directory_is_that_of_what_sha256sum_prints_in_it() -> None:
    files: dict[str, bytes | str] = {"a/.ssh/b/c.md": b"c", "a/.ssh/config": b"x", "a/other.md": b"y"}
    lines = "".join(
        f"{hashlib.sha256(data).hexdigest()}  {path}\n" for path, data in (("b/c.md", b"c"), ("config", b"x"))
    )
    assert digest_of(files, "secret-dir") == hashlib.sha256(lines.encode()).hexdigest()


@pytest.mark.parametrize(
    "changed",
    [
        {".ssh/config": "x", ".ssh/more": ""},
        {".ssh/config": "y"},
        {".ssh/konfig": "x"},
        {".ssh/a/config": "x"},
    ],
)
def test_the_digest_of_a_directory_changes_with_any_file_in_it(changed: dict[str, bytes | str]) -> None:
    assert digest_of(changed, "secret-dir") != digest_of({".ssh/config": "x"}, "secret-dir")


def test_what_lies_beside_a_directory_does_not_change_its_digest() -> None:
    beside = digest_of({".ssh/config": "x", ".sshd": "y", "z": ""}, "secret-dir")
    assert beside == digest_of({".ssh/config": "x"}, "secret-dir")


@pytest.mark.parametrize(
    ("path", "data", "code"),
    [
        ("a.p12", b"\x00\x01", "secret-name"),
        ("notes.md", tokens.example("github-token").text, "secret-content"),
        ("SKILL.md", f"{SKILL}a\u202eb\nc\u202ed\n".encode(), "invisible-text"),
    ],
)
def test_a_refusal_of_contents_has_their_digest(path: str, data: bytes, code: str) -> None:
    assert digest_of({path: data}, code) == hashlib.sha256(data).hexdigest()


# Names of secrets.


@pytest.mark.parametrize(
    "path",
    [
        # the seven names that differ in case
        ".ENV", ".Env.Production", "Credentials.json", "ID_RSA", "Secrets.YAML", ".NPMRC", "Service-Account.json",
        # environment files
        ".env", ".env.local.json", ".env~", "production.env", ".envrc", ".envrc.local", ".dev.vars", ".dev.varsbackup", ".env-prod", ".env_prod",
        # exact names, patterns, endings
        "credentials", "secrets.json", "secrets.yml", "secret", "secrets", "secret-keys.csv", "SECRETS", "secret_store.db", "x.secret", "prod.secret.exs",
        "application_default_credentials.json", "client_secret_1.json", "kubeconfig.yml", "id_ed25519", "ssh_host_rsa_key", "a.ppk", "a.p12",
        "example.p12", "sample.kdbx", "terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars.json", "dump.sql.gz", ".bash_history",
        "UTC--2016-08-11T01-30-33.123Z--7ef5a6135f1fd6a02593eedc869c6d41d934aef8", "privkey.pem", "privkey1", "a.har", "a.dmp", "a.hprof", "wallet.dat",
        # endings that are the whole name
        ".p12", "home/.ppk", ".tfvars", ".sql.gz",
        # blanks and dots that Windows drops
        ".env ", ".env.", ".env . ", "id_rsa ", ".aws /credentials ",
        # copies
        ".env (2)", ".env.1", ".env copy", "prod.env.old", "prod.env.1", "prod.env.bak.2", "prod (1).env", "id_rsa.bak", "id_rsa.orig", "id_rsa~", "id_rsa copy", "id_rsa copy 2",
        "id_rsa-copy", ".netrc.bak", ".netrc .bak", "credentials.json.bak", "credentials.json.save", "credentials.json.backup", "credentials.json.copy",
        "credentials (1).json", "credentials copy.json", "credentials-copy.json", "Credentials - Copy (2).json", "credentials.json (1)", "a.pem.old",
        "home/.docker/config.json.bak", "home/.docker/config (1).json",
        # places
        "home/.docker/config.json", ".config/gcloud/a/b.db", "x/etc/shadow", "Library/Keychains/login", ".claude/settings.local.json",
    ],
)  # fmt: skip
def test_a_name_of_a_secret_is_refused_at_every_setting(path: str) -> None:
    assert [(place, level) for place, code, level in found([path]) if code == "secret-name"] == [
        (path, "error")
    ]
    assert any(code == "secret-name" for _, code, _ in found([path], "strict"))
    assert screen.is_secret_name(path)


@pytest.mark.parametrize("path", [".aws/a.md", "a/.ssh/b.md", "a/b/.gnupg/c/d.md"])
def test_what_lies_in_a_directory_of_secrets_has_a_secret_name(path: str) -> None:
    assert screen.is_secret_name(path)
    assert not screen.is_secret_name(f"/{path}".replace("/.", "/x"))


def test_a_name_in_another_normal_form_is_the_same_name() -> None:
    assert levels("\u017fecret\u0073.json")[0].endswith("secret-name error")


WORD = tokens.example("github-token").secret.decode()


@pytest.mark.parametrize(
    ("path", "place", "pattern"),
    [
        (f"{WORD}.md", "ghp_…(40 characters).md", "ghp_*.md"),
        (f"a/notes-{WORD}-old.md", "a/notes-ghp_…(40 characters)-old.md", "a/notes-ghp_*-old.md"),
        (f"a/{WORD}/x.txt", "a/ghp_…(40 characters)", "a/ghp_*"),
    ],
)
def test_a_secret_in_a_name_is_refused_and_told_without_it(path: str, place: str, pattern: str) -> None:
    (finding,) = findings([path])
    assert (finding.code, finding.level.label, finding.path) == (
        "secret-content",
        "error",
        f"skills/demo/{place}",
    )
    assert finding.message == "GitHub token ghp_…, 40 characters, in the name"
    assert finding.hint == (
        "revoke it where it was issued and rename it, or leave it out: "
        f'[tool.skillpack] exclude = ["skills/demo/{pattern}"]'
    )
    assert finding.advice == finding.hint


def test_a_secret_in_the_name_of_the_skill_directory_is_refused() -> None:
    report = Report()
    screen.screen(
        screening.skill(["SKILL.md"])._replace(directory=f"x-{WORD}", place=f"skills/x-{WORD}"), report
    )
    (finding,) = report.findings
    assert (finding.code, finding.path) == ("secret-content", "skills/x-ghp_…(40 characters)")
    assert finding.hint == "revoke it where it was issued and rename it"


def test_what_only_may_be_a_secret_warns_in_a_name_too() -> None:
    word = tokens.example("stripe-test").secret.decode()
    assert found([f"{word}.md"]) == [(f"{word[:4]}…({len(word)} characters).md", "secret-like", "warning")]


@pytest.mark.parametrize(
    "path",
    [
        "x" + WORD,
        WORD + "x.md",
        "gh" + "p_" + "example" * 5 + "x.md",
        "0123456789abcdef" * 2 + ".js",
        "cio-notes.md",
    ],
)
def test_a_long_name_that_is_no_secret_passes(path: str) -> None:
    assert found([path]) == []


@pytest.mark.parametrize(
    "path", [".env.md", ".env.d.ts", ".envrc.sh", ".env-notes.md", ".ENV_setup.PY", ".dev.vars.md"]
)
def test_source_and_documentation_named_like_an_environment_is_packed_with_a_note(path: str) -> None:
    assert levels(path) == ("sensitive-name note", "sensitive-name note")
    assert levels(path, tokens.example("github-token").text)[0] == "sensitive-name note secret-content error"
    assert not screen.is_secret_name(path)


@pytest.mark.parametrize(
    "path",
    [
        ".envbackup", ".environment", "env", "environment.yml", "my-secrets.json", "credentials.md", "id_rsa.pub",
        "privkey.md", "my_private_key.py", "kubeconfig.md", "utc--notes.md", "core.1a", ".secrets.baseline", "shadow.css", "__proto__", "__init__.py",
        "tokens.json", "password-policy.md", "accounts.xml", "docker/config.json", "netrc/shadows.md",
    ],
)  # fmt: skip
def test_a_harmless_name_is_packed_without_a_word(path: str) -> None:
    assert levels(path) == NOTHING
    assert not screen.is_secret_name(path)


@pytest.mark.parametrize(
    "path",
    [
        ".env.example", ".ENV.Sample", "example.env", ".env.local.example", "client_secret_template.json", "secrets.example.json", "client_secret.sample.json", "sample.pem",
        "defaults.tfvars", "secrets-management.md", "secret_scanner.py", "secretary.docx", "example.log",
    ],
)  # fmt: skip
def test_an_example_and_a_text_about_secrets_is_a_note_that_strict_refuses(path: str) -> None:
    assert levels(path) == SPARED
    assert not screen.is_secret_name(path)


def test_the_content_of_an_example_is_screened() -> None:
    codes = [
        code for _, code, _ in found({".env.example": b"TOKEN=" + tokens.example("github-token").secret})
    ]
    assert codes == ["sensitive-name", "secret-content"]


@pytest.mark.parametrize(
    "path",
    [
        "a.db", "a.sqlite3", ".bashrc", ".zshrc", "run.log", "a.pcap", "nuget.config", "secrets.enc.yaml", "credentials.yml.enc", "a.csr",
        "my_private_key", "vault_pass.txt", "pubring.kbx", ".vercel-project/etc/passwd", "a.bak",
    ],
)  # fmt: skip
def test_a_sensitive_name_warns(path: str) -> None:
    assert levels(path) == WARNING


@pytest.mark.parametrize(
    "path",
    ["notes (1).md", "notes copy.md", "chapter.1", "report-copy", "copy.json", "~", ".1", "a..", "id_rsa.pub (1)", "photocopy.json"],
)  # fmt: skip
def test_a_copy_of_what_is_harmless_is_harmless(path: str) -> None:
    assert levels(path)[0] in {"", "path-windows error"}
    assert not screen.is_secret_name(path)


@pytest.mark.parametrize(("path", "expected"), [("guide.db.bak", WARNING), (".env.example.bak", SPARED)])
def test_a_copy_of_what_is_not_refused_keeps_its_own_level(path: str, expected: object) -> None:
    assert levels(path) == expected


@pytest.mark.parametrize("name", [".ssh ", ".ssh.bak", ".aws (1)", ".gnupg-copy"])
def test_a_copy_of_a_directory_of_secrets_is_refused(name: str) -> None:
    assert ("secret-dir", "error") in [(code, level) for _, code, level in found([f"{name}/notes.md"])]


def test_a_copy_is_judged_by_its_content_as_its_original_is() -> None:
    assert levels("ca (1).pem", CERTIFICATE) == levels("ca.pem.1", CERTIFICATE) == SPARED


@pytest.mark.parametrize("path", ["a.old", "core.123", "keys.txt", "database.yml", ".mcp.json", "sample.cap"])
def test_a_name_that_is_rarely_sensitive_is_a_note(path: str) -> None:
    assert levels(path) == NOTE


@pytest.mark.parametrize("path", ["ca.crt", "ca.cer", "CA.DER"])
def test_only_strict_refuses_a_certificate_by_its_name(path: str) -> None:
    assert levels(path) == CERTIFICATE_NAME
    assert not screen.is_secret_name(path)


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("ca.pem", CERTIFICATE, SPARED),
        ("ca.pem", CERTIFICATE + "-----BEGIN RSA PUBLIC KEY-----\n", SPARED),
        ("ca.pem", CERTIFICATE + "-----BEGIN PRIVATE KEY-----\n", ERROR),
        ("ca.pem", "", ERROR),
        ("ca.key", CERTIFICATE, SPARED),
        ("deck.key", "PK\x03\x04\0", SPARED),
        ("ca.key", "no block", ERROR),
        ("guide.asc", "= Title\n\nText", SPARED),
        ("release.asc", "-----BEGIN PGP SIGNATURE-----\n", SPARED),
        ("mail.asc", "-----BEGIN PGP MESSAGE-----\n", ERROR),
        ("keys.gpg", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n", SPARED),
        ("keys.pgp", "text", ERROR),
        ("deploy_rsa", "how to deploy", NOTE),
        ("deploy_rsa", "-----BEGIN OPENSSH PRIVATE KEY-----\n", ERROR),
        ("shadow", "the hedgehog", NOTE),
        ("shadow", "a:x:1\nroot:$6$salt$hash:19000:0:::::\n", ERROR),
        ("cookies.txt", "flour, sugar", NOTE),
        ("cookies.txt", "# Netscape HTTP Cookie File\n", ERROR),
        ("cookies.txt", ".a.test\tTRUE\t/\tTRUE\t0\tname\tvalue\n", ERROR),
        ("Cookies", "SQLite format 3\x00", ERROR),
        ("cookies", "flour", NOTE),
        ("Login Data", "SQLite format 3\x00", ERROR),
        ("Local State", '{"os_crypt": {}}', ERROR),
        ("local state", "{}", NOTE),
    ],
)
def test_what_a_file_holds_decides_where_its_name_alone_does_not(
    path: str, data: str, expected: object
) -> None:
    assert levels(path, data) == expected


@pytest.mark.parametrize(("data", "level"), [(b"\x99\x00\x02ab", "note"), (b"\x95\x00\x02ab", "error")])
def test_a_binary_keyring_is_judged_by_its_packets(data: bytes, level: str) -> None:
    assert [finding.level.label for finding in findings({"keys.gpg": data})] == [level]


@pytest.mark.parametrize("data", [b"\0key", b"\xff\xfe"])
def test_a_binary_file_with_the_name_of_an_ssh_key_is_refused(data: bytes) -> None:
    assert levels("deploy_ed25519", data) == ERROR


def test_a_key_behind_a_certificate_is_refused_by_name_and_by_content() -> None:
    data = CERTIFICATE + tokens.private_key(Random(1))
    assert [(code, level) for _, code, level in found({"ca.pem": data})] == [
        ("secret-name", "error"),
        ("secret-content", "error"),
    ]


def test_settings_for_one_machine_are_secret_only_where_an_assistant_keeps_them() -> None:
    assert [code for _, code, _ in found(["x/settings.local.json"])] == ["local-file", "sensitive-name"]
    assert [code for _, code, _ in found(["x/.claude/settings.local.json"])] == ["secret-name"]


def test_what_stands_behind_a_dot_is_an_ending_up_to_twelve_characters() -> None:
    assert levels("UTC--notes.abcdefghijkl") == NOTHING
    assert levels("UTC--2026-01-01T00-00-00.abcdefghijklm") == ERROR


def test_a_place_is_judged_by_the_name_of_the_file_too() -> None:
    assert levels("config/credentials/deploy.key") == ERROR
    assert levels("config/credentials/example.key") == SPARED


def test_a_file_for_one_machine_warns() -> None:
    assert levels("references/SKILL.Local.md") == ("local-file warning", "local-file error")
    assert levels("localization.md") == NOTHING


def test_a_refused_name_says_what_it_stands_for_and_how_to_get_past_it() -> None:
    (finding,) = findings(["config/.env"])
    assert finding.line_text() == (
        "skills/demo/config/.env: error: secret-name: a file of this name usually holds environment variables with their secrets"
    )
    assert finding.hint == (
        'take it out of the skill, or leave it out of the bundle: [tool.skillpack] exclude = ["skills/demo/config/.env"]'
    )


def test_a_hint_escapes_what_is_special_in_a_pattern() -> None:
    report = Report()
    skill = screening.skill(['[a]*"x".env '.strip()])
    screen.screen(skill, report)
    assert any('skills/demo/\\\\[a]\\\\*\\"x\\".env"' in finding.hint for finding in report.findings)


def test_a_hint_writes_what_cannot_be_printed_as_an_escape_of_toml() -> None:
    name = "\xad\x7f\U000e0041.env"
    hint = next(finding.hint for finding in findings([name]) if finding.code == "secret-name")
    assert hint == visible(hint)
    assert tomllib.loads(hint.partition("[tool.skillpack] ")[2]) == {"exclude": [f"skills/demo/{name}"]}


def test_names_of_secrets_cannot_be_lowered() -> None:
    report = Report(Policy(rules={"secret-name": Level.OFF, "sensitive-name": Level.OFF}))
    screen.screen(screening.skill([".env", ".env.example"]), report)
    assert [(finding.path, finding.level) for finding in report.findings] == [
        ("skills/demo/.env", Level.ERROR)
    ]


def test_an_excluded_file_in_a_directory_of_secrets_is_a_secret() -> None:
    assert screen.is_secret_name(".ssh/notes.md")
    assert not screen.is_secret_name(".docker/notes.md")


def test_no_row_of_the_tables_is_there_twice() -> None:
    for rows in (secret_names.DIRECTORIES, secret_names.FILES, secret_names.PATHS):
        globs = [row.glob for row in rows]
        assert len(set(globs)) == len(globs)


@pytest.mark.parametrize("row", secret_names.FILES + secret_names.PATHS, ids=lambda row: row.glob)
def test_every_row_is_reached(row: secret_names.NameRule) -> None:
    """Of all names that a row stands for at least one is decided by it."""
    endings = ("", ".json", ".yaml", "x")
    globs = {
        rule.glob
        for ending in endings
        if (
            rule := secret_names.of_file(
                row.glob.replace("#", "7").replace("y*ml", "yml").replace("*", f"zz{ending}")
            )
        )
    }
    assert row.glob in globs


@pytest.mark.parametrize("row", secret_names.DIRECTORIES, ids=lambda row: row.glob)
def test_every_directory_row_is_reached(row: secret_names.NameRule) -> None:
    rule = secret_names.of_directory(row.glob.replace("*", "zz"))
    assert rule is not None
    assert rule.levels == row.levels


# Paths.


@pytest.mark.parametrize("setting", ["lenient", "default", "strict"])
def test_ordinary_paths_are_no_finding(setting: Setting) -> None:
    paths = [
        "SKILL.md",
        "scripts/run.sh",
        "references/FORMS.md",
        "références/é.md",
        "配置/文件.md",
        "a b.md",
        ".github/x.yml",
        "🏴/x.md",
        "con/x.md"[1:],
    ]
    assert found(paths, setting) == []


@pytest.mark.parametrize(
    ("setting", "level"), [("lenient", "warning"), ("default", "error"), ("strict", "error")]
)
def test_a_name_that_is_not_composed_is_an_error_that_lenient_lowers(setting: Setting, level: str) -> None:
    path = unicodedata.normalize("NFD", "an é.md")
    assert found([path], setting) == [(path, "path-normal-form", level)]
    assert findings([path], setting)[0].hint.endswith(f" --nfc --notest 'skills/demo/{path}'")


@pytest.mark.parametrize(
    "char",
    "\n\x00\x1b\x7f\x85\xad\u034f\u061c\u115f\u17b4\u180e\u200b\u200d\u200e\u2028\u2029\u202e\u2060\u2066\u3164\ufe0f\ufeff\uffa0\U000e0041\U000e0100",
)
def test_a_name_with_an_invisible_character_is_refused(char: str) -> None:
    (finding,) = findings([f"a{char}b/x.md"])
    assert (finding.code, finding.level) == ("path-control", Level.ERROR)
    assert f"U+{ord(char):04X}" in finding.message
    assert finding.line_text().isprintable()
    assert finding.advice_text().isprintable()


@pytest.mark.parametrize(
    "name",
    ["con", "NUL.txt", "aux .md", "Com1.md", "lpt\u00b2", "CONIN$", "a<b", "a>b", "a:b", 'a"b', "a|b", "a?b", "a*b", "a\\b", "a.", "a ", "prn.tar.gz"],
)  # fmt: skip
def test_a_name_that_windows_cannot_hold_is_an_error_that_lenient_lowers(name: str) -> None:
    assert found([f"x/{name}"]) == [(f"x/{name}", "path-windows", "error")]
    assert found([f"{name}/x.md"], "lenient") == [(name, "path-windows", "warning")]


@pytest.mark.parametrize("name", ["console.md", "com0", "com10", "nul_.txt", "auxiliary", ".con", "a.b."[:3]])
def test_a_name_like_that_of_a_device_is_fine(name: str) -> None:
    assert found([name]) == []


def test_a_directory_with_a_bad_name_is_reported_once() -> None:
    assert found(["a?/1.md", "a?/2.md", "a?/b/3.md"]) == [("a?", "path-windows", "error")]


def test_the_length_of_names_and_paths_counts_in_bytes() -> None:
    assert found(["x" * 255, "é" * 127]) == []
    assert [code for _, code, _ in found(["é" * 128])] == ["path-length"]
    deep = "/".join(["x" * 200] * 5) + "/" + "y" * 19
    assert found([deep]) == []
    assert [code for _, code, _ in found([deep + "y"])] == ["path-length"]


def test_a_lone_surrogate_is_no_reason_to_stop() -> None:
    assert found(["a\udcff.md"]) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A.md", "a.md"),
        ("x/FORMS.md", "X/forms.md"),
        ("straße.md", "STRASSE.md"),
        ("\ufb01.md", "fi.md"),
        ("\uff41.md", "a.md"),
        ("\u0130.md", "i\u0307.md"),
    ],
)
def test_paths_that_some_file_systems_take_for_one_collide(one: str, other: str) -> None:
    (finding,) = findings([one, other])
    assert (finding.path, finding.code, finding.level) == (
        f"skills/demo/{other}",
        "path-collision",
        Level.ERROR,
    )
    assert one in finding.message


def test_a_file_and_a_directory_of_one_name_collide() -> None:
    (finding,) = findings(["Notes", "notes/a.md"])
    assert (finding.path, finding.code) == ("skills/demo/notes/a.md", "path-collision")
    assert "Notes" in finding.message
    assert finding.hint == "rename skills/demo/Notes, or the directory skills/demo/notes"


# Secrets in contents.


def test_a_secret_is_refused_with_its_place_and_four_of_its_characters() -> None:
    secret = tokens.example("github-token").secret.decode()
    (finding,) = findings({"references/api.md": f"# API\n\ntoken: {secret}\n"})
    assert (finding.code, finding.level, finding.line, finding.column) == (
        "secret-content",
        Level.ERROR,
        3,
        8,
    )
    assert finding.message == f"GitHub token {secret[:4]}…, 40 characters"
    assert 'exclude = ["skills/demo/references/api.md"]' in finding.hint
    assert finding.hint.startswith("revoke it where it was issued")


def test_a_wrong_checksum_is_said() -> None:
    (finding,) = findings({"a.md": "gh" + "p_" + "aB3dE5gH7j" * 3 + "0zQw12"})
    assert "checksum is wrong" in finding.message


def test_what_is_like_a_secret_warns_and_strict_refuses_it() -> None:
    text = tokens.example("db-url-password").text
    assert levels("a.md", text) == ("secret-like warning", "secret-like error")
    (finding,) = findings({"a.md": text})
    assert finding.hint.startswith("put a placeholder such as <token> in its place")


def test_a_secret_in_skill_md_has_no_hint_to_leave_it_out() -> None:
    (finding,) = findings({"SKILL.md": SKILL + tokens.example("groq").text.decode()})
    assert finding.code == "secret-content"
    assert "exclude" not in finding.hint


def test_a_secret_in_a_binary_file_is_placed_by_its_byte() -> None:
    data = b"\x89PNG\0" + b"\1" * 4_999_995 + tokens.example("groq").text
    (finding,) = findings({"assets/x.png": data})
    assert finding.message.endswith(", at byte 5,000,000")
    assert (finding.code, finding.line) == ("secret-content", 0)


# Programs.


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x7fELF\x02\0", "ELF"),
        (b"\xcf\xfa\xed\xfe", "Mach-O"),
        (b"\xfe\xed\xfa\xce", "Mach-O"),
        (b"\xca\xfe\xba\xbe\0\0\0\x02", "Mach-O"),
        (b"\xca\xfe\xba\xbe\0\0\0\x2c", "Mach-O"),
        (b"\xca\xfe\xba\xbf\0\0\0\x01", "Mach-O"),
        (b"\xca\xfe\xba\xbe\0\0\0\x02\x01\0\0\x07", "Mach-O"),
        (b"MZ" + bytes(58) + b"\x40\0\0\0PE\0\0", "PE"),
        (b"MZ" + bytes(58) + b"\x40\0\0\0PE\0\0\x64\x86", "PE"),
    ],
)
def test_a_program_warns_whatever_it_is_called(data: bytes, kind: str) -> None:
    (finding,) = findings({"references/notes.md": data})
    assert (finding.code, finding.level) == ("executable-content", Level.WARNING)
    assert kind in finding.message


@pytest.mark.parametrize(
    "data",
    [
        b"MZ is a prefix",
        b"MZ" + bytes(58) + b"\x40\0\0\1PE\0\0",
        b"\xca\xfe\xba\xbe\0\0\0\x2d",
        b"\xca\xfe\xba\xbe\0\0\0\x34",
        b"\xca\xfe\xba\xbe\1\0\0\x02",
        b"\xca\xfe\xba\xbe",
        b"#!/bin/sh\n",
        b"",
    ],
)
def test_what_only_begins_like_a_program_is_none(data: bytes) -> None:
    assert found({"a.bin": data}) == []


# Text that hides.

FLAG = "\U0001f3f4" + "".join(chr(0xE0000 + ord(char)) for char in "gbsct") + "\U000e007f"


def hidden(body: str) -> list[tuple[str, str, int, int]]:
    return [
        (finding.code, finding.level.label, finding.line, finding.column)
        for finding in findings({"SKILL.md": SKILL + body})
    ]


@pytest.mark.parametrize("char", "\u202a\u202e\u2066\u2069\U000e0001\U000e0041\U000e007f\U000e0100\U000e01ef")
def test_a_character_that_hides_text_is_refused_in_skill_md(char: str) -> None:
    assert hidden(f"one\ntwo {char} three") == [("invisible-text", "error", 6, 5)]


@pytest.mark.parametrize(
    "char", "\u200b\u2060\u2064\u180e\u034f\u115f\u1160\u3164\uffa0\ufeff\x01\x1b\x7f\x9f\x0c"
)
def test_a_character_that_cannot_be_seen_warns_in_skill_md(char: str) -> None:
    assert hidden(f"one\ntwo {char} three") == [("invisible-characters", "warning", 6, 5)]


@pytest.mark.parametrize(
    "text",
    [
        "\u200c\u200d\u200e\u200f\u061c\xad",
        "❤\ufe0f",
        "👨\u200d👩",
        FLAG,
        f"{FLAG}{FLAG}\t\r\n",
        "\U0001f3f4",
    ],
)
def test_characters_of_scripts_and_emoji_pass(text: str) -> None:
    assert hidden(f"text {text} text") == []


@pytest.mark.parametrize(
    "text",
    [FLAG[1:], FLAG[:-1], FLAG[:2] + FLAG[-1], FLAG[:-1] + FLAG[1:4] + FLAG[-1]],
)
def test_what_is_no_whole_flag_hides_text(text: str) -> None:
    assert {code for code, *_ in hidden(text)} == {"invisible-text"}


def test_hidden_characters_are_counted_by_line_and_kind() -> None:
    results = findings({"SKILL.md": SKILL + "\u202ea\u202eb\u200b\nc\u202e"})
    assert [(finding.code, finding.line, finding.column) for finding in results] == [
        ("invisible-text", 5, 1),
        ("invisible-characters", 5, 5),
        ("invisible-text", 6, 2),
    ]
    told = "U+202E RIGHT-TO-LEFT OVERRIDE cannot be seen by a reader"
    assert [results[0].message, results[2].message] == [f"{told}, and 1 more on this line", told]


def test_a_place_in_text_counts_from_its_first_character() -> None:
    for char in ("\u200b", "\x1f", "\x7f"):
        for text, line, column in (
            (char, 1, 1),
            (f"\n{char}", 2, 1),
            (f"\ufeff{char}", 1, 2),
            (f"a\nbc{char}", 2, 3),
        ):
            for path in ("SKILL.md", "a.md"):
                (finding,) = findings({path: text})
                assert (finding.line, finding.column) == (line, column)


def test_contents_that_are_known_to_be_clean_are_not_looked_into_again() -> None:
    comment, fine, binary, bad = b"<!-- a -->", b"fine\n", b"\0", "a\u200b".encode()
    clean: set[bytes] = set()
    for _ in range(2):
        for files in ({"A.md": comment, "b.md": fine, "c.bin": binary, "d.md": bad}, {"SKILL.md": comment}):
            report = Report(Policy())
            screen.screen(screening.skill(files), report, clean)
            assert [finding.code for finding in report.findings] == [
                "html-comment" if "SKILL.md" in files else "invisible-characters"
            ]
    assert clean == {b"r" + blake3(data).digest() for data in (comment, fine, binary)}
    screen.screen(screening.skill({"SKILL.md": fine}), Report(Policy()), clean)
    assert b"i" + blake3(fine).digest() in clean


def test_the_frontmatter_is_left_to_its_own_stage() -> None:
    for end in ("\n", "\r\n"):
        text = end.join(("\ufeff---", "description: a\u202eb", "---", "body"))
        assert found({"SKILL.md": text}) == []
    assert found({"SKILL.md": "\ufeffno frontmatter"}) == []
    assert [code for _, code, _ in found({"SKILL.md": "---\nno end\u202e"})] == ["invisible-text"]


@pytest.mark.parametrize("data", [b"\xe2\x80\xae\xff", b"\xe2\x80\xae\0"])
def test_what_is_no_text_hides_none(data: bytes) -> None:
    assert found({"SKILL.md": SKILL.encode() + data, "a.bin": data}) == []


def test_other_texts_get_one_warning_a_skill() -> None:
    files = {
        "a.md": "fine",
        "b.md": "\ufeffx\u202e",
        "c.md": "one\ntwo\u200b",
        "d.md": "\x1b[0m",
        "e.md": "\ufeffé",
    }
    results = findings(files)
    assert [
        (finding.path[-4:], finding.code, finding.level.label, finding.line, finding.column)
        for finding in results
    ] == [
        ("b.md", "invisible-characters", "warning", 1, 3),
        ("d.md", "invisible-characters", "note", 1, 1),
    ]
    assert results[0].message.endswith("cannot be seen by a reader, and so in 1 more files of the skill")
    assert results[1].message.endswith("cannot be seen by a reader")
    assert [level for _, _, level in found(files, "strict")] == ["error", "note"]


def test_a_text_with_both_kinds_gets_a_warning_and_a_note() -> None:
    assert [level for _, _, level in found({"a.md": "\x07\u200b\x08"})] == ["note", "warning"]


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ("text <!-- hidden -->", [(1, 6)]),
        ("<!-- one\ntwo <!-- three\n--> four\n<!-- five -->", [(1, 1), (4, 1)]),
        ("`<!-- code -->` and ``a ` <!-- b``", []),
        ("`code` <!-- x --> `code`", [(1, 8)]),
        ("```html\n<!-- code -->\n```\n<!-- x -->", [(4, 1)]),
        ("~~~\n```\n<!-- code -->\n~~~~\n<!-- x -->", [(5, 1)]),
        ("- ```\n  <!-- code -->\n  ```\n<!-- x -->", [(4, 1)]),
        ("> ~~~\n> <!-- code -->\n> ~~~\n<!-- x -->", [(4, 1)]),
        ("~~~\n~~~ `\n<!-- code -->\n~~~\n<!-- x -->", [(5, 1)]),
        ("````\n```\n<!-- code -->\n````", []),
        ("```\n<!-- code to the end", []),
        ("```inline``` <!-- x -->", [(1, 14)]),
        ("`` <!-- x --> ` <!-- y -->", [(1, 4)]),
        ("` <!-- x --> `` y `` <!-- z -->", [(1, 3)]),
        ("``a`b``c`<!-- x -->`<!-- y -->", [(1, 21)]),
        ("`a``b`<!-- x -->`", [(1, 7)]),
        ("no comment", []),
    ],
)
def test_a_comment_outside_code_is_a_note(body: str, places: list[tuple[int, int]]) -> None:
    assert hidden(body) == [("html-comment", "note", 4 + line, column) for line, column in places]
    assert found({"README.md": body}) == []


@pytest.mark.parametrize(
    "line",
    [
        "".join(f"{'`' * count} " for count in range(1, 3_000)),
        "`" * 2_000_000 + " x`",
        "` " * 1_000_000,
        "- " * 1_000_000,
        "-" + " " * 2_000_000,
    ],
    ids=["runs of all lengths", "one run", "single ones", "items", "blanks"],
)
def test_no_line_is_looked_through_more_than_once(line: str) -> None:
    assert hidden(f"{line}\n{line}<!-- x -->") == [("html-comment", "note", 6, len(line) + 1)]


def test_a_comment_is_placed_by_its_line_in_the_file() -> None:
    for lines in range(4):
        frontmatter = "---\n" + "a: b\n" * lines + "---\n"
        (finding,) = findings({"SKILL.md": f"{frontmatter}<!-- x -->"})
        assert (finding.line, finding.column) == (lines + 3, 1)


def test_of_the_secrets_in_a_file_twenty_are_listed_and_the_others_counted() -> None:
    texts = [tokens.example("github-token", seed).text for seed in range(30)]
    like = [tokens.example("jwt", seed).text for seed in range(3)]
    found = findings({"notes.txt": b"\n".join((*texts, *like))})
    secret = [finding for finding in found if finding.code == "secret-content"]
    assert len(secret) == 21
    assert (secret[0].line, secret[0].message) == (0, "and 10 more in this file")
    for number in (20, 21):
        some = findings({"notes.txt": b"\n".join(texts[:number])})
        assert [finding.message for finding in some if not finding.line] == ["and 1 more in this file"] * (
            number - 20
        )
    assert len({finding.sha256 for finding in secret}) == 1
    assert len([finding for finding in found if finding.code == "secret-like"]) == 3


def test_a_secret_over_directories_is_told_once_where_it_ends() -> None:
    webhook = tokens.example("discord-webhook").text.decode().strip().partition("://")[2]
    found = findings({f"{webhook}/a/b.txt": b"x\n", f"{webhook}/c.txt": b"x\n"})
    (finding,) = [finding for finding in found if finding.code == "secret-content"]
    assert finding.message.startswith("Discord webhook URL ")
    assert finding.message.endswith(", in the path")
    assert finding.path.endswith(" characters)")


def test_what_lies_below_a_secret_in_a_name_is_not_told_again() -> None:
    token = tokens.example("github-token").secret.decode()
    found = findings({f"a/{token}/b/c.txt": b"x\n"})
    assert [finding.code for finding in found] == ["secret-content"]


@pytest.mark.parametrize("before", [".env.", "npm_config_", "x", "//registry.test/:"])
def test_a_registry_credential_in_a_name_is_found_behind_anything(before: str) -> None:
    credential = "_auth" + "Token=" + tokens.text_of(Random(5), (tokens.ALNUM, 36))
    (finding,) = [
        finding
        for finding in findings({f"{before}{credential}/x.md": b"x\n"})
        if finding.code == "secret-content"
    ]
    assert finding.message.startswith("npm registry credential ")
    assert credential[12:17] not in finding.path


def test_a_command_to_rename_is_not_told_with_a_cut_path() -> None:
    name = f"e\u0301-{WORD}.md"
    assert screening.findings([name, "e\u0301.md"])
    hints = {
        finding.path: finding.hint
        for finding in screening.findings([name, "e\u0301.md"])
        if finding.code == "path-normal-form"
    }
    assert sorted(hints.values()) == [
        "compose its accents: convmv -f utf8 -t utf8 --nfc --notest 'skills/demo/e\u0301.md'",
        "rename it, with its accents composed",
    ]


def test_the_package_has_the_names_of_the_stage_and_no_others() -> None:
    assert {getattr(screen, name).__name__ for name in screen.__all__} == set(screen.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'scream'"):
        screen.scream  # type: ignore[attr-defined] # noqa: B018
