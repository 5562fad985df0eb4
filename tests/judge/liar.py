"""An app that does to a tool what apps do: it rewrites what is typed, undoes a tick, opens a window
in the way, answers late, hangs, dies. It notes what really happened, one JSON object a line: the
judge of the stories about it.

usage: liar.py FILE
"""

import os
import time

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

from notes import called, note  # noqa: E402

called("liar")


def field(name, change=None, later=None, most=0, noted=None):
    entry = Gtk.Entry(max_length=most)
    entry.get_accessible().set_name(name)

    def changed(entry):
        text = entry.get_text()
        if change and change(text) != text:
            # Not within the signal: GTK would go on with the old text.
            GLib.idle_add(lambda: entry.set_text(change(entry.get_text())) and False)
        if later and later(text) != text:
            GLib.timeout_add(later.wait, lambda: entry.set_text(later(entry.get_text())) and False)
        note(noted or name, text)

    entry.connect("changed", changed)
    return entry


def forgets(text):
    return ""


forgets.wait = 60


def button(name, pressed, noted=None):
    made = Gtk.Button(label=name)

    def clicked(_):
        note(noted or name)
        pressed()

    made.connect("clicked", clicked)
    return made


def window(title):
    made = Gtk.Window(title=title)
    made.set_default_size(420, 300)
    return made


class Liar:
    def __init__(self):
        self.window = window("Liar")
        self.window.connect("destroy", Gtk.main_quit)
        self.box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.window.add(self.box)
        self.status = Gtk.Label(label="Status: idle")
        self.count = 0
        self.fields()
        self.ticks()
        self.buttons()
        self.items = Gtk.Box()
        self.box.add(self.items)
        self.fill(["Red", "Blue"])
        self.box.add(self.status)
        self.window.show_all()

    def fields(self):
        entries = [
            field("Plain"),
            field("Upper", change=str.upper),
            field("Digits", change=lambda text: "".join(c for c in text if c.isdigit())),
            field("Short", most=5),
            field("Forgets", later=forgets),
        ]
        for entry in entries:
            self.box.add(entry)
        secret = field("Secret")
        secret.set_visibility(False)
        self.box.add(secret)
        number = Gtk.SpinButton.new_with_range(0, 100, 1)
        number.get_accessible().set_name("Number")
        number.connect("value-changed", lambda it: note("Number", it.get_value()))
        self.box.add(number)
        pages = Gtk.TextView()
        pages.get_accessible().set_name("Pages")
        buffer = pages.get_buffer()
        text = lambda it: it.get_text(it.get_start_iter(), it.get_end_iter(), True)  # noqa: E731
        buffer.connect("changed", lambda it: note("Pages", text(it)))
        self.box.add(pages)

    def ticks(self):
        def undo(tick):
            note(tick.get_label(), tick.get_active())
            if tick.get_active():
                GLib.timeout_add(tick.wait, lambda: tick.set_active(False) and False)

        for name, wait in [("Undoes", 0), ("Undoes late", 150), ("Holds", None)]:
            tick = Gtk.CheckButton(label=name)
            tick.wait = wait
            if wait is None:
                tick.connect("toggled", lambda it: note("Holds", it.get_active()))
            else:
                tick.connect("toggled", undo)
            self.box.add(tick)

    def buttons(self):
        disabled = button("Disabled", lambda: None)
        disabled.set_sensitive(False)
        for made in [
            disabled,
            button("Deaf", lambda: None),
            button("Add", self.add),
            button("Slow", lambda: GLib.timeout_add(600, self.said, "Status: slow done")),
            button("Leave", lambda: self.window.destroy()),
            button("Ask", self.ask),
            button("Ask later", lambda: GLib.timeout_add(1500, self.asked)),
            button("Twin", self.twin),
            button("Swap", lambda: self.fill(["Blue", "Red"])),
            button("Freeze", lambda: time.sleep(8)),
            button("Fall", lambda: os._exit(1)),
        ]:
            self.box.add(made)

    def said(self, text):
        self.status.set_text(text)
        return False

    def add(self):
        self.count += 1
        self.said(f"Status: {self.count}")

    def asked(self):
        self.ask()
        note("Asked")
        return False

    def ask(self):
        """A question that stands in the way, with names that the window has too."""
        asked = Gtk.Dialog(title="Liar", transient_for=self.window, modal=True)
        asked.get_content_area().add(Gtk.Label(label="Really?"))
        asked.get_content_area().add(field("Plain", noted="dialog Plain"))
        asked.add_action_widget(button("Add", lambda: None, "dialog Add"), 1)
        asked.add_action_widget(button("Back", lambda: None, "dialog Back"), 2)
        asked.connect("response", lambda it, _: it.destroy())
        asked.show_all()

    def twin(self):
        other = window("Liar")
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        twin = Gtk.Entry()
        twin.get_accessible().set_name("Plain")
        twin.connect("changed", lambda it: note("twin Plain", it.get_text()))
        box.add(twin)
        box.add(button("Only here", lambda: None))
        other.add(box)
        other.show_all()

    def fill(self, names):
        for child in self.items.get_children():
            self.items.remove(child)
        for name in names:
            self.items.add(button(name, lambda: None))
        self.items.show_all()


Liar()
Gtk.main()
