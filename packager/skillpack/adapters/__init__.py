"""Bundles in the place that an agent framework has for skills: a module a framework, which nothing here imports."""
