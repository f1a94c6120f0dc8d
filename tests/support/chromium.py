"""A Chromium without a screen, driven over the pipe of its debugging protocol (https://chromedevtools.github.io/devtools-protocol):
nothing else is needed than the package chromium."""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe"]
PATIENCE_S = 300


class Chromium:
    """One tab. Use it in a with statement."""

    def __init__(self, width=1280, height=720, flags=()):
        self.folder = tempfile.mkdtemp(prefix="pov-chromium-")
        to_read, self.to = os.pipe()
        self.answers, to_write = os.pipe()
        for end in to_read, to_write:
            os.set_inheritable(end, True)
        # It reads from descriptor 3 and writes to 4; the shell puts the pipes there.
        command = ["bash", "-c", f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}', PROGRAM, *FLAGS, *flags,
                   f"--user-data-dir={self.folder}", "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []
        pages = [target for target in self.call("Target.getTargets")["targetInfos"] if target["type"] == "page"]
        self.session = self.call("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network", "Performance":
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGTERM) # its own group: it has children
        self.process.wait(300)
        os.close(self.to)
        os.close(self.answers)
        shutil.rmtree(self.folder, ignore_errors=True)

    def next_message(self):
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], PATIENCE_S)[0]:
                raise TimeoutError("Chromium says nothing")
            piece = os.read(self.answers, 1 << 16)
            if not piece:
                raise EOFError("Chromium has ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next_message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def resize(self, width, height, scale=1, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)

    def theme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def before_each_page(self, script):
        self.call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def open(self, url):
        self.call("Page.navigate", url=url)

    def run(self, script):
        """The value of a JavaScript expression, of a promise once it has one."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_for(self, condition, patience_s=PATIENCE_S):
        end = time.monotonic() + patience_s
        while not (value := self.run(condition)):
            if time.monotonic() > end:
                raise TimeoutError(f"never: {condition}")
            time.sleep(0.1)
        return value

    def press(self, key):
        named = {"Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        code = {"windowsVirtualKeyCode": named[key]} if key in named else {"text": key}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **code)

    def click(self, x, y):
        for kind in "mousePressed", "mouseReleased":
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def complaints(self):
        """Exceptions and errors of pages so far; a lost connection's apart."""
        self.call("Runtime.evaluate", expression="0") # what was said before is here then
        return [event["params"] for event in self.events
                if event["method"] == "Runtime.exceptionThrown" or
                (event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error" and
                 event["params"]["entry"]["source"] != "network")]

    def addresses(self):
        """Of all that pages asked for."""
        return [event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"]
