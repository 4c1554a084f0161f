"""HTML from Python: whatever is not marked as markup is escaped, so nobody can forget to."""

from html import escape


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, /, *content: str | None, **attributes: str | int | None) -> Markup:
    """Return an element; an attribute `class_` is written without the line at its end.

    >>> tag("p", "a < b", tag("br"), class_="x", title='"')
    '<p class="x" title="&quot;">a &lt; b<br></p>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY:
        return Markup(f"<{name}{given}>")
    return Markup(f"<{name}{given}>{joined(*content)}</{name}>")


def joined(*content: str | None) -> Markup:
    """Return several pieces one after the other."""
    return Markup(
        "".join(
            each if isinstance(each, Markup) else escape(each, quote=False)
            for each in content
            if each is not None
        )
    )


_EMPTY = {"br", "meta", "col", "hr"}
