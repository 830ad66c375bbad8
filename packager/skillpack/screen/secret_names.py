"""Names of files and directories that carry secrets.

The tables are those of the design page "Names and directories that carry secrets", a row a rule. Names are compared
case-folded in Unicode normal form C, without blanks and dots at their end. A path of the table decides before a name,
an exact name before a pattern, a pattern before an extension. A copy of what is refused is refused: `id_rsa.bak`,
`credentials (1).json`.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from skillpack.paths import folded
from skillpack.rules import Level, Levels
from skillpack.secrets import armour

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ERROR: Levels = (Level.ERROR, Level.ERROR, Level.ERROR)
WARNING: Levels = (Level.WARNING, Level.WARNING, Level.ERROR)
NOTE: Levels = (Level.NOTE, Level.NOTE, Level.NOTE)
SPARED: Levels = (Level.NOTE, Level.NOTE, Level.ERROR)
"""What real files show to be harmless, and what only `strict` refuses: examples, public keys, `secrets.md`."""
CERTIFICATE: Levels = (Level.OFF, Level.OFF, Level.ERROR)

_LEVELS = {"error": ERROR, "warning": WARNING, "note": NOTE, "spared": SPARED, "certificate": CERTIFICATE}


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRule:
    """What a name says: `levels` at the three settings, and what such a file or directory usually holds.

    `content` names the test that the file's bytes may pass (`settled`). `remark` says why a rule is milder than
    its row in the table.
    """

    glob: str
    levels: Levels
    holds: str
    ending: str = ""
    content: str = ""
    remark: str = ""

    @property
    def is_secret(self) -> bool:
        """Whether the name is refused at every setting."""
        return self.levels == ERROR

    @property
    def is_example(self) -> bool:
        """Whether the name says that the file is an example."""
        return self.remark == _IS_EXAMPLE


def of_file(path: str) -> NameRule | None:
    """Return what the name and the place of a file say, None for most files.

    `path` is a POSIX path relative to the skill directory. The rule may be milder once the content is known:
    `settled`.
    """
    return _of_original(path, _of_path)


def _of_path(path: str) -> NameRule | None:
    if "/" in path and (rule := _PATHS.rule(path)):
        return _spared(rule, path.rpartition("/")[2])
    return _of_name(path.rpartition("/")[2])


@functools.lru_cache(maxsize=4096)
def of_directory(name: str) -> NameRule | None:
    """Return what the name of a directory, a single segment of a path, says; None for most directories."""
    return _of_original(name, _of_directory_name)


def _of_directory_name(name: str) -> NameRule | None:
    rule = _DIRECTORIES.rule(name)
    if not rule:
        return _SECRETS_DIRECTORY if name.startswith("secret") else None
    return _spared(rule, name)


_TRAILING = re.compile(r"[\s.]+(?=/|\Z)")
"""What Windows drops at the end of a name, so that `.env ` is `.env`."""

_COPY = re.compile(
    r"(?:\.(?:bak|old|save|backup|orig|copy|[0-9]+)|~)\Z"
    r"|(?: \([0-9]+\)|(?: - | |-)copy(?: [0-9]+)?)(?=(?:\.[^./]{1,12})?\Z)"
)
"""What people, editors and file managers append to the name of a copy, the latter before its extension."""


def _of_original(name: str, rule_of: Callable[[str], NameRule | None]) -> NameRule | None:
    """Return what `name` says, or where that is no refusal, the refusal of the name of which it is a copy."""
    name = _TRAILING.sub("", folded(name))
    first = rule = rule_of(name)
    while not (rule and rule.is_secret):
        original = _TRAILING.sub("", _COPY.sub("", name, count=1))
        if original == name:
            return first
        name = original
        rule = rule_of(name)
    return rule


def settled(rule: NameRule, data: bytes) -> NameRule:
    """Return `rule` as the bytes of the file leave it."""
    if rule.content not in _CONTENTS:
        return rule
    is_harmless, levels, remark = _CONTENTS[rule.content]
    return replace(rule, levels=levels, content="", remark=remark) if is_harmless(data) else rule


_CODE = frozenset({
    "adoc", "asciidoc", "bash", "bat", "c", "cc", "clj", "cmd", "cpp", "cs", "css", "dart", "erl", "ex",
    "exs", "fish", "go", "h", "hpp", "hs", "htm", "html", "ipynb", "java", "jl", "js", "jsx", "kt", "less",
    "lua", "m", "markdown", "md", "mdx", "mjs", "cjs", "php", "pl", "ps1", "psm1", "py", "pyi", "r", "rb",
    "rs", "rst", "sass", "scala", "scss", "sh", "sql", "svelte", "svg", "swift", "tf", "ts", "tsx", "vue",
    "zsh",
})  # fmt: skip
"""Extensions of documentation and source."""

_DATA = frozenset({
    "",
    "json", "jsonc", "json5", "yaml", "yml", "toml", "ini", "cfg", "conf", "properties", "xml", "csv",
    "tsv", "txt", "env", "tfvars", "db", "sqlite", "enc", "dat", "bin",
})  # fmt: skip
"""Extensions of data, and none."""

_IS_EXAMPLE = ", but this one is named as an example"
_EXAMPLE = re.compile(
    r"(?:.*[._-])?(?:examples?|samples?|templates?|tmpl|tpl|dist|defaults?|schema)(?:[._-].*)?", re.DOTALL
)

_ENDINGS: dict[str, Callable[[str], bool]] = {
    "": lambda _: True,
    "not-code": lambda ending: ending not in _CODE,
    "data": lambda ending: ending in _DATA,
    "data-or-pem": lambda ending: ending in _DATA or ending == "pem",
    "none": lambda ending: not ending,
    "kubeconfig": lambda ending: ending in {"yaml", "yml", "json", "conf", "bak"},
}


def _ending(name: str) -> str:
    """Return the last extension of a file's name; a time or an address behind a dot is none."""
    stem, _, ending = name.rpartition(".")
    return ending if stem and len(ending) <= 12 else ""


def _spared(rule: NameRule, name: str) -> NameRule:
    """Return `rule`, milder where `name` says that the file is an example.

    A name that is in the table as it stands is none (`application_default_credentials.json`), and what cannot be
    looked into is refused under any name.
    """
    if rule.glob == name or rule.content == "container" or rule.levels not in (ERROR, WARNING):
        return rule
    if not _EXAMPLE.fullmatch(name):
        return rule
    return replace(rule, levels=SPARED, content="", remark=_IS_EXAMPLE)


_KEY_BLOCK = re.compile(rb"-----BEGIN [A-Z0-9 ]*KEY|PuTTY-User-Key-File")
_SHADOW_LINE = re.compile(rb"(?m)^[^:\s]+:\$[^:]*:")
_COOKIE_FILE = re.compile(rb"(?m)^# Netscape HTTP Cookie File|^[^\t\n]+(?:\t[^\t\n]*){6}$")


def _is_text_without_key(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in data and not _KEY_BLOCK.search(data)


_CONTENTS: dict[str, tuple[Callable[[bytes], bool], Levels, str]] = {
    "armour": (armour.is_public, SPARED, ", but this one holds public blocks only"),
    "key": (
        lambda data: armour.is_public(data) or data.startswith(b"PK\3\4"),
        SPARED,
        ", but this one holds public blocks only or is a presentation",
    ),
    "asc": (
        lambda data: armour.is_public(data) or not armour.labels(data),
        SPARED,
        ", but this one holds public blocks only or none",
    ),
    "openpgp": (
        lambda data: armour.is_public(data) or armour.is_public_openpgp(data),
        SPARED,
        ", but this one holds public keys or signatures only",
    ),
    "key-block": (_is_text_without_key, NOTE, ", but this one is a text without a key"),
    "shadow": (lambda data: not _SHADOW_LINE.search(data), NOTE, ", but this one has no password line"),
    "cookies": (lambda data: not _COOKIE_FILE.search(data), NOTE, ", but this one holds no cookies"),
    "sqlite": (lambda data: not data.startswith(b"SQLite format 3"), NOTE, ", but this one is no database"),
    "os-crypt": (lambda data: b"os_crypt" not in data, NOTE, ", but this one holds no key"),
}
"""By the `content` of a rule: what makes a file harmless, the levels that it then has, and why."""

_HOLDS = {
    "ai": "an assistant's settings, history or keys",
    "backup": "an older version of another file",
    "browser": "logins or cookies of a browser",
    "certificate": "a certificate",
    "chat": "chat accounts",
    "chef": "the key of a server's configuration",
    "cloud": "cloud credentials",
    "db": "a database or the login to one",
    "docker": "container registry credentials",
    "dotenv": "environment variables with their secrets",
    "dump": "recorded traffic, memory or data",
    "generic": "secrets",
    "gpg": "OpenPGP keys",
    "hist": "a history of commands",
    "jenkins": "a build server's credentials",
    "key": "a private key",
    "kube": "cluster credentials",
    "log": "a log",
    "misc": "credentials",
    "net": "logins to other machines",
    "os": "accounts of a system",
    "php": "a site's settings with its passwords",
    "pkg": "package registry credentials",
    "pwmgr": "a password store",
    "shell": "shell settings, which often hold keys",
    "ssh": "SSH keys or settings",
    "terraform": "infrastructure state or settings with secrets in them",
    "vault": "the key to a vault",
    "vcs": "version control credentials",
    "wallet": "a wallet",
    "xdg": "settings of other programs",
}
"""What a family of names stands for, in the words of a message."""


def _row(
    glob: str,
    level: Literal["error", "warning", "note", "spared", "certificate"],
    family: str,
    ending: str = "",
    content: str = "",
) -> NameRule:
    """One row: `*` stands for any characters, `#` for digits; `ending` and `content` narrow it down."""
    return NameRule(glob=glob, levels=_LEVELS[level], holds=_HOLDS[family], ending=ending, content=content)


# fmt: off
DIRECTORIES = (
    _row(".ssh", "error", "ssh"),
    _row(".aws", "error", "cloud"),
    _row(".gnupg", "error", "gpg"),
    _row(".azure", "error", "cloud"),
    _row(".kube", "error", "kube"),
    _row(".docker", "note", "docker"),
    _row(".gcloud", "error", "cloud"),
    _row("gcloud", "note", "cloud"),
    _row(".config", "note", "xdg"),
    _row(".oci", "error", "cloud"),
    _row(".aliyun", "error", "cloud"),
    _row(".bluemix", "error", "cloud"),
    _row(".chef", "error", "chef"),
    _row(".terraform", "error", "terraform"),
    _row(".terraform.d", "error", "terraform"),
    _row(".password-store", "error", "pwmgr"),
    _row(".electrum", "error", "wallet"),
    _row(".bitcoin", "error", "wallet"),
    _row(".ethereum", "error", "wallet"),
    _row(".mozilla", "error", "browser"),
    _row(".thunderbird", "error", "browser"),
    _row(".purple", "error", "chat"),
    _row(".irssi", "error", "chat"),
    _row(".recon-ng", "error", "misc"),
    _row(".cargo", "note", "pkg"),
    _row(".gem", "warning", "pkg"),
    _row(".m2", "error", "pkg"),
    _row(".gradle", "note", "pkg"),
    _row(".composer", "error", "pkg"),
    _row(".nuget", "warning", "pkg"),
    _row(".wrangler", "error", "cloud"),
    _row(".vercel", "error", "cloud"),
    _row(".netlify", "error", "cloud"),
    _row(".firebase", "error", "cloud"),
    _row(".serverless", "warning", "cloud"),
    _row(".supabase", "warning", "cloud"),
    _row(".fly", "error", "cloud"),
    _row("*.agilekeychain", "error", "pwmgr"),
    _row("*.opvault", "error", "pwmgr"),
    _row("*.keychain", "error", "pwmgr"),
    _row("*.keychain-db", "error", "pwmgr"),
    _row("*.psafe3", "error", "pwmgr"),
    _row(".env", "error", "dotenv", "not-code"),
    _row(".env.*", "error", "dotenv", "not-code"),
    _row(".dev.vars", "error", "dotenv", "not-code"),
    _row(".dev.vars*", "error", "dotenv", "not-code"),
)
FILES = (
    _row(".env", "error", "dotenv", "not-code"),
    _row(".env.*", "error", "dotenv", "not-code"),
    _row(".env-*", "error", "dotenv", "not-code"),
    _row(".env_*", "error", "dotenv", "not-code"),
    _row(".env~", "error", "dotenv", "not-code"),
    _row("*.env", "error", "dotenv", "not-code"),
    _row(".envrc", "error", "dotenv", "not-code"),
    _row(".envrc.*", "error", "dotenv", "not-code"),
    _row(".dev.vars", "error", "dotenv", "not-code"),
    _row(".dev.vars*", "error", "dotenv", "not-code"),
    _row("*.vars", "warning", "dotenv"),
    _row(".flaskenv", "warning", "dotenv"),
    _row(".secrets", "error", "dotenv"),
    _row(".secrets.*", "error", "dotenv"),
    _row("secrets.json", "error", "generic"),
    _row("secrets.y*ml", "error", "generic"),
    _row("secrets.toml", "error", "generic"),
    _row("secrets.ini", "error", "generic"),
    _row("secrets.env", "error", "generic"),
    _row("secrets.txt", "error", "generic"),
    _row("secrets.properties", "error", "generic"),
    _row("secrets.xml", "error", "generic"),
    _row("secrets.tfvars", "error", "generic"),
    _row("secrets.enc.*", "warning", "generic"),
    _row("secret.key", "error", "generic"),
    _row("secret.json", "error", "generic"),
    _row("secret.y*ml", "error", "generic"),
    _row("secret.txt", "error", "generic"),
    _row("secret*", "error", "generic", "data"),
    _row("*.secret", "error", "generic"),
    _row("*.secrets", "error", "generic"),
    _row("*.secret.exs", "error", "generic"),
    _row("master.key", "error", "generic"),
    _row("credentials.yml.enc", "warning", "generic"),
    _row("secret_token.rb", "warning", "generic"),
    _row("credentials", "error", "cloud"),
    _row("credentials.json", "error", "cloud"),
    _row("credentials.csv", "error", "cloud"),
    _row("*accesskeys.csv", "error", "cloud"),
    _row("credentials.xml", "error", "jenkins"),
    _row("credentials.toml", "error", "pkg"),
    _row("credentials.tfrc.json", "error", "terraform"),
    _row("credentials.db", "error", "cloud"),
    _row("credentials.y*ml", "error", "generic"),
    _row("credentials.ini", "error", "generic"),
    _row(".credentials", "error", "generic"),
    _row(".credentials.json", "error", "ai"),
    _row("access_tokens.db", "error", "cloud"),
    _row("application_default_credentials.json", "error", "cloud"),
    _row("legacy_credentials", "error", "cloud"),
    _row("client_secret*.json", "error", "cloud"),
    _row("service-account*.json", "error", "cloud"),
    _row("service_account*.json", "error", "cloud"),
    _row("serviceaccount*.json", "error", "cloud"),
    _row("*-firebase-adminsdk-*.json", "error", "cloud"),
    _row("gcp-key*.json", "error", "cloud"),
    _row("gcloud-service-key*", "error", "cloud"),
    _row("gha-creds-*.json", "error", "cloud"),
    _row("azureprofile.json", "error", "cloud"),
    _row("accesstokens.json", "error", "cloud"),
    _row("msal_token_cache.*", "error", "cloud"),
    _row("service_principal_entries.json", "error", "cloud"),
    _row("*.publishsettings", "error", "cloud"),
    _row("*.cscfg", "warning", "cloud"),
    _row("local.settings.json", "error", "cloud"),
    _row(".boto", "error", "cloud"),
    _row(".s3cfg", "error", "cloud"),
    _row("s3cfg", "error", "cloud"),
    _row(".tugboat", "error", "cloud"),
    _row(".passwd-s3fs", "error", "cloud"),
    _row("rclone.conf", "error", "cloud"),
    _row(".oci_config", "error", "cloud"),
    _row("kubeconfig", "error", "kube"),
    _row("kubeconfig.*", "error", "kube", "kubeconfig"),
    _row("*.kubeconfig", "error", "kube"),
    _row(".dockercfg", "error", "docker"),
    _row("dockercfg", "error", "docker"),
    _row(".dockerconfigjson", "error", "docker"),
    _row(".vault-token", "error", "vault"),
    _row(".vault_pass*", "error", "vault"),
    _row("vault_pass*", "warning", "vault"),
    _row(".vaultpass*", "error", "vault"),
    _row("vault-keys.json", "error", "vault"),
    _row(".sops.age.key", "error", "vault"),
    _row("keys.txt", "note", "vault"),
    _row(".npmrc", "error", "pkg"),
    _row(".yarnrc", "warning", "pkg"),
    _row(".yarnrc.yml", "warning", "pkg"),
    _row(".pypirc", "error", "pkg"),
    _row("pip.conf", "warning", "pkg"),
    _row(".piprc", "error", "pkg"),
    _row("auth.json", "warning", "pkg"),
    _row("auth.toml", "warning", "pkg"),
    _row("nuget.config", "warning", "pkg"),
    _row("settings-security.xml", "error", "pkg"),
    _row(".gem-credentials", "error", "pkg"),
    _row("hex.config", "warning", "pkg"),
    _row(".cargo-credentials", "error", "pkg"),
    _row(".netrc", "error", "net"),
    _row("_netrc", "error", "net"),
    _row("netrc", "error", "net"),
    _row(".netrc.gpg", "error", "net"),
    _row(".authinfo", "error", "net"),
    _row(".authinfo.gpg", "error", "net"),
    _row(".git-credentials", "error", "vcs"),
    _row("git-credentials", "error", "vcs"),
    _row(".gitconfig", "warning", "vcs"),
    _row(".hgrc", "warning", "vcs"),
    _row(".pgpass", "error", "db"),
    _row("pgpass", "error", "db"),
    _row("pgpass.conf", "error", "db"),
    _row(".pg_service.conf", "error", "db"),
    _row(".my.cnf", "error", "db"),
    _row(".mylogin.cnf", "error", "db"),
    _row(".mysql_history", "error", "hist"),
    _row(".htpasswd", "error", "net"),
    _row("htpasswd", "error", "net"),
    _row(".htdigest", "error", "net"),
    _row("proftpdpasswd", "error", "net"),
    _row("filezilla.xml", "error", "net"),
    _row("recentservers.xml", "error", "net"),
    _row("sitemanager.xml", "error", "net"),
    _row("sftp-config.json", "error", "net"),
    _row("sftp.json", "error", "net"),
    _row(".ftpconfig", "error", "net"),
    _row(".remote-sync.json", "error", "net"),
    _row(".ovpn", "error", "net"),
    _row("*.ovpn", "error", "net"),
    _row("*.tblk", "error", "net"),
    _row("*.rdp", "warning", "net"),
    _row("*.rdg", "error", "net"),
    _row("wp-config.php", "warning", "php"),
    _row("localsettings.php", "warning", "php"),
    _row("dbeaver-data-sources.xml", "error", "db"),
    _row("credentials-config.json", "error", "db"),
    _row("robomongo.json", "error", "db"),
    _row("database.yml", "note", "db"),
    _row("jenkins.plugins.publish_over_ssh.bapsshpublisherplugin.xml", "error", "jenkins"),
    _row("hudson.util.secret", "error", "jenkins"),
    _row("knife.rb", "note", "chef"),
    _row("otr.private_key", "error", "chat"),
    _row(".muttrc", "error", "net"),
    _row(".msmtprc", "error", "net"),
    _row(".fetchmailrc", "error", "net"),
    _row(".esmtprc", "error", "net"),
    _row(".trc", "error", "misc"),
    _row("ventrilo_srv.ini", "error", "misc"),
    _row("http-client.private.env.json", "error", "dotenv"),
    _row("export_credentials.cfg", "error", "misc"),
    _row(".httr-oauth", "error", "misc"),
    _row(".rhistory", "error", "hist"),
    _row("github.sublime-settings", "error", "misc"),
    _row("cwallet.sso", "error", "db"),
    _row("ewallet.p12", "error", "db"),
    _row("shadow", "error", "os", content="shadow"),
    _row(".smbcredentials", "error", "os"),
    _row("*.kwallet", "error", "pwmgr"),
    _row("id_rsa", "error", "ssh"),
    _row("id_dsa", "error", "ssh"),
    _row("id_ecdsa", "error", "ssh"),
    _row("id_ecdsa_sk", "error", "ssh"),
    _row("id_ed25519", "error", "ssh"),
    _row("id_ed25519_sk", "error", "ssh"),
    _row("id_xmss", "error", "ssh"),
    _row("*_rsa", "error", "ssh", content="key-block"),
    _row("*_dsa", "error", "ssh", content="key-block"),
    _row("*_ed25519", "error", "ssh", content="key-block"),
    _row("*_ecdsa", "error", "ssh", content="key-block"),
    _row("*.ppk", "error", "ssh", content="container"),
    _row("ssh_host_*_key", "error", "ssh"),
    _row("authorized_keys", "warning", "ssh"),
    _row("known_hosts", "warning", "ssh"),
    _row("*.pem", "error", "key", content="armour"),
    _row("*.key", "error", "key", content="key"),
    _row("*.keypair", "error", "key"),
    _row("*.p8", "error", "key", content="container"),
    _row("*.pk8", "error", "key"),
    _row("*.pkcs8", "error", "key"),
    _row("*.p12", "error", "key", content="container"),
    _row("*.pfx", "error", "key", content="container"),
    _row("*.pkcs12", "error", "key", content="container"),
    _row("*.pvk", "error", "key"),
    _row("*.snk", "warning", "key"),
    _row("*.jks", "error", "key", content="container"),
    _row("*.jceks", "error", "key", content="container"),
    _row("*.bks", "error", "key", content="container"),
    _row("*.keystore", "error", "key", content="container"),
    _row("*.keyring", "error", "key"),
    _row("*.kdb", "error", "pwmgr", content="container"),
    _row("*.kdbx", "error", "pwmgr", content="container"),
    _row("*.psafe3", "error", "pwmgr"),
    _row("*.agilekeychain", "error", "pwmgr"),
    _row("*.1pux", "error", "pwmgr"),
    _row("*.1pif", "error", "pwmgr"),
    _row("*.keychain", "error", "pwmgr"),
    _row("*.keychain-db", "error", "pwmgr"),
    _row("*.mobileprovision", "warning", "key"),
    _row("*.provisionprofile", "warning", "key"),
    _row("*.csr", "warning", "key"),
    _row("*.bek", "error", "key"),
    _row("*.tpm", "error", "key"),
    _row("*.fve", "error", "key"),
    _row("*.wallet", "error", "wallet"),
    _row("wallet.dat", "error", "wallet"),
    _row("utc--*", "error", "wallet", "none"),
    _row("*.agekey", "error", "key"),
    _row("secring.*", "error", "gpg"),
    _row("pubring.*", "warning", "gpg"),
    _row("trustdb.gpg", "warning", "gpg"),
    _row("*.gpg", "error", "gpg", content="openpgp"),
    _row("*.pgp", "error", "gpg", content="openpgp"),
    _row("*.asc", "error", "gpg", content="asc"),
    _row("private.key", "error", "key"),
    _row("*privkey*", "error", "key", "data-or-pem"),
    _row("*private_key*", "warning", "key", "data"),
    _row("*.ejson", "warning", "key"),
    _row("*.tfstate", "error", "terraform"),
    _row("*.tfstate.*", "error", "terraform"),
    _row("*.tfvars", "error", "terraform"),
    _row("*.tfvars.json", "error", "terraform"),
    _row(".terraformrc", "error", "terraform"),
    _row("terraform.rc", "error", "terraform"),
    _row(".terraform.tfstate.lock.info", "error", "terraform"),
    _row("*.tfplan", "error", "terraform"),
    _row("logins.json", "error", "browser"),
    _row("key3.db", "error", "browser"),
    _row("key4.db", "error", "browser"),
    _row("signons.sqlite", "error", "browser"),
    _row("cookies.sqlite", "error", "browser"),
    _row("cookies.txt", "error", "browser", content="cookies"),
    _row("login data", "error", "browser", content="sqlite"),
    _row("cookies", "error", "browser", content="sqlite"),
    _row("web data", "error", "browser", content="sqlite"),
    _row("local state", "error", "browser", content="os-crypt"),
    _row("storagestate.json", "warning", "browser"),
    _row("storage_state.json", "warning", "browser"),
    _row(".*_history", "error", "hist"),
    _row(".history", "error", "hist"),
    _row(".zhistory", "error", "hist"),
    _row(".python_history", "error", "hist"),
    _row(".node_repl_history", "error", "hist"),
    _row(".lesshst", "error", "hist"),
    _row(".viminfo", "error", "hist"),
    _row(".wget-hsts", "error", "hist"),
    _row("consolehost_history.txt", "error", "hist"),
    _row(".bashrc", "warning", "shell"),
    _row(".zshrc", "warning", "shell"),
    _row(".zshenv", "warning", "shell"),
    _row(".cshrc", "warning", "shell"),
    _row(".profile", "warning", "shell"),
    _row(".bash_profile", "warning", "shell"),
    _row(".zprofile", "warning", "shell"),
    _row(".exports", "note", "shell"),
    _row(".extra", "note", "shell"),
    _row("*.pcap", "warning", "dump"),
    _row("*.pcapng", "warning", "dump"),
    _row("*.cap", "note", "dump"),
    _row("*.har", "error", "dump"),
    _row("*.dmp", "error", "dump"),
    _row("*.core", "warning", "dump"),
    _row("core.#", "note", "dump"),
    _row("*.hprof", "error", "dump"),
    _row("*.sqldump", "error", "dump"),
    _row("*.sql.gz", "error", "dump"),
    _row("*.sqlite", "warning", "db"),
    _row("*.sqlite3", "warning", "db"),
    _row("*.db", "warning", "db"),
    _row("*.db-wal", "warning", "db"),
    _row("*.db-shm", "warning", "db"),
    _row("*.mdf", "warning", "db"),
    _row("*.sdf", "warning", "db"),
    _row("*.log", "warning", "log"),
    _row("dump.rdb", "error", "dump"),
    _row(".claude.json", "error", "ai"),
    _row("settings.local.json", "note", "ai"),
    _row(".mcp.json", "note", "ai"),
    _row(".aider.chat.history.md", "error", "ai"),
    _row(".aider.input.history", "error", "ai"),
    _row(".kaggle.json", "error", "ai"),
    _row("kaggle.json", "error", "ai"),
    _row(".wandb-netrc", "error", "ai"),
    _row("*.bak", "warning", "backup"),
    _row("*.old", "note", "backup"),
    _row("*.backup", "warning", "backup"),
    _row("*.save", "note", "backup"),
    _row("*.crt", "certificate", "certificate"),
    _row("*.cer", "certificate", "certificate"),
    _row("*.der", "certificate", "certificate"),
)
PATHS = (
    _row(".docker/config.json", "error", "docker"),
    _row(".cargo/credentials", "error", "pkg"),
    _row(".cargo/credentials.toml", "error", "pkg"),
    _row(".gem/credentials", "error", "pkg"),
    _row(".bundle/config", "error", "pkg"),
    _row(".config/gh/hosts.yml", "error", "vcs"),
    _row(".config/hub", "error", "vcs"),
    _row(".config/gcloud/*", "error", "cloud"),
    _row(".config/op/*", "error", "pwmgr"),
    _row(".config/doctl/config.yaml", "error", "cloud"),
    _row(".config/rclone/rclone.conf", "error", "cloud"),
    _row(".config/pip/pip.conf", "warning", "pkg"),
    _row(".m2/settings.xml", "error", "pkg"),
    _row(".m2/settings-security.xml", "error", "pkg"),
    _row(".gradle/gradle.properties", "error", "pkg"),
    _row(".kube/config", "error", "kube"),
    _row(".streamlit/secrets.toml", "error", "generic"),
    _row(".claude/.credentials.json", "error", "ai"),
    _row(".claude/settings.local.json", "error", "ai"),
    _row(".codex/auth.json", "error", "ai"),
    _row(".gemini/oauth_creds.json", "error", "ai"),
    _row(".local/share/keyrings/*", "error", "pwmgr"),
    _row("library/keychains/*", "error", "pwmgr"),
    _row("etc/shadow", "error", "os"),
    _row("etc/gshadow", "error", "os"),
    _row("etc/passwd", "warning", "os"),
    _row("ssh/config", "warning", "ssh"),
    _row(".purple/accounts.xml", "error", "chat"),
    _row(".irssi/config", "error", "chat"),
    _row(".recon-ng/keys.db", "error", "misc"),
    _row(".wrangler/config/*", "error", "cloud"),
    _row(".netlify/config.json", "error", "cloud"),
    _row(".vercel/auth.json", "error", "cloud"),
    _row(".vercel/project.json", "warning", "cloud"),
    _row(".terraform.d/credentials.tfrc.json", "error", "terraform"),
    _row("config/master.key", "error", "key"),
    _row("config/credentials/*.key", "error", "key"),
    _row(".chef/*.pem", "error", "chef"),
    _row("jenkins/secrets/*", "error", "jenkins"),
)
# fmt: on

_SECRETS_FILE = _row("secret*", "spared", "generic")
_SECRETS_DIRECTORY = _row("secret*", "note", "generic")
"""What no other row says anything about: `secrets-management.md`, `secret_scanner.py`."""

_ENVIRONMENT = (".env.", ".env-", ".env_", ".envrc.", ".dev.vars.")
_ENVIRONMENT_FILE = replace(
    _row(".env.*", "note", "dotenv"), remark=", but this one is source or documentation by its extension"
)
"""What the rows of `.env` spare: `.env.d.ts`, `.env.sh`, `.env.md`. It is packed, and that is said."""

_NO_SECRETS = frozenset({".secrets.baseline"})


_compiled = functools.cache(re.compile)


class _Table:
    """Rows by exact name, by pattern and by extension, looked up in this order."""

    def __init__(self, rows: Sequence[NameRule], *, above: str = "") -> None:
        """Take the rows; `above` is a pattern of what may stand before a name."""
        extension = re.compile(r"\*((?:\.[^.*]+)+)")
        self._exact = (
            {} if above else {row.glob: row for row in rows if "*" not in row.glob and "#" not in row.glob}
        )
        others = [row for row in rows if row.glob not in self._exact]
        found = [(extension.fullmatch(row.glob), row) for row in others]
        self._by_extension = {match[1]: row for match, row in found if match}
        self._globs = [(f"(?s){above}{_pattern(row.glob)}", row) for match, row in found if not match]
        # one expression for most names; the others are compiled when it takes a name
        either = "|".join(f"(?:{glob.removeprefix('(?s)')})" for glob, _ in self._globs)
        self._any_glob = re.compile(either, re.DOTALL)

    def rule(self, name: str) -> NameRule | None:
        if name in self._exact:
            return self._fitting(self._exact[name], name)
        if self._any_glob.fullmatch(name):
            for glob, row in self._globs:
                if _compiled(glob).fullmatch(name) and self._fitting(row, name):
                    return row
        last = name.rfind(".")
        for dot in (name.rfind(".", 0, max(last, 0)), last):
            if dot >= 0 and (extension := name[dot:]) in self._by_extension:
                return self._fitting(self._by_extension[extension], name)
        return None

    @staticmethod
    def _fitting(row: NameRule, name: str) -> NameRule | None:
        return row if _ENDINGS[row.ending](_ending(name)) else None


def _pattern(glob: str) -> str:
    return re.escape(glob).replace(r"\*", ".*").replace(r"\#", "[0-9]+")


_DIRECTORIES = _Table(DIRECTORIES)
_FILES = _Table(FILES)
_PATHS = _Table(PATHS, above="(?:.*/)?")


@functools.lru_cache(maxsize=4096)
def _of_name(name: str) -> NameRule | None:
    """Judge the folded name of a file; most names of a run occur in many skills."""
    if name in _NO_SECRETS:
        return None
    rule = _FILES.rule(name)
    if rule:
        return _spared(rule, name)
    if name.startswith(_ENVIRONMENT):
        return _ENVIRONMENT_FILE
    return _SECRETS_FILE if name.startswith("secret") else None
