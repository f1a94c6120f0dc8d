#!/usr/bin/python3
"""The rows that reports show as published are those of COMFORT's own text: Tables 2, 4 and 5 as printed, Table 3 but for three rows, which are
those of Table 8, as share/papers/published.tsv says. 
Optional data: ../shared/papers (or $POV_SHARED/papers)."""
import os
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
PAPER = pathlib.Path(os.environ.get("POV_SHARED", SOURCE / ".." / "shared")) / "papers" / "comfort.txt"
NUMBER = re.compile(r"[+-]?\d+\.\d+")
SWAPPED = ["GLaMM", "LLaVA-1.5-7B", "LLaVA-1.5-13B"]  # in Table 3, against Table 8


def numbers(words):
    return [float(number) for number in NUMBER.findall(words)]


def name_of(words):
    return words.strip().replace("“", '"').replace("”", '"')


def published():
    """{table: {model: its numbers}} of the forms of COMFORT's tables."""
    tables, rows = {}, None
    for line in (SOURCE / "share" / "papers" / "published.tsv").read_text().splitlines():
        cells = line.split("\t")
        if cells[0] == "comfort" and cells[1].startswith("table"):
            rows = tables[cells[1]] = {}
        elif not line:
            rows = None
        elif rows is not None and cells[0] != "model":
            rows[name_of(cells[0])] = numbers("\t".join(cells[1:]))
    return tables


def printed(number):
    """[{model: its numbers}] of a table's blocks, which stand above its caption."""
    lines = PAPER.read_text().splitlines()
    end = next(i for i, line in enumerate(lines) if line.startswith(f"Table {number}:"))
    start = max(i for i, line in enumerate(lines[:end]) if line.startswith("Table ") or len(line) > 1000 or line.startswith("#"))
    blocks = [{}]
    for line in lines[start + 1:end]:
        name, _, rest = line.partition("\t")
        if not name.strip() and rest and blocks[-1]:
            blocks.append({})
        elif (found := numbers(rest)) and not name.startswith("Acc"):
            blocks[-1][name_of(name)] = found
    return [block for block in blocks if block]


class Published(unittest.TestCase):
    def test_tables_2_4_and_5_are_as_printed(self):
        for number, rows in (2, 9), (4, 9), (5, 11):
            with self.subTest(table=number):
                self.assertEqual(len(printed(number)), 1)
                self.assertEqual(len(printed(number)[0]), rows)
                self.assertEqual(published()[f"table{number}"], printed(number)[0])

    def test_table_3_is_as_printed_but_for_three_rows_which_are_table_8s(self):
        ours, theirs, full = published()["table3"], printed(3)[0], printed(8)
        self.assertEqual(list(ours), list(theirs))
        for model, row in ours.items():
            (self.assertNotEqual if model in SWAPPED else self.assertEqual)(row, theirs[model], model)
            # Table 8: of each direction, then of all: accuracy, eps hemi and eps cos of three frames of reference
            self.assertEqual(row, [value for block in full for value in block[model][2::3]], model)
        self.assertEqual(sorted(ours[model] for model in SWAPPED), sorted(theirs[model] for model in SWAPPED))


if __name__ == "__main__":
    if not PAPER.exists():
        print("skipped: ../shared not found")
        sys.exit(77)
    unittest.main()
