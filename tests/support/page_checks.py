"""Checks of a page in Chromium (tests/support/chromium.py): every text has room; axe-core finds no fault."""
import pathlib
import shutil
import subprocess
import tarfile
import tempfile

SIZES = [(1280, 720), (1280, 800), (1366, 768), (1440, 900), (1024, 768), (1920, 1080), (2560, 1080), (2560, 1440), (3840, 2160), (390, 844), (844, 390),
         (768, 1024)]
# After words, pictures and sizes are drawn.
DRAWN = "new Promise(drawn => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))), 80))"
# [what is wrong, of what, its words], of what has words of its own. Regions that scroll by design may.
WRONG = """((isScreen) => {
  const wrong = [], scrolls = one => one.closest(".scroll, #reply, dialog, select, option");
  const own = one => [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
  const seen = one => one.checkVisibility({visibilityProperty: true}) && one.getClientRects().length;
  const worded = [...document.querySelectorAll("body *")].filter(one => own(one) && seen(one) && !scrolls(one) && one.tagName !== "SCRIPT");
  const name = one => one.id || `${one.tagName} in ${one.closest("[id]")?.id}`;
  for (const one of worded) {
    const isBlock = getComputedStyle(one).display !== "inline";
    if (isBlock && (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 2)) wrong.push(["cut", name(one), one.textContent.trim()]);
    const box = one.getBoundingClientRect();
    if (box.left < -1 || box.right > innerWidth + 1 || (isScreen && (box.top < -1 || box.bottom > innerHeight + 1)))
      wrong.push(["outside", name(one), one.textContent.trim(), [box.left, box.top, box.right, box.bottom].map(Math.round).join()]);
    const panel = one.closest("section"), edge = panel?.getBoundingClientRect();
    if (edge && (box.right > edge.right + 1 || box.bottom > edge.bottom + 1 || box.left < edge.left - 1 || box.top < edge.top - 1))
      wrong.push(["over its panel's edge", name(one), one.textContent.trim()]);
  }
  const panels = [...document.querySelectorAll("main section")].filter(one => one.offsetParent && one.getClientRects().length)
    .map(one => [one.id, one.getBoundingClientRect()]);
  for (const [i, [id, a]] of panels.entries())
    for (const [other, b] of panels.slice(i + 1)) {
      const lap = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)].map(Math.round);
      if (Math.min(...lap) > 0) wrong.push(["panels on each other", id, other, lap]);
    }
  const lines = worded.filter(one => !one.closest("#eyes-sees")).flatMap(one => [...one.getClientRects()].map(line => [one, line]));
  for (const [i, [one, a]] of lines.entries())
    for (const [other, b] of lines.slice(i + 1))
      if (!one.contains(other) && !other.contains(one) && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4) wrong.push(["on each other", name(one), name(other)]);
  return wrong;
})"""
AXE = "axe-core@4.10.3"
# [rules passed, faults]
FAULTS = """axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}).then(found =>
  [found.passes.length, found.violations.map(fault => [fault.impact, fault.id, ...fault.nodes.map(node => node.html.slice(0, 120))])])"""


def axe():
    """The script of axe-core (https://github.com/dequelabs/axe-core, from npm), or None."""
    if not shutil.which("npm"):
        return None
    with tempfile.TemporaryDirectory() as folder:
        try:
            subprocess.run(["npm", "pack", AXE, "--silent"], cwd=folder, check=True, capture_output=True, timeout=60)
        except (subprocess.SubprocessError, OSError):
            return None
        with tarfile.open(next(pathlib.Path(folder).glob("*.tgz"))) as package:
            return package.extractfile("package/axe.min.js").read().decode()
