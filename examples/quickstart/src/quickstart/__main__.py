"""Show the three levels of disclosure: `python -m quickstart`."""

from quickstart.skills import bundle


def main() -> None:
    # always in the prompt: what there is
    print(bundle.catalog())

    # on demand: the instructions of one skill
    print(bundle.load("commit-message"))

    # on demand: a file that the instructions name
    print(bundle.read("commit-message", "references/types.md"))

    # files are bytes; a picture is served as it was packed
    logo = bundle["status-page"].file("assets/degraded.png")
    print(f"{logo.path}: {logo.media_type}, {len(logo.bytes())} bytes, {logo.digest}")


if __name__ == "__main__":
    main()
