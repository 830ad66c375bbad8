"""What a model reads of a skill: its instructions in their frame, a file piece by piece."""

from __future__ import annotations

from skillpack.runtime.listing import TYPE_CHECKING
from skillpack.runtime.model import body_start
from skillpack.runtime.text import escape, one_line, shown

if TYPE_CHECKING:
    from skillpack.runtime.bundle import SkillBundle
    from skillpack.runtime.model import Skill, SkillFile, _Directory

MAX_LISTED_FILES = 100
MAX_LISTED_CHARS = 25_000


def framed(bundle: SkillBundle, name: str, directory: _Directory | None, max_chars: int | None) -> str:
    """Return what `SkillBundle.load` does."""
    skill = bundle._find(name)
    text = skill.file("SKILL.md").text()
    start = body_start(text)
    body = text[start:].rstrip("\r\n")
    if not body.strip():
        body = f"(No instructions: this skill only names tools.)\n{one_line(skill.description)}"
    if directory is not None:
        place = f"\n\nSkill directory: {directory}\n"
        place += "Relative paths in this skill are relative to the skill directory."
    else:
        place = ""
    suffix = frame_suffix(body + place, skill.digest)
    head = f'<skill_content{suffix} name="{attribute(skill.name)}">\n'
    foot = f"{place}\n\n{_resource_lines(bundle, skill, suffix)}\n</skill_content{suffix}>"
    if max_chars is not None and len(head) + len(body) + len(foot) > max_chars:
        # 200 characters are kept for the line that says how to go on.
        kept = cut(body, 0, max(0, max_chars - len(head) - len(foot) - len(skill.name) - 200))
        foot += (
            f"\n[characters 0-{kept} of {len(body)} of the instructions; continue with "
            f"{bundle._tools[1]}(name={quoted(skill.name)}, path="
            f'"SKILL.md", offset={start + kept})]'
        )
        body = body[:kept].rstrip("\r\n")
    return head + body + foot


def piece(file: SkillFile, offset: int, limit: int) -> str:
    """Return what `SkillBundle.read` does."""
    if not file.is_text:
        file.bytes()
        return f"[{shown(file.media_type)}, {file.size} bytes: a binary file, not shown as text]"
    text = file.text()
    if offset < 0 or limit < 1 or offset > len(text):
        raise ValueError(f"offset {offset}, limit {limit}: the file has {len(text)} characters")
    return piece_of(text, offset, limit)


def piece_of(text: str, offset: int, limit: int) -> str:
    """Return at most `limit` characters of a text, and how to go on."""
    if len(text) - offset <= limit:
        return text[offset:]
    end = cut(text, offset, offset + limit)
    chunk = text[offset:end]
    tail = f"[characters {offset}-{end} of {len(text)}; continue with offset={end}]"
    return chunk + ("" if chunk.endswith("\n") else "\n") + tail


def _resource_lines(bundle: SkillBundle, skill: Skill, suffix: str) -> str:
    if not skill.resources:
        return "This skill has no resources."
    rows: list[str] = []
    room = MAX_LISTED_CHARS
    for path in skill.resources:
        row = (
            f'  <file path="{attribute(path)}">{bundle._tools[1]}'
            f"(name={quoted(skill.name)}, path={quoted(path)})</file>"
        )
        room -= len(row)
        if room < 0 or len(rows) == MAX_LISTED_FILES:
            rows.append(f"  … and {len(skill.resources) - len(rows)} more.")
            break
        rows.append(row)
    return "\n".join([f"<skill_resources{suffix}>", *rows, f"</skill_resources{suffix}>"])


def attribute(text: str) -> str:
    """Return `text` fit for a double-quoted XML attribute."""
    return escape(text).replace('"', "&quot;")


def quoted(text: str) -> str:
    r"""Return a name or path as a JSON string, with `<` as `\u003c`; neither holds control characters."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("<", "\\u003c")
    return f'"{text}"'


def cut(text: str, start: int, end: int) -> int:
    """Return the last line end between `start` and `end`, or `end` when there is none."""
    return text.rfind("\n", start, end) + 1 or end


def frame_suffix(text: str, digest: str) -> str:
    """Return what a frame's tags carry so that `text` cannot close them: nothing, in the usual case."""
    folded = text.casefold()
    if "skill_content" not in folded and "skill_resources" not in folded:
        return ""
    length = 16
    while f"_{digest[7 : 7 + length]}" in folded and length < 64:
        length += 8
    return f"_{digest[7 : 7 + length]}"
