"""Records of any content: what comes of them is skills inside the distribution's directory, or one finding."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path, PurePosixPath
from unittest import mock

from hypothesis import example, given, settings
from hypothesis import strategies as st

from skillpack import distribution
from skillpack.config import Config
from skillpack.findings import Report
from support.distributions import install

ROOT = "package:desk-tools"

segments = st.sampled_from(
    [
        "desk",
        "skills",
        ".agents",
        "SKILL.md",
        "skill.md",
        "a",
        "a-b",
        "..",
        ".",
        "",
        "c:",
        "a\\b",
        "\u2028",
        "é",
    ]
)
paths = st.lists(segments, min_size=1, max_size=7).map("/".join)
homes = st.sampled_from(["desk/skills", "desk/.agents/skills", "desk/a/skills", "desk/skills/a/skills"])
skills = st.tuples(homes, segments, st.sampled_from(["SKILL.md", "skill.md", "a"])).map("/".join)
hashes = st.sampled_from(["", "sha256=", "sha256=" + 43 * "A", "sha256=" + 44 * "A", "md5=x"])
rows = st.tuples(st.one_of(paths, skills), hashes).map(",".join)
records = st.one_of(st.lists(rows, max_size=12).map("\n".join), st.text(max_size=200))


@settings(deadline=None, max_examples=200)
@given(records)
@example('"')
@example("\0")
def test_any_record_gives_skills_in_the_distribution_or_one_finding(record: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        site = Path(directory).resolve()
        info = install(site, "desk-tools")
        (info / "RECORD").write_bytes(record.encode("utf-8", "surrogatepass"))
        report = Report()
        config = Config(project=site, base=site, skills=(ROOT,), module=None)
        with mock.patch.object(sys, "path", [directory, *sys.path]):
            found = distribution.resolved(config, report)
    if not found.packages:
        assert [finding.code for finding in report.findings] == ["root-missing"]
        return
    assert report.findings == ()
    package = found.packages[ROOT]
    assert package.base == site
    assert package.skills
    directories = [PurePosixPath(path) for path in package.skills.values()]
    for place, path in zip(package.skills, directories, strict=True):
        assert place == f"{ROOT}/{path.name}"
        assert path.parent.name == "skills"
        assert not {"..", ".", ""} & set(path.parts)
        assert not any(path != other and path.is_relative_to(other) for other in directories)
        assert any(name.casefold() == f"{path}/skill.md".casefold() for name in package.record)
