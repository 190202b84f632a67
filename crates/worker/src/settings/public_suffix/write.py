"""Writes `rules.txt` from the public suffix list.

Run it with the path of https://publicsuffix.org/list/public_suffix_list.dat:
`python3 write.py public_suffix_list.dat`
"""

import pathlib
import sys

HEADER = """\
// The rules of the public suffix list (https://publicsuffix.org) with more than one label, in ASCII: first those of
// registries, then, after an empty line, those of companies. Written by write.py.
// This Source Code Form is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL was not
// distributed with this file, You can obtain one at https://mozilla.org/MPL/2.0/.
"""


def to_ascii(rule):
    mark = "!" if rule.startswith("!") else ""
    labels = rule.removeprefix("!").split(".")
    return mark + ".".join(
        label if label == "*" else label.encode("idna").decode() for label in labels
    )


def main():
    lines = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    sections = {"ICANN": [], "PRIVATE": []}
    section = None
    version = ""
    for line in lines:
        if line.startswith("// VERSION: "):
            version = line + "\n"
        if line.startswith("// ===BEGIN "):
            section = sections[line.split()[2]]
        elif section is not None and "." in line and not line.startswith("//"):
            section.append(to_ascii(line.strip()))
    parts = ["\n".join(sorted(rules)) for rules in sections.values()]
    target = pathlib.Path(__file__).with_name("rules.txt")
    target.write_text(HEADER + version + "\n\n".join(parts) + "\n", encoding="ascii")


main()
