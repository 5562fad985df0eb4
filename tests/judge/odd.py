"""An app with controls of every kind that GTK has, each with a whim of its own: it reformats, is not
to be edited, reverts, moves, vanishes, restarts. It notes what really happened, one JSON object a
line: the judge of the stories about it.

usage: odd.py FILE
"""

import os
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

from notes import called, note  # noqa: E402

called("odd")


def later(do, wait=0):
    GLib.timeout_add(wait, lambda: do() and False)


def field(name, change=None, wait=0, **properties):
    entry = Gtk.Entry(**properties)
    entry.get_accessible().set_name(name)

    def changed(entry):
        text = entry.get_text()
        note(name, text)
        if change and change(text) != text:
            later(lambda: entry.set_text(change(entry.get_text())), wait)

    entry.connect("changed", changed)
    return entry


def money(text):
    digits = "".join(c for c in text if c.isdigit())
    return f"{int(digits):,}" if digits else ""


def button(name, pressed=None):
    made = Gtk.Button(label=name)

    def clicked(_):
        note(name)
        if pressed:
            pressed()

    made.connect("clicked", clicked)
    return made


def toggle(made, name, reverts=None):
    made.get_accessible().set_name(name)

    def toggled(it, *_):
        note(name, it.get_active())
        if reverts is not None and it.get_active():
            later(lambda: it.set_active(False), reverts)

    signal = "notify::active" if isinstance(made, Gtk.Switch) else "toggled"
    made.connect(signal, toggled)
    return made


def combo(name, reverts=False):
    made = Gtk.ComboBoxText()
    for option in ["Small", "Large", "Larger"]:
        made.append_text(option)
    made.set_active(0)
    made.get_accessible().set_name(name)

    def changed(it):
        note(name, it.get_active_text())
        if reverts and it.get_active() != 0:
            later(lambda: it.set_active(0), 80)

    made.connect("changed", changed)
    return made


class Odd:
    def __init__(self):
        self.window = Gtk.Window(title="Odd")
        self.window.set_default_size(500, 700)
        self.window.connect("destroy", Gtk.main_quit)
        self.box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.window.add(self.box)
        for made in [self.menu(), *self.fields(), *self.choices(), *self.buttons()]:
            self.box.add(made)
        self.status = Gtk.Label(label="Status: idle")
        self.box.add(self.status)
        self.window.show_all()

    def menu(self):
        bar, item, menu = Gtk.MenuBar(), Gtk.MenuItem(label="File"), Gtk.Menu()
        for name, on in [("Export", True), ("Store", False)]:
            entry = Gtk.MenuItem(label=name)
            entry.set_sensitive(on)
            entry.connect("activate", lambda it: note("menu " + it.get_label()))
            menu.append(entry)
        wrap = Gtk.CheckMenuItem(label="Wrap")
        wrap.connect("toggled", lambda it: note("menu Wrap", it.get_active()))
        menu.append(wrap)
        item.set_submenu(menu)
        bar.append(item)
        return bar

    def fields(self):
        fixed = field("Fixed", editable=False)
        fixed.set_text("stays")
        grey = field("Grey")
        grey.set_sensitive(False)
        amount = Gtk.SpinButton.new_with_range(0, 100, 0.5)
        amount.set_digits(1)
        amount.get_accessible().set_name("Amount")
        amount.connect("value-changed", lambda it: note("Amount", it.get_value()))
        notes = Gtk.TextView()
        notes.get_accessible().set_name("Notes")
        whole = lambda it: it.get_text(it.get_start_iter(), it.get_end_iter(), True)  # noqa: E731
        notes.get_buffer().connect("changed", lambda it: note("Notes", whole(it)))
        board = Gtk.TextView(editable=False)
        board.get_accessible().set_name("Board")
        board.get_buffer().set_text("read only")
        board.get_buffer().connect("changed", lambda it: note("Board", whole(it)))
        locks = field("Locks")
        locks.connect("changed", lambda it: later(lambda: it.set_sensitive(False)))
        goes = field("Goes")
        goes.connect("changed", lambda it: later(it.hide, 50))
        draft = field("Draft")
        draft.connect("changed", lambda it: it.get_accessible().set_name("Draft *"))
        volume = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 10, 1)
        volume.get_accessible().set_name("Volume")
        volume.connect("value-changed", lambda it: note("Volume", it.get_value()))
        labelled = Gtk.Box()
        label, entry = Gtk.Label(label="Street:"), Gtk.Entry()
        label.set_mnemonic_widget(entry)
        entry.connect("changed", lambda it: note("Street:", it.get_text()))
        labelled.add(label)
        labelled.add(entry)
        self.tag = field("Tag")
        self.tag.connect("changed", self.tagged)
        return [
            field("Trims", change=str.strip),
            field("Money", change=money),
            field("Late", change=str.upper, wait=700),
            field("Search", placeholder_text="Search here"),
            fixed,
            grey,
            amount,
            notes,
            board,
            self.tag,
            locks,
            goes,
            draft,
            volume,
            labelled,
        ]

    def tagged(self, entry):
        """What was typed becomes an entry of its own at the very place, and the field is empty."""
        if entry.get_text():
            made = Gtk.Entry(text=entry.get_text())
            made.get_accessible().set_name("Tagged")
            later(lambda: self.put(made, entry))

    def put(self, made, entry):
        place = self.box.get_children().index(entry)
        self.box.add(made)
        self.box.reorder_child(made, place)
        made.show()
        entry.set_text("")

    def choices(self):
        one = Gtk.RadioButton.new_with_label(None, "One")
        two = Gtk.RadioButton.new_with_label_from_widget(one, "Two")
        grey = combo("Grey size")
        grey.set_sensitive(False)
        hides = toggle(Gtk.CheckButton(label="Hides"), "Hides")
        hides.connect("toggled", lambda it: later(it.hide))
        greys = toggle(Gtk.CheckButton(label="Greys"), "Greys")
        greys.connect("toggled", lambda it: later(lambda: it.set_sensitive(False)))
        renames = toggle(Gtk.CheckButton(label="Renames"), "Renames")
        renames.connect("toggled", lambda it: it.get_accessible().set_name("Renamed"))
        return [
            greys,
            hides,
            renames,
            toggle(one, "One"),
            toggle(two, "Two"),
            toggle(Gtk.ToggleButton(label="Bold"), "Bold"),
            toggle(Gtk.ToggleButton(label="Springs"), "Springs", 60),
            toggle(Gtk.Switch(), "Wifi"),
            combo("Size"),
            combo("Size back", reverts=True),
            grey,
        ]

    def buttons(self):
        self.turns = button("Turns", self.turned)
        apart = Gtk.Box()
        for name in ["Apply", "Apply"]:
            apart.add(button(name))
        vanish = button("Vanish", lambda: later(vanish.destroy))
        return [
            apart,
            vanish,
            self.turns,
            button("Retitle", lambda: self.window.set_title("Other title")),
            button("Restart", lambda: later(self.restart, 30)),
        ]

    def turned(self):
        """Another button comes to stand at the very place."""
        place = self.box.get_children().index(self.turns)
        self.turns.destroy()
        self.turns = button("Erase")
        self.box.add(self.turns)
        self.box.reorder_child(self.turns, place)
        self.turns.show()

    def restart(self):
        os.execv(sys.executable, [sys.executable, "-B", *sys.argv])


Odd()
Gtk.main()
