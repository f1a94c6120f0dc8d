"""A power cut: what a disk may hold after it, worked out from the system calls of a whole run.

Kept is what was synced: the bytes of a file by fsync of the file, its name by fsync of the directory. Of what was written since, each
sector of 512 bytes may be there or not, in any order. Names change in order, as file systems with a journal do it, and any number of
the changes since the last fsync of the directory may be lost."""
import codecs
import os
import pathlib
import random
import re
import shutil
import subprocess

SECTOR = 512
CALLS = "openat,write,pwrite64,lseek,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,close"
CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)")
UNFINISHED = re.compile(r"^(\d+) +(.*) <unfinished \.\.\.>$")
RESUMED = re.compile(r"^(\d+) +<\.\.\. \w+ resumed>(.*)$")
HANDLE = re.compile(r"^(?:AT_FDCWD|(-?\d+))(?:<([^>]*)>)?$")


def text_of(argument):
    """Strace prints all strings in hexadecimal."""
    return codecs.decode(argument.strip('"').replace("\\x", ""), "hex")


def calls_of(trace):
    """(name, arguments, result) of each call that succeeded; a call that was interrupted by another thread's counts at its end."""
    begun = {}
    for line in trace.read_text(errors="replace").splitlines():
        if match := UNFINISHED.match(line):
            begun[match[1]] = match[1] + " " + match[2]
            continue
        if match := RESUMED.match(line):
            line = begun.pop(match[1], "") + match[2]
        if (match := CALL.match(line)) and int(match[3]) >= 0:
            yield match[1], match[2].split(", "), int(match[3])


class File:
    def __init__(self):
        self.kept, self.since = b"", []  # since: (offset, bytes), or (size, None) where it was cut

    def write(self, offset, data):
        self.since.append((offset, data))

    def sync(self):
        self.kept, self.since = self.content(lambda: True), []

    def content(self, is_there):
        content = bytearray(self.kept)
        for offset, data in self.since:
            if data is None:
                if is_there():
                    del content[offset:]
                    content.extend(bytes(offset - len(content)))
                continue
            at = 0
            while at < len(data):
                piece = data[at:at + SECTOR - (offset + at) % SECTOR]
                if is_there():
                    content.extend(bytes(max(0, offset + at - len(content))))
                    content[offset + at:offset + at + len(piece)] = piece
                at += len(piece)
        return bytes(content)


class Disk:
    """The folder `root` while a program runs: step() takes a call, after_power_cut() writes what the cut may leave."""

    def __init__(self, root):
        self.root, self.names, self.changes = pathlib.Path(root), {}, []  # changes of names since their directory was synced
        self.folders, self.open, self.told = {self.root}, {}, b""
        self.kept_names = {}
        for path in filter(pathlib.Path.is_file, self.root.rglob("*")):
            file = self.names[path] = self.kept_names[path] = File()
            file.kept = path.read_bytes()
        self.folders |= {path for path in self.root.rglob("*") if path.is_dir()}
        self.kept_folders = set(self.folders)

    def change(self, path, file):
        """file: None removes the name; a folder is "folder"."""
        if file == "folder":
            self.folders.add(path)
        elif file is None:
            self.names.pop(path, None)
        else:
            self.names[path] = file
        self.changes.append((path, file))

    def apply(self, change, names, folders):
        path, file = change
        if file == "folder":
            folders.add(path)
        elif file is None:
            names.pop(path, None)
        else:
            names[path] = file

    def path_of(self, argument, directory=""):
        handle = HANDLE.match(directory)
        path = pathlib.Path(os.fsdecode(text_of(argument)))
        return path if path.is_absolute() or not handle or not handle[2] else pathlib.Path(os.fsdecode(text_of(handle[2]))) / path

    def step(self, name, arguments, result):
        if name in ("unlink", "mkdir", "rename"):
            arguments = ["AT_FDCWD"] + arguments[:1] + (["AT_FDCWD"] + arguments[1:] if name == "rename" else arguments[1:])
        handle = HANDLE.match(arguments[0])
        number = int(handle[1]) if handle and handle[1] else None
        if name == "openat":
            self.begin(self.path_of(arguments[1], arguments[0]), arguments[2], result)
        elif name in ("unlink", "unlinkat", "mkdir", "mkdirat"):
            path = self.path_of(arguments[1], arguments[0])
            if self.root in path.parents:
                self.change(path, "folder" if name.startswith("mkdir") else None)
        elif name.startswith("rename"):
            old, new = self.path_of(arguments[1], arguments[0]), self.path_of(arguments[3], arguments[2])
            if old in self.names:
                file = self.names[old]
                self.change(new, file)
                self.change(old, None)
        elif number == 1 and name == "write":
            self.told += text_of(arguments[1])[:result]
        elif number in self.open:
            self.step_open(name, number, arguments, result)

    def begin(self, path, flags, number):
        self.open.pop(number, None)
        if path in self.folders:
            self.open[number] = [path, 0]
        elif self.root in path.parents and not path.name.endswith("-shm"):  # shared memory of SQLite, made anew after a crash
            if path not in self.names:
                self.change(path, File())
            if "O_TRUNC" in flags:
                self.names[path].since.append((0, None))
            self.open[number] = [self.names[path], None if "O_APPEND" in flags else 0]

    def step_open(self, name, number, arguments, result):
        file, at = self.open[number]
        if name == "close":
            del self.open[number]
        elif isinstance(file, pathlib.Path):
            if name in ("fsync", "fdatasync"):
                self.sync_folder(file)
        elif name == "write":
            if at is None:
                at = len(file.content(lambda: True))
            file.write(at, text_of(arguments[1])[:result])
            self.open[number][1] = at + result
        elif name == "pwrite64":
            file.write(int(arguments[-1]), text_of(arguments[1])[:result])
        elif name == "lseek":
            self.open[number][1] = result
        elif name == "ftruncate":
            file.since.append((int(arguments[1]), None))
        elif name in ("fsync", "fdatasync"):
            file.sync()

    def sync_folder(self, folder):
        rest = []
        for change in self.changes:
            if change[0].parent == folder:
                self.apply(change, self.kept_names, self.kept_folders)
            else:
                rest.append(change)
        self.changes = rest

    def after_power_cut(self, chance):
        names, folders = dict(self.kept_names), set(self.kept_folders)
        lasting = {}
        for change in self.changes:
            folder = change[0].parent
            if folder not in lasting:
                lasting[folder] = chance.randrange(1 + sum(other[0].parent == folder for other in self.changes))
            if lasting[folder] > 0:
                self.apply(change, names, folders)
                lasting[folder] -= 1
        shutil.rmtree(self.root)
        self.root.mkdir()
        for folder in sorted(folders - {self.root}):
            if folder.parent.is_dir():
                folder.mkdir(exist_ok=True)
        share = chance.choice([0, 0.5, 0.9, 1])
        for path, file in names.items():
            if path.parent.is_dir():
                path.write_bytes(file.content(lambda: chance.random() < share))


def power_cuts(words, root, cuts, seed, stdin=None):
    """Runs the command once, and then yields (step, what it had printed) for each cut; `root` is then as the cut left it."""
    disk, chance = Disk(root), random.Random(seed)
    trace = root.parent / "trace"
    subprocess.run(["strace", "-f", "-y", "-xx", "-s", "100000000", "-o", trace, "-e", "trace=" + CALLS, *map(str, words)],
                   input=stdin, text=True, capture_output=True, check=True, timeout=600)
    calls = list(calls_of(trace))
    points = sorted(chance.sample(range(len(calls)), min(cuts, len(calls))))
    for step, call in enumerate(calls):
        disk.step(*call)
        if step in points:
            disk.after_power_cut(chance)
            yield step, disk.told.decode()
