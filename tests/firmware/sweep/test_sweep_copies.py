#!/usr/bin/python3
"""A recording of a sweep becomes a log that scores as the sweep's own does; a report takes no answer twice, tells each condition's own
prompt, and pov doctor takes no heard log for a damaged one; what geometry judged is not told as asked."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import Server, pov, query, station


def main():
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        where, run, heard, recording = station(folder), folder / "run", folder / "heard", folder / "run.mcap"
        page = ("--out", folder / "page.html", "--markdown", folder / "page.md")
        pov("sweep", where, "--out", folder / "unasked", "--angles", 2, "--quiet")
        pov("report", folder / "unasked", *page)
        words = (folder / "page.md").read_text()
        assert "by the station itself; no model was asked" in words and "- Asked:" not in words and "- Cost:" not in words, words[:900]
        with Server(run) as server:
            pov("sweep", where, "--out", run, "--angles", 3, "--quiet", "--record", recording, "--vlm", server.url, "--model", "m")
            pov("export", recording, "--log", heard)
            before = query(run, "SELECT count(*) FROM results")
            assert "is the log of a run itself" in pov("export", recording, "--log", run, code=1)
            assert query(run, "SELECT count(*) FROM results") == before
            cut = folder / "cut.mcap"
            cut.write_bytes(recording.read_bytes()[:2000])
            told = pov("export", cut, "--log", folder / "of_cut", code=1)
            assert "no model was asked" not in told and "cut.mcap" in told and not (folder / "of_cut").exists(), told
            assert pov("compare", heard, "--json") == pov("compare", run, "--json")
            assert "damaged" not in pov("doctor", heard) and "at the station" in pov("doctor", heard)
            assert "leave it out" in pov("report", run, heard, *page, code=1)
            pov("report", heard, *page)
            pov("compare", run, "--prompting", "cot", "--system", "vlm,comfort", "--vlm", server.url, "--model", "m")
        pov("report", run, *page)
        asked = [line for line in (folder / "page.md").read_text().splitlines() if line.startswith("- Asked with")]
        assert len(asked) == 3 and sum("at most 512 tokens" in line for line in asked) == 2, asked
        assert all("temperature 0;" in line for line in asked), asked
        assert sum("only in" in line for line in asked) == 1 and query(run, "SELECT count(*) FROM models") == [(1,)], asked
    print("copies are known, conditions told")


if __name__ == "__main__":
    main()
