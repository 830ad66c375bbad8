"""Findings for machines: `record` (JSON of our own), `sarif` (SARIF 2.1.0), `github` (annotations).

Each module has one function of its name, from findings to text. The text does not depend on the order in which
the findings come.
"""
