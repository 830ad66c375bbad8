"""Two agents of one wheel: one operates instances, one looks after the repository."""
