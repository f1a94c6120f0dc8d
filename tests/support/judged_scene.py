"""What `pov judge --json` makes of a scene that a test drew."""
import json
import os
import subprocess
import tempfile


def judged(scene, *options):
    """The program's object of a scene, as docs/SCENE.md has them, but as an object."""
    with tempfile.NamedTemporaryFile("w", prefix="pov-judged-", suffix=".yaml") as file:
        json.dump(scene, file)
        file.flush()
        run = subprocess.run([os.environ["POV"], "judge", file.name, "--json", *options], capture_output=True, text=True,
                             timeout=300)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
