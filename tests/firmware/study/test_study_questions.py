#!/usr/bin/python3
"""People answer what models were asked: the page in a real Chromium by keys, by a thumb, taken back, gone on with after a stop; blind and in
an order of one's own; in the scores a row each, with Cohen's kappa. POV_STUDY_PICTURES=DIR keeps pictures."""
import json
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "sweep"), str(SOURCE / "tests/support")]
import chromium
from sweep_peer import ENVIRONMENT, POV, Server, die_with_the_test, folder, pov, query

PICTURES = os.environ.get("POV_STUDY_PICTURES")
QUESTION = "document.getElementById('asked-question').textContent"


def make_run(where):
    run = where / "run"
    pov("export", "comfort-car", "--variant", "horse-left", "--images", 3, "--size", "320x240", "--questions", "comfort,vpt,sphere",
        "--dataset", "jsonl", run)
    with Server(run) as server:
        pov("compare", run, "--vlm", server.url, "--model", "perfect")
    return run


def answer_by_lines(run, person, answers):
    """`answers`: what is said to a question's text. Returns the questions in their order."""
    asked, lines = [], subprocess.Popen([POV, "study", "questions", str(run), "--person", person, "--paper", "comfort", "--json"],
                                        text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
    for line in lines.stdout:
        told = json.loads(line)
        assert not {"gold", "picture", "model", "phi_deg", "stop"} & set(told), told
        asked.append(told["question"])
        said = answers(told["question"], len(asked))
        if said is None:
            break
        print(said, file=lines.stdin, flush=True)
    lines.stdin.close()
    lines.stdout.close()
    errors = lines.stderr.read()
    lines.stderr.close()
    assert lines.wait() == 0, errors
    return asked


def kappa_by_hand(run, one, other):
    """Cohen 1960, of yes and no, over the questions that both answered."""
    answers = "(SELECT r.question, r.p, m.name FROM results r JOIN models m ON m.id = r.model JOIN questions q ON q.id = r.question " \
              "WHERE r.counted AND r.p IS NOT NULL AND q.paper = 'comfort')"
    rows = query(run, f"SELECT a.p > 0.5, b.p > 0.5 FROM {answers} a JOIN {answers} b ON a.question = b.question "
                      f"WHERE a.name = '{one}' AND b.name = '{other}'")
    n, same = len(rows), sum(x == y for x, y in rows) / len(rows)
    first, second = sum(x for x, _ in rows) / n, sum(y for _, y in rows) / n
    chance = first * second + (1 - first) * (1 - second)
    return n, (same - chance) / (1 - chance)


def people_are_rows_with_kappa(run):
    asked = answer_by_lines(run, "anna", lambda text, n: "Yes" if "left" in text or n % 7 == 0 else "No")
    total = query(run, "SELECT count(*) FROM questions WHERE paper = 'comfort'")[0][0]
    assert len(asked) == total
    other = answer_by_lines(run, "ben", lambda text, n: "1" if "left" in text or "front" in text else "2" if n != 5 else "i cannot tell")
    assert sorted(asked) == sorted(other) and asked != other # an order of one's own
    assert query(run, "SELECT kind, count(*) FROM answers WHERE model = 'person ben' GROUP BY kind ORDER BY 2")[0] == ("refused", 1)
    tables = json.loads(pov("compare", run, "--json"))
    assert {"person anna", "person ben", "perfect"} <= {row["model"] for row in tables["performance"]}
    people = {(row["model"], row["with"], row["paper"]): row for row in tables["people"]}
    for one, other in ("perfect", "person anna"), ("perfect", "person ben"), ("person anna", "person ben"):
        row, (n, kappa) = people[one, other, "comfort"], kappa_by_hand(run, one, other)
        assert row["questions"] == n and abs(row["kappa"] - kappa) < 1e-9, (row, n, kappa)
    pov("compare", run, "--drop", "person ben") # who withdraws
    assert query(run, "SELECT count(*) FROM answers WHERE model = 'person ben'") == [(0,)]


def a_stop_loses_nothing(run):
    first = answer_by_lines(run, "carl", lambda text, n: "No" if n <= 4 else None)
    assert query(run, "SELECT count(*) FROM answers WHERE model = 'person carl'") == [(4,)]
    rest = answer_by_lines(run, "carl", lambda text, n: "No" if n < 3 else None)
    assert rest[0] == first[4] # goes on where it was
    assert "'maybe' is not an answer to this question" in pov("study", "questions", run, "--person", "dora", code=1, input="maybe\n")


class Page:
    def __init__(self, run, *arguments):
        self.process = subprocess.Popen([POV, "study", "questions", run, "--person", "eva", "--dashboard", "0", "--json", *arguments],
                                        text=True, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        env=ENVIRONMENT, preexec_fn=die_with_the_test)
        line = self.process.stderr.readline()
        assert line.startswith("page: http://127.0.0.1:"), line
        self.url = line.split()[1]

    def end(self):
        self.process.terminate()
        self.process.communicate()


def count(run):
    return query(run, "SELECT count(*) FROM answers WHERE model = 'person eva'")[0][0]


def answer(tab, press):
    """Presses, and waits for the next question."""
    before = tab.run("document.getElementById('asking-left').textContent")
    press()
    tab.wait_for(f"document.getElementById('asking-left').textContent !== {json.dumps(before)}")


def the_page_takes_keys_and_thumbs(run):
    with chromium.Chromium(1280, 800) as tab:
        page = Page(run, "--paper", "comfort")
        tab.open(page.url)
        tab.wait_for("document.getElementById('asking') && !document.getElementById('asking').hidden")
        told = tab.run("fetch('study').then(reply => reply.text())")
        assert not any(word in told for word in ("perfect", "gold", "anna", "phi", "stop", "horse-left")), told[:300]
        tab.wait_for("document.getElementById('asked-picture').naturalWidth >= 320")
        first = tab.run(QUESTION)
        answer(tab, lambda: tab.press("1"))
        assert query(run, "SELECT endpoint, latency_ns > 0 FROM results JOIN models m ON m.id = model WHERE m.name = 'person eva'") == \
            [("person", 1)]
        answer(tab, lambda: tab.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Backspace', bubbles: true}))"))
        assert tab.run(QUESTION) == first and count(run) == 0 # taken back
        answer(tab, lambda: tab.run("document.querySelectorAll('#choices button')[1].click()"))
        answer(tab, lambda: tab.press("0"))
        assert [text for text, in query(run, "SELECT text FROM results JOIN models m ON m.id = model WHERE counted AND name = 'person eva' "
                                           "ORDER BY answered_ns")] == \
            ["No", "I cannot tell"]
        if PICTURES:
            tab.picture(f"{PICTURES}/questions.png")
        before = count(run)
        tab.run("(() => { const b = document.querySelector('#choices button'); b.click(); b.click(); b.click(); })()")
        tab.wait_for(f"document.getElementById('asking-left').textContent.length > 0")
        tab.run("new Promise(done => setTimeout(done, 1200))")
        assert count(run) == before + 1 # a second press is not the next answer
        page.end()
        assert not tab.complaints(), tab.complaints()
    with chromium.Chromium(390, 844) as tab:
        page = Page(run, "--paper", "vpt")
        tab.open(page.url)
        tab.wait_for("document.getElementById('asking') && !document.getElementById('asking').hidden")
        assert tab.run("document.documentElement.scrollWidth") <= 390
        kinds = set()
        for _ in range(9):
            if tab.run("!document.getElementById('number-form').hidden"):
                kinds.add("number")
                answer(tab, lambda: tab.run("(() => { document.getElementById('number').value = '2';"
                                            " document.querySelector('#number-form button').click(); })()"))
            elif tab.run("!document.getElementById('done-several').hidden"):
                kinds.add("several")
                tab.run("(() => { const all = document.querySelectorAll('#choices button'); all[0].click(); all[3].click(); })()")
                if PICTURES:
                    tab.picture(f"{PICTURES}/questions_phone.png")
                answer(tab, lambda: tab.run("document.getElementById('done-several').click()"))
            else:
                kinds.add("one")
                answer(tab, lambda: tab.run("document.querySelector('#choices button').click()"))
        assert kinds == {"number", "several", "one"}, kinds
        texts = {text for text, in query(run, "SELECT text FROM answers WHERE model = 'person eva' AND key LIKE 'vpt/%'")}
        assert texts & {"North, West", "Front, Left"}, texts
        page.end()
        assert not tab.complaints(), tab.complaints()


def main():
    with folder() as scratch:
        run = make_run(pathlib.Path(scratch))
        people_are_rows_with_kappa(run)
        a_stop_loses_nothing(run)
        if not chromium.PROGRAM:
            print("skipped: no chromium")
            sys.exit(77)
        the_page_takes_keys_and_thumbs(run)
    print("people answered as models do")


if __name__ == "__main__":
    main()
