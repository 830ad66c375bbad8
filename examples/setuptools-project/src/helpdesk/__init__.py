"""An agent that answers customers, with skills for the rules it must not guess."""
