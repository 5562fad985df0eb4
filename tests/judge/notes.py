"""What the apps of the stories share: the name that each is found by, and the notes in which it
says what really happened, one JSON object a line. An app's first argument names their file.
"""

import json
import sys

from gi.repository import GLib

FILE = open(sys.argv[1], "a", buffering=1, encoding="utf-8")


def called(name):
    with open("/proc/self/comm", "w", encoding="utf-8") as comm:
        comm.write(name)
    GLib.set_prgname(name)


def note(what, value=None):
    FILE.write(json.dumps({"what": what, "value": value}) + "\n")
