"""Show what the agent knows: `python -m helpdesk`."""

from helpdesk.skills import bundle

print(bundle.catalog())
print(bundle.load("refunds"))
