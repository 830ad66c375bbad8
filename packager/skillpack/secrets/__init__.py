"""Secrets: what one is, where one stands, and how a text is told without it.

`tokens` is the table of formats, `detection` finds them in bytes, `armour` tells public from private keys, `redaction`
takes them out of what people and programs are told.
"""

from __future__ import annotations
