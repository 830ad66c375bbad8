#!/bin/sh
# Report what a machine sees, so that a review need not.
exec ruff check "${1:-src}"
