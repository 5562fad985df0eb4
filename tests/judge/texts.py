"""Prints, as a JSON list, the texts of every control of a role in an app: the judge of the desktop
tests. It asks the accessibility bus itself and knows nothing of the tools it judges.

usage: texts.py APP ROLE [ticked]

With `ticked` it prints the names of those that are ticked.
"""

import json
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402


def texts(node, role, ticked):
    if node is None:
        return
    # The library says "editbar" where the app says "edit bar".
    if node.get_role_name().replace(" ", "") == role.replace(" ", ""):
        text = node.get_text_iface()
        count = text.get_character_count() if text else 0
        if ticked:
            if node.get_state_set().contains(Atspi.StateType.CHECKED):
                yield node.get_name()
        else:
            yield Atspi.Text.get_text(text, 0, count) if text else node.get_name()
    for index in range(node.get_child_count()):
        yield from texts(node.get_child_at_index(index), role, ticked)


def main():
    app, role = sys.argv[1:3]
    desktop = Atspi.get_desktop(0)
    found = []
    for index in range(desktop.get_child_count()):
        node = desktop.get_child_at_index(index)
        if node is not None and node.get_name() == app:
            found.extend(texts(node, role, sys.argv[3:] == ["ticked"]))
    print(json.dumps(found))


main()
