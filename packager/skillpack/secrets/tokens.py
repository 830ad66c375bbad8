"""The token formats that the secret scan knows, and the words that make a find a placeholder.

The table is that of the design page "Token formats": one row a rule, in the order of precedence (where two finds
overlap, the row above is the one that is reported). Patterns are compiled when their literal first occurs in a
file: compiling all of them costs more than scanning a small skill.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Where = Literal["run", "text", "file"]

# What is no part of the word although its last character could be: an escape of JSON or source code, of a URL, a
# colour or "erase line" of a terminal (its escape character written in any way), the sign of a removed line of a
# diff, an octet of quoted-printable. Look-behinds have fixed widths, hence one for each length. The
# prefilter knows the same: `escape` of `skillpack.secrets.detection`.
_ESCAPED = (
    r"(?<=\\[abefnrtv0])|(?<=\\x[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2})|(?<==[0-9A-F]{2})"
    r"|(?<=\[[mK])|(?<=[\[;]\d[mK])|(?<=[\[;]\d\d[mK])|(?<=;\d{3}[mK])|(?<=(?m:^)-)"
)


def _after_no(word: str) -> str:
    """Return a pattern for a place before which no character of the set `word` stands, save as the end of an escape."""
    return f"(?:(?<![{word}])|{_ESCAPED})"


_BEGIN = _after_no(r"A-Za-z0-9_\-")
_END = r"(?![A-Za-z0-9_\-])"
_LINE_END = r"[ \t]*\r?(?:\n|\Z)"

_NO_WORD_BEHIND = re.compile(rb"\(\?!\[(?:A-Za-z0-9_\\-|\\w~\.-|\\w\.-|\\w-)\]\)")


def in_words(pattern: bytes) -> bytes:
    """Return the pattern of a rule for names and messages, where `-`, `_` and `.` part words and no line has to end."""
    before = pattern.replace(_ESCAPED.encode("ascii"), b"(?<=[^A-Za-z0-9])|" + _ESCAPED.encode("ascii"))
    before = before.replace(_LINE_END.encode("ascii"), b"")
    return _NO_WORD_BEHIND.sub(b"(?![A-Za-z0-9])", before)


class TokenRule(NamedTuple):
    r"""One format.

    `pattern` is a regular expression on bytes (ASCII) whose group 1 is the secret. It is matched at `offsets`
    bytes before a place where one of `literals` stands, so every match holds a literal there. `where` says which
    places count: in a `run` of at least `MIN_RUN` bytes of `RUN_BYTES`, or anywhere in a `text`. A rule for the whole `file` is searched in all of a file that holds a literal.

    `floor` is the least Shannon entropy of the secret in bits a character; 0 says that `check`, the name of a
    structural check of `skillpack.secrets.detection`, judges alone and that placeholder words do not count. A rule that is
    `like` warns, all others refuse.
    """

    name: str
    title: str
    pattern: bytes
    literals: tuple[bytes, ...]
    floor: float
    check: str = ""
    offsets: tuple[int, ...] = (0,)
    where: Where = "run"
    like: bool = False


MIN_RUN = 20
RUN_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.~="


def _rule(
    name: str,
    title: str,
    floor: float,
    pattern: str,
    *literals: str,
    check: str = "",
    offsets: tuple[int, ...] = (0,),
    where: Where = "run",
    like: bool = False,
) -> TokenRule:
    return TokenRule(
        name=name,
        title=title,
        pattern=pattern.encode("ascii"),
        literals=tuple(literal.encode("ascii") for literal in literals),
        floor=floor,
        check=check,
        offsets=offsets,
        where=where,
        like=like,
    )


def _open(
    name: str, title: str, floor: float, secret: str, *literals: str, check: str = "", where: Where = "run"
) -> TokenRule:
    """Describe a token that begins with the literal, after no word character, and ends where its alphabet ends."""
    return _rule(name, title, floor, f"{_BEGIN}({secret})", *literals, check=check, where=where)


def _word(
    name: str,
    title: str,
    floor: float,
    secret: str,
    *literals: str,
    check: str = "",
    offset: int = 0,
    where: Where = "run",
    like: bool = False,
) -> TokenRule:
    """Describe a token of a fixed form that stands alone: no word character before it or after it."""
    return _rule(
        name,
        title,
        floor,
        f"{_BEGIN}({secret}){_END}",
        *literals,
        check=check,
        offsets=(offset,),
        where=where,
        like=like,
    )


RULES: tuple[TokenRule, ...] = (
    _word("aws-access-key-id", "AWS access key id", 3, r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}", "AKIA", "ASIA", "ABIA", "ACCA"),
    _rule("aws-secret-access-key", "AWS secret access key", 4, r"""(?:(?:[Ss]ecret_?(?:[Aa]ccess)?_?[Kk]ey|SECRET_?(?:ACCESS)?_?KEY)["']?\s{0,5}(?:=>|=|:)\s{0,5}|(?:SECRET_ACCESS_KEY|(?<=aws_)secret_access_key)[ \t]{1,5})["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])""", "ecret", "ECRET", offsets=(1,), where="text"),
    _open("aws-bedrock-key", "AWS Bedrock key", 4, r"ABSK[A-Za-z0-9+/]{109,269}={0,2}", "ABSK", where="text"),
    _word("gcp-api-key", "Google API key", 4, r"AIza[\w-]{35}", "AIza"),
    _rule("gcp-service-account", "private key of a Google service account", 0, r'"private_key"\s*:\s*"(-----BEGIN[ A-Z]{0,40}PRIVATE KEY-----[^"]{64,20000})"', '"private_key"', check="service_account_ok", where="text"),
    _word("google-oauth-secret", "Google OAuth client secret", 3.5, r"GOCSPX-[\w-]{28}", "GOCSPX-"),
    _open("google-oauth-token", "Google OAuth token", 4, r"ya29\.[\w-]{50,}", "ya29."),
    _word("github-token", "GitHub token", 3, r"gh[pousr]_[A-Za-z0-9]{36}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", check="crc_ok"),
    _word("github-fine-grained", "GitHub fine-grained token", 3, r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}", "github_pat_"),
    _open("gitlab-token", "GitLab token", 3.5, r"gl(?:pat|dt|rt|ptt|ft|soat|cbt|imt|agent|oas|ffct)-[\w-]{20,}", "gl"),
    _open("slack-token", "Slack token", 3.5, r"xox[abeoprs]-(?:\d{8,14}-){1,3}[A-Za-z0-9-]{16,}", "xox"),
    _open("slack-app-token", "Slack app token", 3.5, r"xapp-\d-[A-Z0-9]{8,}-\d+-[a-z0-9]{32,}", "xapp-"),
    _rule("slack-webhook", "Slack webhook URL", 4, rf"hooks\.slack\.com/(?:services|workflows|triggers)/(T[A-Z0-9]{{6,12}}/[AB][A-Z0-9]{{6,12}}/[A-Za-z0-9]{{20,28}}){_END}", "hooks.slack.com", where="text"),
    _word("stripe-live", "Stripe live key", 3.5, r"(?:sk|rk)_live_[A-Za-z0-9]{24,}", "sk_live_", "rk_live_"),
    _word("stripe-test", "Stripe test key", 3.5, r"(?:sk|rk)_test_[A-Za-z0-9]{24,}", "sk_test_", "rk_test_", like=True),
    _open("stripe-webhook", "Stripe webhook secret", 3.5, r"whsec_[A-Za-z0-9+/=]{32,}", "whsec_", where="text"),
    _open("openai", "OpenAI API key", 3.5, r"sk-(?:(?:proj|svcacct|admin|None)-)?[\w-]{16,100}T3BlbkFJ[\w-]{16,100}", "sk-"),
    _word("anthropic", "Anthropic API key", 4, r"sk-ant-(?:api|admin|oat|ort|sid)\d{2}-[\w-]{80,120}", "sk-ant-"),
    _word("openrouter", "OpenRouter API key", 3, r"sk-or-v1-[0-9a-f]{64}", "sk-or-"),
    _word("groq", "Groq API key", 4, r"gsk_[A-Za-z0-9]{52}", "gsk_"),
    _word("xai", "xAI API key", 4, r"xai-[A-Za-z0-9]{80}", "xai-"),
    _word("huggingface", "Hugging Face token", 3.5, r"hf_[A-Za-z]{34}", "hf_"),
    _word("replicate", "Replicate API token", 3.8, r"r8_[A-Za-z0-9]{37}", "r8_"),
    _word("perplexity", "Perplexity API key", 4, r"pplx-[A-Za-z0-9]{48}", "pplx-"),
    _word("nvidia", "NVIDIA API key", 4, r"nvapi-[\w-]{60,70}", "nvapi-"),
    _word("langsmith", "LangSmith API key", 3, r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}", "lsv2_"),
    _word("tavily", "Tavily API key", 4, r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}", "tvly-"),
    _word("firecrawl", "Firecrawl API key", 3, r"fc-[0-9a-f]{32}", "fc-"),
    _word("elevenlabs", "ElevenLabs API key", 3.2, r"sk_[0-9a-f]{48}", "sk_"),
    _word("npm-token", "npm token", 3.5, r"npm_[A-Za-z0-9]{36}", "npm_", check="crc_ok"),
    _rule("npmrc-auth", "npm registry credential", 3.5, r"_auth(?:Token)?[ \t]*=[ \t]*([A-Za-z0-9+/_-]{24,}={0,2})" + _LINE_END, "_auth", check="npmrc_ok", where="text"),
    _open("pypi", "PyPI token", 4, r"pypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZw)[\w-]{50,}", "pypi-AgE"),
    _word("rubygems", "RubyGems API key", 3, r"rubygems_[a-f0-9]{48}", "rubygems_"),
    _word("crates", "crates.io token", 4, r"cio[A-Za-z0-9]{32}", "cio"),
    _word("sendgrid", "SendGrid API key", 4, r"SG\.[\w-]{22}\.[\w-]{43}", "SG."),
    _word("twilio-api-key", "Twilio API key", 3, r"SK[0-9a-f]{32}", "SK"),
    _word("mailgun", "Mailgun API key", 3, r"key-[0-9a-f]{32}", "key-"),
    _word("mailchimp", "Mailchimp API key", 3, r"[0-9a-f]{32}-us\d{1,2}", "-us", offset=32),
    _rule("azure-ad-secret", "Azure client secret", 4, _after_no(r"\w~.\-") + r"([A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34})(?![\w~.-])", "Q~", offsets=(4,)),
    _rule("azure-storage-key", "Azure storage or access key", 4.2, r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{42,86}={1,2})", "AccountKey=", "SharedAccessKey=", where="text"),
    _word("azure-devops", "Azure DevOps token", 4, r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}", "AZDO", offset=76),
    _rule("private-key-block", "private key", 0, r"(-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]++|-(?!----)){0,999}+-?-----END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----)?)", "-----BEGIN", check="private_key_ok", where="text"),
    _rule("private-key-base64", "private key in base64", 0, r"((?:LS0tLS1CRUdJT|0tLS0tQkVHSU|tLS0tLUJFR0lO)(?:(?!LS0tLS1CRUdJT|0tLS0tQkVHSU|tLS0tLUJFR0lO)[A-Za-z0-9+/_-]){20,}+={0,2})", "LS0tLS1CRUdJT", "0tLS0tQkVHSU", "tLS0tLUJFR0lO", check="wrapped_key_ok", where="text"),
    _rule("putty-key", "PuTTY private key", 0, r"(PuTTY-User-Key-File-[23]:)", "PuTTY-User-Key-File-", check="putty_ok", where="text"),
    _rule("age-secret-key", "age secret key", 4, r"(AGE-SECRET-KEY-(?:PQ-)?1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58,})", "AGE-SECRET-KEY-", where="text"),
    _rule("telegram-bot", "Telegram bot token", 4, "(?:" + _after_no(r"\w:.\-") + r"|(?<=bot))([1-9]\d{7,10}:A[A-Za-z0-9_-]{34})(?![\w-])", ":A", offsets=(8, 9, 10, 11), where="text"),
    _rule("discord-bot", "Discord bot token", 4.2, _after_no(r"\w.\-") + r"([MNO][A-Za-z0-9_-]{23,25}\.[\w-]{6}\.[\w-]{27,38})(?![\w.-])", "iscord", "ISCORD", where="file"),
    _rule("discord-webhook", "Discord webhook URL", 4, r"(?:(?<=discord\.com)|(?<=discordapp\.com))/api/webhooks/(\d{17,20}/[\w-]{60,80})", "/api/webhooks/", where="text"),
    _word("jwt", "JSON web token", 4, r"eyJ[\w-]{14,}\.eyJ[\w-]{14,}\.[\w-]{20,}", "eyJ", check="jwt_ok", like=True),
    _rule("db-url-password", "database URL with a password", 0, r"""://[^\s:@/'"`<>{}$]{1,64}:([^\s@/'"`<>{}$]{3,128})@[\w.-]+""", "://", check="database_url_ok", where="text", like=True),
    _rule("basic-auth-url", "URL with a password", 0, r"""://[^\s:@/'"`<>{}$()]{1,64}:([^\s@/'"`<>{}$()]{3,128})@[\w-]+\.[\w.-]+""", "://", check="web_url_ok", where="text", like=True),
    _word("digitalocean", "DigitalOcean token", 3, r"do[oprt]_v1_[a-f0-9]{64}", "doo_v1_", "dop_v1_", "dor_v1_", "dot_v1_"),
    _open("vault", "Vault token", 4, r"hv[sbr]\.[\w-]{24,300}", "hvs.", "hvb.", "hvr."),
    _rule("tfc", "Terraform Cloud token", 4, _after_no("A-Za-z0-9") + rf"([A-Za-z0-9]{{14}}\.atlasv1\.[\w-]{{60,70}}){_END}", ".atlasv1.", offsets=(14,)),
    _word("databricks", "Databricks token", 3, r"dapi[a-f0-9]{32}(?:-\d)?", "dapi"),
    _open("grafana", "Grafana token", 3.5, r"glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}", "glsa_"),
    _open("grafana-cloud", "Grafana Cloud token", 3.5, r"glc_eyJ[A-Za-z0-9+/=]{40,}", "glc_eyJ", where="text"),
    _word("linear", "Linear API key", 4, r"lin_(?:api|oauth)_[A-Za-z0-9]{40,64}", "lin_"),
    _word("notion", "Notion token", 4, r"ntn_[A-Za-z0-9]{43,50}|secret_[A-Za-z0-9]{43}", "ntn_", "secret_"),
    _word("supabase", "Supabase key", 3.3, r"sbp_[a-f0-9]{40}|sb_secret_[\w-]{22,}_[\w-]{8}", "sbp_", "sb_secret_"),
    _word("shopify", "Shopify token", 3, r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}", "shp"),
    _word("doppler", "Doppler token", 4, r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]+\.)?[A-Za-z0-9]{40,44}", "dp."),
    _rule("fly", "Fly.io token", 4, r"(FlyV1 fm\d[ar]?_[\w+/=,-]{80,})", "FlyV1", where="text"),
    _open("fly-oauth", "Fly.io token", 4, r"fo1_[\w-]{43}", "fo1_"),
    _open("sentry", "Sentry token", 3, r"sntrys_eyJ[\w+/=]{80,1000}", "sntrys_", where="text"),
    _open("sentry-user", "Sentry token", 3, r"sntryu_[a-f0-9]{64}", "sntryu_"),
    _word("newrelic", "New Relic key", 3.5, r"NRAK-[A-Z0-9]{27}", "NRAK-"),
    _word("postman", "Postman API key", 3, r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}", "PMAK-"),
    _open("atlassian", "Atlassian API token", 4, r"ATATT3[\w=-]{150,250}", "ATATT3"),
    _word("figma", "Figma token", 4, r"figd_[\w-]{38,45}", "figd_"),
    _word("1password", "1Password token", 3.8, r"ops_eyJ[A-Za-z0-9+/]{250,}={0,3}", "ops_eyJ", where="text"),
    _word("1password-key", "1Password secret key", 3.8, r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}", "A3-"),
    _word("dockerhub", "Docker Hub token", 4, r"dckr_(?:pat|oat)_[\w-]{27,32}", "dckr_"),
    _rule("docker-auths", "container registry credential", 3.5, r'"auth"\s{0,9}:\s{0,9}"([A-Za-z0-9+/]{16,}={0,2})"', '"auth"', check="docker_ok", where="text"),
    _word("tailscale", "Tailscale key", 3.5, r"tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{11,}-[A-Za-z0-9]{20,}", "tskey-"),
    _word("pulumi", "Pulumi token", 3, r"pul-[a-f0-9]{40}", "pul-"),
    _open("planetscale", "PlanetScale token", 3.8, r"pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}", "pscale_"),
    _word("square", "Square token", 4, r"sq0(?:atp|csp|idp)-[\w-]{22,43}|EAAA[\w-]{60}", "sq0", "EAAA"),
    _open("dropbox", "Dropbox token", 4, r"sl\.(?:u\.)?[\w-]{130,}", "sl."),
    _word("sourcegraph", "Sourcegraph token", 3, r"sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}", "sgp_"),
)  # fmt: skip

WRAPPED_BEGIN = {b"LS0tLS1CRUdJT": b"", b"0tLS0tQkVHSU": b"AC", b"tLS0tLUJFR0lO": b"AAA"}
"""What of `-----BEGIN` in base64 is the same whatever stands before it, behind 0, 1 and 2 bytes of a triple.

Each has characters to put in front: they stand for NUL and the first dash.
"""

PLACEHOLDER = (
    rb"(?is)"
    rb"example|sample|placeholder|your[_-]|dummy|redact|change[_-]?me|replace|insert|notreal|foobar|deadbeef"
    rb"|test[_-]?key|fake[_-]|_fake|mock[_-]|secret[_-]|password"
    rb"|xxxxx|\*{3}|\.{3}|<|>|\$\{|\{\{|(.)\1{4}"
    rb"|abcdef|bcdefg|cdefgh|defghi|efghij|fghijk|ghijkl|hijklm|ijklmn|jklmno|klmnop|lmnopq|mnopqr|nopqrs|opqrst"
    rb"|pqrstu|qrstuv|rstuvw|stuvwx|tuvwxy|uvwxyz|012345|123456|234567|345678|456789"
)
"""What shows that a find was never a secret: a word, five equal characters, six in alphabet or digit order."""

MIN_DISTINCT = 8
"""A token with fewer different characters than this is a placeholder."""

PLACEHOLDER_PASSWORDS = frozenset(
    b"""
    admin changeme dbpass example guest mongo mypassword mysql pass passwd password postgres pw pwd redis root
    secret test token user xxx xxxx
    """.split()
)
"""Passwords in URLs that documentation uses."""

LOCAL_HOST = rb"(?i)127\.0\.0\.1|[^.]*|.*\.(?:local|internal)|(?:.*\.)?example.*"
"""Hosts that are not to be reached from elsewhere, `localhost` and other names without a dot among them."""

DATABASE_SCHEME = (
    rb"(?i)(?<![\w+])(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|clickhouse"
    rb"|cockroachdb)(?:\+\w{1,20})?\Z"
)
"""The scheme of a database URL, at the end of what stands before `://`."""

DOCUMENTATION_JWTS = frozenset(
    {
        "3032e801ce56c762a1485e5dc2971da67ffff81af5cc7dac49d13f5bfbe95ba6",  # jwt.io: John Doe, iat
        "5faaf514bfea98a6729bf864a1a975775bfeb7c1cc8fab7c5074380634b887ad",  # jwt.io: John Doe, admin
        "3962891217dbf252be365efce1c8bdb53b53bde6af92d8cbf83f43be83e8c021",  # jwt.io: John Doe, admin, iat
        "b5071d449fc85d5f639805db47aac509ab741695d179079253fc183a2f5ed70b",  # Wikipedia, "JSON Web Token"
        "d05b154d4d6ff06486a8fc31ddf4dd8f29ca31139b2e41ffe15ddd44f63e161c",  # RFC 7519, section 3.1
        "cb7ff107a3956ea1e0aec33375cf09431e788bf1abdeb2ee57b391e41a36ffae",  # Supabase's local stack, anon
        "e51dfc0d79035cf54726f1ee2ab9d7cf519e1a8177cbe62a2d511c163c398eb2",  # Supabase's local stack, service_role
    }
)
"""SHA-256, in hex, of the decoded payloads of JSON web tokens that documentations print."""
