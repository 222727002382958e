"""Group pages by folder, for lists that would be too long in one file."""

from collections.abc import Sequence

from searchsocket.content.llms.site import Entry

_MIN_GROUP = 20  # pages: fewer stay in the list above


def grouped(entries: Sequence[Entry], prefix: str) -> tuple[list[Entry], dict[str, list[Entry]]]:
    """Split pages into those listed in the folder's own file, and those of subfolders with their own file.

    Args:
        entries: Pages below `prefix`, by URL.
        prefix: "" for the whole site, else as `/docs`.
    """
    by_folder: dict[str, list[Entry]] = {}
    for entry in entries:
        segments = entry.url[len(prefix) :].strip("/").split("/")
        by_folder.setdefault(f"{prefix}/{segments[0]}" if segments[0] else "", []).append(entry)
    large = {
        folder: group
        for folder, group in by_folder.items()
        if folder and len(group) >= _MIN_GROUP and any(entry.url != folder for entry in group)
    }
    return [entry for folder, group in by_folder.items() if folder not in large for entry in group], large


def folder_name(entries: Sequence[Entry], folder: str) -> str:
    """The display name of a folder: the title of its page, or its name."""
    own = next((entry.title for entry in entries if entry.url == folder), "")
    words = folder.rpartition("/")[2].replace("-", " ").replace("_", " ").strip()
    return own or words[:1].upper() + words[1:] or folder
