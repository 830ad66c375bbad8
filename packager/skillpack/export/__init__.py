"""Forms of a bundle that others read: each module writes one, from any bundle, and touches no file."""
