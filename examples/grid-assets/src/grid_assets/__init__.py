"""An agent on a grid of addresses, whose skills are assets."""
