#!/usr/bin/python3
"""tools/onnxruntime/fetch keeps nothing that an archive serves in place of the files that were tried, and says why it has none."""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("POV_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
# `npm pack` of a package that holds another library, and would run a script.
NPM = """#!/bin/bash
[ "$1" = pack ] && [[ " $* " == *" --ignore-scripts "* ]] || exit 9
[ ! -e "$FAKE/offline" ] || { echo "npm error network ENOTFOUND registry"; exit 1; }
mkdir -p package/bin/napi-v6/linux/x64 package/bin/napi-v6/linux/arm64
echo another | tee package/package.json package/bin/napi-v6/linux/x64/libonnxruntime.so.1 >package/bin/napi-v6/linux/arm64/libonnxruntime.so.1
tar -czf "${@: -1}.tgz" package
mv "${@: -1}.tgz" "$(basename "${@: -1}" | tr @ -).tgz" 2>/dev/null || true
"""


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "npm").write_text(NPM)
        (folder / "npm").chmod(0o755)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "FAKE": name}

        def fetch(*arguments):
            ran = subprocess.run([SOURCE / "tools/onnxruntime/fetch", folder / "there", *arguments], env=environment, capture_output=True,
                                 text=True)
            assert not (folder / "there").exists()
            return ran.returncode, ran.stderr

        for machine in "x64", "arm64":
            code, told = fetch(machine)
            assert code == 1 and "libonnxruntime.so.1: its digest is " in told and "nothing was kept" in told, told
        code, told = fetch("riscv64")
        assert code == 1 and "no library for 'riscv64'" in told, told
        (folder / "offline").touch()
        code, told = fetch()
        assert code == 3 and "npm cannot fetch" in told and "Microsoft's release" in told, told


if __name__ == "__main__":
    sys.exit(main())
