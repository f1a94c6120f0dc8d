#!/usr/bin/python3
"""The tables of fields in docs/ are those that `pov listen --fields` prints; `./dev docs` writes them. A table stands between
<!-- fields FORM OBJECT --> and <!-- end of fields -->."""
import os
import re
import subprocess
import sys
import unittest

SOURCE = os.environ.get("POV_SOURCE") or os.path.join(os.path.dirname(__file__), "..", "..")
POV = os.environ["POV"]
PLACE = re.compile(r"(<!-- fields (json|wire) (\S+) -->\n)(.*?)(<!-- end of fields -->)", re.S)


def tables(form):
    text = subprocess.run([POV, "listen", "--fields", form], check=True, stdout=subprocess.PIPE).stdout.decode()
    return {name: table.strip() + "\n" for name, table in re.findall(r"### `([^`]+)`\n(.*?)(?=\n### |\Z)", text, re.S)}


def documents():
    folder = os.path.join(SOURCE, "docs")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".md"):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if PLACE.search(text):
                yield path, text


def written(text):
    made = {form: tables(form) for form in ("json", "wire")}
    return PLACE.sub(lambda m: m[1] + made[m[2]][m[3]] + m[5], text)


class FieldTables(unittest.TestCase):
    def test_documents_hold_the_tables_that_the_program_prints(self):
        for path, text in documents():
            self.assertEqual(text, written(text), f"{path}: ./dev docs brings its tables up to date")

    def test_every_object_of_json_and_every_message_has_its_table(self):
        held = {(form, name) for _, text in documents() for _, form, name, _, _ in PLACE.findall(text)}
        for form in ("json", "wire"):
            self.assertEqual(set(tables(form)) - {name for held_form, name in held if held_form == form}, set(), form)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        for path, text in documents():
            with open(path, "w", encoding="utf-8") as file:
                file.write(written(text))
    else:
        unittest.main()
