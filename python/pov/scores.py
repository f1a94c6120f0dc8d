"""Scores of a model's answers, as the program `pov` computes them. Shares and probabilities are from 0 to 1, angles degrees."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any, Dict, List, Optional, Union

from ._native import FOLDER, Error

Path = Union[str, "os.PathLike[str]"]


def _program(program: Optional[Path]) -> str:
    built = FOLDER.parents[1] / "build/release/pov"
    found = os.fspath(program) if program else str(built) if (FOLDER.parents[1] / "perception/library/pov.h").exists() and built.exists() else shutil.which("pov")
    if not found:
        raise Error("the program pov is not found: install it, or name it with program=")
    return found


def _told(program: Optional[Path], *arguments: str) -> str:
    done = subprocess.run([_program(program), *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise Error((done.stderr or done.stdout).strip())
    return done.stdout


def _table(rows: List[Dict[str, Any]]) -> Any:
    """A pandas.DataFrame when pandas is there, else the rows."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.json_normalize(rows)  # a measure's {"mean", "low", "high", "n"} becomes columns: accuracy.mean, ...


def scores(path: Path, *options: str, program: Optional[Path] = None) -> Dict[str, Any]:
    """The papers' measures with 95 % bootstrap intervals (docs/SCORES.md), a table each under its name: performance, convention, ...

    path: a sweep's folder or its log, or a file of answers as `pov score` takes it. options: of `pov score`, as "--resamples", "1000".
    A table is a pandas.DataFrame with columns such as `accuracy.mean`, or, without pandas, a list of dictionaries."""
    path = os.fspath(path)
    command = "compare" if os.path.isdir(path) or path.endswith(".sqlite") else "score"
    return {name: _table(rows) for name, rows in json.loads(_told(program, command, path, *options, "--json")).items() if isinstance(rows, list)}


def answers(run: Path, paper: Optional[str] = None, *, program: Optional[Path] = None) -> Any:
    """Each counted answer of a sweep, with its question, its gold, and the columns of docs/SCORES.md: a pandas.DataFrame, or a list of
    dictionaries. paper: "comfort", "forest", "vsr", "vpt" or "sphere": only its answers."""
    lines = _told(program, "compare", os.fspath(run), "--export", "jsonl", *(["--paper", paper] if paper else []))
    return _table([json.loads(line) for line in lines.splitlines()])
