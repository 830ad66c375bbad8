"""SKILL.md's bytes become the fields of a skill; the one package that imports yaml.

The rules are the design page "Reading SKILL.md". Text fields are the scalars as written (`version: 1.10` is
"1.10"); `values` are what hosts read, from the same nodes. Nothing is edited: a level only decides whether a
finding stops the build, and a repair changes what is read, never the file.

`reading` is the stage and its order: `envelope` finds the text, `document` composes it to nodes (`node`), `notation`
judges how they are written, `values` gives them types. `diagnosis` says what is wrong with text that is not YAML and
`repair` mends it; what stops a reading is a `refusal`. `reference` is what YAML has and a frontmatter may not, `place`
and `quoting` are for findings and their hints, which go to the report through `notes`.
"""

from __future__ import annotations

from skillpack.frontmatter.document import FASTEST, Loader
from skillpack.frontmatter.known import Known
from skillpack.frontmatter.reading import read

__all__ = ["FASTEST", "Known", "Loader", "read"]
