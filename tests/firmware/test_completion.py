#!/usr/bin/env python3
"""Completion as real shells do it: bash is asked for its candidates, zsh is typed at."""
import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

POV = pathlib.Path(os.environ["POV"])
INSTALL = pathlib.Path(os.environ["POV_SOURCE"]) / "tools" / "install"
WAIT_S = 120

# Words before Tab -> candidates that must be offered, and that must not.
CASES = {
    "pov ": ({"run", "vlm-sim", "doctor"}, {"--out"}),
    "pov r": ({"run", "relations", "report"}, {"sweep"}),
    "pov run --ca": ({"--camera"}, {"--count"}),
    "pov run a": ({"a table.yaml"}, set()),
    "pov run --annotate a": ({"a table.yaml"}, set()),
    "pov demo --o": ({"--out"}, set()),
    "pov calib ": ({"camera"}, {"--out"}),
    "pov calib camera --mo": ({"--model"}, set()),
    "pov calib camera --model ": ({"5", "8", "fisheye", "auto"}, {"or", "by"}),
    "pov vlm check --on": ({"--only-save"}, set()),
    "pov vlm c": ({"check"}, set()),
    "pov sim ": ({"station", "comfort-car", "vpt"}, set()),
    "pov sim comfort-car --sensor=": ({"clean", "noisy", "blurred"}, {"in"}),
    "pov sim --bodies ": ({"own", "package", "auto"}, {"latter"}),
    "pov tags ": ({"sheet", "ring", "cube", "board"}, set()),
    "pov tags sheet --paper ": ({"a4", "letter"}, set()),
    "pov relations on": ({"on", "on_top_of"}, {"near"}),
    "pov relations --category ": ({"adjacency", "cardinal", "comparative"}, {"those"}),
    "pov judge scene.yaml --relations near,fac": ({"near,facing"}, {"near,near"}),
    "pov judge scene.yaml --frames egocentric,in": ({"egocentric,intrinsic"}, set()),
    "pov judge scene.yaml --acceptance ": ({"hemisphere", "cosine", "template"}, set()),
    "pov convert forest ": ({"left", "back"}, {"near"}),
    "pov convert forest left --facing ": ({"toward", "away"}, {"it"}),
    "pov questions s.yaml --language h": ({"ha", "hi"}, {"de"}),
    "pov questions s.yaml --guided ": ({"facts", "step"}, set()),
    "pov compare run --export ": ({"csv", "jsonl", "comfort"}, {"instead"}),
    "pov turntable ": ({"home", "goto", "simulate"}, set()),
    "pov turntable simulate --sl": ({"--slip"}, set()),
    "pov listen --topic ": ({"observation", "health"}, set()),
    "pov no-such-command ": (set(), {"run"}),
}

# Keys, Tab being \t, -> the line that zsh then has.
TYPED = {
    "pov dem\t--ou\tx": "pov demo --out x",
    "pov run a\\ t\t--dash\t0": "pov run a\\ table.yaml --dashboard 0",
    "pov calib camera --mod\tfi\t": "pov calib camera --model fisheye ",
    "pov relations on_to\t": "pov relations on_top_of ",
    "pov sim comfort-c\t--sens\tno\t": "pov sim comfort-car --sensor noisy ",
    "pov judge a\\ t\t--frames egocentric,int\t": "pov judge a\\ table.yaml --frames egocentric,intrinsic ",
}

BASH = r"""
source "$1"
while IFS= read -r line; do
    words=${line//=/ = }
    read -ra COMP_WORDS <<<"$words"
    [[ $words != *" " ]] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _pov 2>&1
    printf '%s\n' "${COMPREPLY[@]}" --
done
"""


def test_bash_offers_what_fits(folder, environment):
    result = subprocess.run(["bash", "-c", BASH, "bash", INSTALL / "completion.bash"], cwd=folder, env=environment,
                            input="\n".join(CASES) + "\n", capture_output=True, text=True, timeout=WAIT_S, check=True)
    answers = result.stdout.removesuffix("--\n").split("--\n")
    assert len(answers) == len(CASES), result.stdout + result.stderr
    for (line, (wanted, unwanted)), answer in zip(CASES.items(), answers):
        offered = set(filter(None, answer.split("\n")))
        assert wanted <= offered and not unwanted & offered, f"{line!r}: offered {sorted(offered)}"
        start = line.split(" ")[-1].split("=")[-1]
        assert all(word.startswith(start) for word in offered), f"{line!r}: offered {sorted(offered)}"


def test_bash_loads_it_interactively(folder, environment):
    result = subprocess.run(["bash", "--norc", "-i", "-c", f"source '{INSTALL}/completion.bash' && complete -p pov"],
                            cwd=folder, env=environment, capture_output=True, text=True, timeout=WAIT_S, check=True,
                            start_new_session=True) # else it takes the terminal that the tests run in, if they do
    assert result.stdout == "complete -F _pov pov\n", result.stdout


def lines_of_zsh(folder, environment, keys):
    """The lines that zsh, typed at, would run."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe("zsh", ["zsh", "-f", "-i"], environment)
    setup = (f"fpath=('{folder}/functions' $fpath); autoload -Uz compinit; compinit -u -D; unsetopt zle_bracketed_paste\n"
             f"zstyle ':completion:*' insert-tab false; PS1=; LISTMAX=0; tell() {{ print -r -- 'RAN:' $BUFFER ':END'; BUFFER=; zle redisplay; }};"
             f" zle -N accept-line tell\n")
    output = b""
    try:
        os.write(terminal, setup.encode())
        os.write(terminal, "".join(line + "\n" for line in keys).encode())
        end = time.monotonic() + WAIT_S
        while output.count(b":END\r") < len(keys) and time.monotonic() < end:
            if select.select([terminal], [], [], 1)[0]:
                output += os.read(terminal, 4096)
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        os.close(terminal)
    text = output.decode(errors="replace")
    return [part.split(" :END")[0] for part in text.split("RAN: ")[1:]], text


def test_zsh_completes_what_is_typed(folder, environment):
    (folder / "functions").mkdir()
    shutil.copy(INSTALL / "completion.zsh", folder / "functions" / "_pov")
    lines, text = lines_of_zsh(folder, environment, list(TYPED))
    assert lines == list(TYPED.values()), f"{lines}, wanted {list(TYPED.values())}\n{text}"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "a table.yaml").touch()
        (folder / "bin").mkdir()
        (folder / "bin" / "pov").symlink_to(POV)
        environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "TERM": "dumb", "LC_ALL": "C.UTF-8"}
        test_bash_offers_what_fits(folder, environment)
        test_bash_loads_it_interactively(folder, environment)
        if not shutil.which("zsh"):
            print("skipped: zsh is not installed; bash completes")
            return 77
        test_zsh_completes_what_is_typed(folder, environment)
    return 0


if __name__ == "__main__":
    sys.exit(main())
