"""An agent that reads its skills from its own wheel."""
