#!/usr/bin/python3
"""pov compare adds questions to a sweep: of the sweep's papers and variant where none are named; an option that would do nothing is
wrong usage, of pov sweep too. The oracle is the log itself, by SQL."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import pov, query, station


def languages(run):
    return dict(query(run, "SELECT language, count(*) FROM questions GROUP BY language"))


def what_is_added_is_of_the_sweep(run):
    before = languages(run)
    assert set(before) == {"en"}
    pov("compare", run, "--languages", "de,fr")
    assert languages(run) == before | {"de": before["en"], "fr": before["en"]}
    pov("compare", run, "--guided", "facts")
    assert languages(run)["en+facts"] > 0
    variants = query(run, "SELECT DISTINCT json_extract(columns, '$.variant') FROM questions"
                          " WHERE json_extract(columns, '$.variant') IS NOT NULL")
    assert variants == [("blue",)], variants


def an_option_that_would_do_nothing_is_wrong_usage(folder, run, where):
    before = languages(run)
    for more, words in ((["--guided", "step"], "add vpt or sphere"), (["--questions", "vsr", "--languages", "de"], "add comfort"),
                        (["--questions", "vsr", "--pairs", "ball:car"], "--pairs: only COMFORT"),
                        (["--languages", "de", "--guided", "facts"], "add en to --languages"),
                        (["--languages", "en,ta", "--prompting", "cot"], "leave ta out"),
                        (["--languages", "en,ta", "--guided", "facts"], "leave ta out")):
        assert words in pov("compare", run, *more, code=2), more
        assert words in pov("sweep", where, "--out", folder / "none", *more, code=2), more
    for words in (["sweep", where, "--out", folder / "none", "--tolerance", 3], ["sweep", where, "--out", folder / "none", "--wait"],
                  ["sweep", where, "--out", folder / "none", "--images", folder, "--angles", 3],
                  ["sweep", where, "--out", folder / "none", "--images", folder, "--pace", 3],
                  ["run", where, "--log", folder / "none"], ["run", where, "--ask-images", 3], ["compare", run, "--json", "--export", "csv"],
                  ["run", where, "--vlm", "http://127.0.0.1:1/v1", "--questions", "vsr", "--languages", "de"],
                  ["export", run, "--dataset", "jsonl", folder / "none", "--guided", "facts"],
                  ["export", "a.mcap", "--csv", folder / "none", "--guided", "facts"], ["judge", "a", "--json", "--csv"]):
        assert "wrong usage" not in pov(*words, code=2), words
    assert languages(run) == before and not (folder / "none").exists()


def main():
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        where, run = station(folder), folder / "run"
        pov("sweep", where, "--out", run, "--angles", 4, "--quiet", "--variant", "blue")
        what_is_added_is_of_the_sweep(run)
        an_option_that_would_do_nothing_is_wrong_usage(folder, run, where)
    print("questions are added, or the usage is wrong")
    return 0


if __name__ == "__main__":
    sys.exit(main())
