"""Run the agent through three requests, between which its skills change: `python -m grid_assets`."""

from __future__ import annotations

from grid_assets.harness import Agent, converse
from grid_assets.script import REVIEW, cleaning, report, scripted
from grid_assets.world import CLEANING, CLEANING_BODY, REPORT_BUG, REPORT_BUG_BODY, SOURCES, venue


def main() -> None:
    place = venue()
    skills = place.values["w/skills"]
    agent = Agent(
        place,
        [*SOURCES, skills["cleaning"]],  # an asset by its address, which the workspace lists as well
        tools={"v/ops/file/list"},
        capabilities={"v/ops/file/list", "v/ops/file/read", "report-bug"},
        max_skill_chars=1500,
        max_total_chars=1000,
    )

    print("=== three sources, one that is not there yet, and one that is down")
    for entry in converse(agent, scripted(cleaning(skills["cleaning"])), "Clean w/orders.csv."):
        print(entry)

    print("=== meanwhile cleaning grows to many times its size, and w/later comes to be")
    skills["cleaning"] = place.put(CLEANING, CLEANING_BODY * 8)
    place.values["w/later"] = {"minutes": {"description": "Write the minutes. Use after a meeting."}}
    for entry in converse(agent, scripted(REVIEW), "Review my change."):
        print(entry)

    print("=== meanwhile code-review is withdrawn, and somebody names an address that no source has")
    del skills["code-review"]
    address = place.put(REPORT_BUG, REPORT_BUG_BODY)
    for entry in converse(agent, scripted(report(address)), f"Report that with {address}."):
        print(entry)

    print("=== trace")
    for name, value in agent.session.trace_attributes().items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
