"""An agent harness with one tool for skills, `skill.use`."""
