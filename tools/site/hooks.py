"""Takes into the site what docs/ link to elsewhere in the source: ../share/x becomes share/x. A block's word for the tests (`sh test`) goes."""
import pathlib
import re

from mkdocs.structure.files import File

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<=\]\()\.\./([\w./-]+)")
FENCE = re.compile(r"^(```\w+)[ \t]+(?:test|save=\S+)[ \t]*$", re.M)


class AsItIs(File):
    def is_documentation_page(self):
        return False


def on_files(files, config):
    linked = {target for page in files.documentation_pages() for target in LINK.findall(pathlib.Path(page.abs_src_path).read_text("utf-8"))}
    for target in sorted(linked):
        files.append(AsItIs(target, SOURCE, config["site_dir"], use_directory_urls=False))
    return files


def on_page_markdown(markdown, page, config, files):
    return FENCE.sub(r"\1", LINK.sub(r"\1", markdown))
