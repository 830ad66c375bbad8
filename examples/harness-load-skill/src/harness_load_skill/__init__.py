"""An agent harness with `load_skill` and `read_skill_resource`."""
