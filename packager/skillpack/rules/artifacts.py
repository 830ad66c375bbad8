"""What `skillpack verify` finds in wheels and modules. Design pages "Formats" and "Packaging"."""

from __future__ import annotations

from skillpack.rules.rule import rule, shell

ARTIFACTS = (
    rule(
        "artifact-damaged*",
        "eee",
        "a content or an index without the digest that was recorded",
        why=(
            "The bytes are not those that were screened and packed: a download broke, a merge went wrong, or somebody "
            "edited them. The runtime refuses such a file when an agent reads it."
        ),
        fix="Build the artifact again from its sources; if nobody edited it, do not trust it.",
        example=shell("sed -i 's/Fill in/Throw away/' src/myagent/skills.py"),
        configurable=False,
    ),
    rule(
        "artifact-index*",
        "eee",
        "an index that says something else than SKILL.md",
        why=(
            "Names, descriptions and fields reach the prompt from the index: a model is told something else of the "
            "skill than a reader of its SKILL.md."
        ),
        fix="Build the artifact again from its sources; if nobody edited it, do not trust it.",
        example=shell("sed -i '/description: /!s/forms of pdf/every form/' src/myagent/skills.py"),
        configurable=False,
    ),
    rule(
        "artifact-altered*",
        "eee",
        "a module, or a file beside it, that is not what skillpack writes for its contents",
        why=(
            "Somebody or some tool wrote to the module after skillpack, to its stub, or to the files of `also-files`: also "
            "where every digest agrees, an edit is one that nobody has screened."
        ),
        fix=(
            "Build the artifact again from its sources, and keep formatters away from it; if nobody edited it, do not "
            "trust it."
        ),
        example=shell("sed -i 's|text/markdown|text/plain|' src/myagent/skills.py"),
        configurable=False,
    ),
    rule(
        "artifact-manifest*",
        "eee",
        "a wheel's manifest that says something else than its module",
        why=(
            "Scanners and registries read the manifest, since nothing has to be imported for it: what they approve is "
            "not what an agent gets."
        ),
        fix="Build the wheel again from its sources; if nobody edited it, do not trust it.",
        example=shell(
            "wheel unpack dist/myagent-1.0-py3-none-any.whl\n"
            "sed -i 's/Fills in/Signs/' myagent-1.0/myagent-1.0.dist-info/extra_metadata/skillpack.json\n"
            "wheel pack myagent-1.0"
        ),
        configurable=False,
    ),
    rule(
        "artifact-shadowed*",
        "eee",
        "a file that Python imports in the place of the module",
        why=(
            "A package or an extension module of the same name comes before the source: what an agent imports is not "
            "what was verified."
        ),
        fix="Take the file out of what is built, and build again; if nobody put it there, do not trust the artifact.",
        example=shell("mkdir src/myagent/skills && echo 'bundle = None' > src/myagent/skills/__init__.py"),
        configurable=False,
    ),
    rule(
        "runtime-unknown*",
        "eee",
        "a module with code of no known release of skillpack",
        why="Code that skillpack did not write runs when an agent imports the module.",
        fix="Verify with the skillpack that wrote it, or build it again; if nobody edited it, do not trust it.",
        example=shell("echo 'import socket' >> src/myagent/skills.py"),
        configurable=False,
    ),
    rule(
        "runtime-older",
        "nnn",
        "a module with the runtime of an older release",
        why="The module is sound, and lacks what later releases of its runtime have mended.",
        fix="Build it again to have the newest runtime.",
        example=shell("pip install --upgrade skillpack && skillpack verify src/myagent/skills.py"),
        configurable=False,
    ),
)
