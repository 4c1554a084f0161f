"""From the bytes of a file to text, whatever encoding it says it is in, or is.

The whole file is decoded before it is parsed: in some encodings of Chinese and Japanese the second
byte of a character looks like a bracket or a backslash.
"""

import codecs
import re

# What files declare, and a superset of it that programs write in truth.
_WIDER = {
    "ascii": "utf-8", "gb2312": "gb18030", "gbk": "gb18030", "big5": "cp950", "shift_jis": "cp932",
    "euc_kr": "cp949",
}  # fmt: skip
_DOUBLE = ("gb18030", "cp950", "big5hkscs", "cp932", "euc_jp", "iso2022_jp", "cp949", "johab")
_SINGLE = re.compile(r"(iso8859|cp125|cp437|cp85|cp866|koi8|mac)[\w-]*")
_DECLARED = re.compile(rb"[;\]\s]CA\s*\[\s*([A-Za-z0-9_.:-]{1,40})\s*\]")
_HEAD = 4096  # bytes in which a declaration is looked for
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(data: bytes) -> tuple[str, str]:
    """Return the text of a file, and a remark where something about its encoding is wrong.

    What a file says of itself is tried first, then UTF-8.  A file that says nothing and is not
    UTF-8 is Latin-1, as the format wants it; one that is not what it says keeps what can be read.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace"), ""
    declared = _declared(data)
    encoding = _usable(declared) if declared else ""
    for each in filter(None, (encoding, "utf-8")):
        try:
            text = data.decode(each)
        except UnicodeError:
            continue
        wrong = bool(declared) and each != encoding
        return text, f"the text is UTF-8, not {declared} as the file says" if wrong else ""
    if not declared:
        return data.decode("iso8859-1"), ""
    if not encoding:
        return data.decode("iso8859-1"), f"no way to read the encoding {declared}: read as Latin-1"
    text = data.decode(encoding, "replace")
    return text, f"some text is not {declared} as the file says: it was replaced"


def _declared(data: bytes) -> str:
    found = _DECLARED.search(data[:_HEAD])
    return found.group(1).decode("ascii") if found else ""


def _usable(name: str) -> str:
    """Return the name of an encoding of text that contains ASCII; empty where it is not one."""
    try:
        known = codecs.lookup(name).name.replace("-", "_")
    except (LookupError, ValueError):
        return ""
    known = _WIDER.get(known, known)
    if known in ("utf_8", "utf-8"):
        return "utf-8"
    return known if known in _DOUBLE or _SINGLE.fullmatch(known) else ""
