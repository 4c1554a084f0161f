"""Rules as queries name them; what cannot be searched becomes the nearest that can, and a warning.

That is what the protocol says of rules that an engine does not know: territory, a tax on groups, a
button and Spight's superko are passed over, everything else is kept.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trellis.game.errors import shorten
from trellis.protocols.gtp.parsing import CommandError
from trellis.protocols.gtp.rulesets import NAMED, Ruleset
from trellis.protocols.katago.fields import QueryError

_SAME = {
    "chineseogs": "chinese-ogs", "chinesekgs": "chinese-kgs", "tromptaylor": "tromp-taylor",
    "french": "aga", "nz": "new-zealand", "newzealand": "new-zealand",
}  # fmt: skip
_PLAIN = Ruleset("SIMPLE", suicide=False, bonus="0", dead_stones=True)
_GOE = Ruleset("POSITIONAL", suicide=True, bonus="0", dead_stones=True)
_TERRITORY, _TAX, _BUTTON = "territory scoring", "a tax on groups", "a button"


@dataclass(frozen=True)
class AskedRules:
    """Rules that are searched, komi where nobody says it, and what was asked for in vain."""

    rules: Ruleset
    komi: float = 7.5
    missing: tuple[str, ...] = ()


_FURTHER: Mapping[str, AskedRules] = {
    "japanese": AskedRules(_PLAIN, 6.5, (_TERRITORY,)),
    "korean": AskedRules(_PLAIN, 6.5, (_TERRITORY,)),
    "ancient-territory": AskedRules(_PLAIN, 6.5, (_TERRITORY, _TAX)),
    "ancient-area": AskedRules(_PLAIN, 7.5, (_TAX,)),
    "stone-scoring": AskedRules(_PLAIN, 7.5, (_TAX,)),
    "aga-button": AskedRules(NAMED["aga"], 7.0, (_BUTTON,)),
    "goe": AskedRules(_GOE),
    "ing": AskedRules(_GOE),
    "new-zealand": AskedRules(NAMED["new-zealand"], 7.0),
}
_JOINED = {name.replace("-", ""): name for name in _FURTHER}


def read_asked(value: Any) -> AskedRules:
    """Read the field `rules`: a name, or an object."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise QueryError("rules", f"Could not parse rules: {shorten(value)}") from None
    if isinstance(value, dict):
        return _of_fields(value)
    if not isinstance(value, str):
        raise QueryError(
            "rules", 'Must be a name of rules, as "chinese" or "tromp-taylor", or a JSON object'
        )
    name = value.strip().casefold().replace("_", "-").replace(" ", "-")
    name = _SAME.get(name, _JOINED.get(name, name))
    if name in _FURTHER:
        return _FURTHER[name]
    if name in NAMED:
        return AskedRules(NAMED[name])
    raise QueryError("rules", f"Could not parse rules: {shorten(value)}")


def _of_fields(fields: Mapping[str, Any]) -> AskedRules:
    """Read rules field by field; what is not said is as Tromp and Taylor have it."""
    rules, missing, komi = NAMED["tromp-taylor"], [], None
    for name, value in fields.items():
        word = str(value).upper()
        if name in ("score", "scoring") and word == "TERRITORY":
            missing.append(_TERRITORY)
        elif name in ("score", "scoring"):
            _check(name, word, ("AREA",))
        elif name == "tax" and word in ("SEKI", "ALL"):
            missing.append(_TAX)
        elif name == "hasButton" and value is True:
            missing.append(_BUTTON)
        elif name == "ko" and word == "SPIGHT":
            missing.append("Spight's superko")
            rules = rules.with_field("ko", "SITUATIONAL")
        elif name == "komi":
            komi = check_komi("rules", value)
        else:
            try:
                rules = rules.with_field(name, value)
            except CommandError as error:
                raise QueryError("rules", f"Could not parse rules: {error}") from None
    usual = 6.5 if _TERRITORY in missing else 7.0 if _BUTTON in missing else 7.5
    # A tax on groups in seki comes with territory; it needs no word of its own.
    told = [each for each in missing if each != _TAX or _TERRITORY not in missing]
    return AskedRules(rules, usual if komi is None else komi, tuple(told))


def _check(name: str, word: str, choices: tuple[str, ...]) -> None:
    if word not in choices:
        raise QueryError("rules", f"Could not parse rules: {name} is {shorten(word)}")


def check_komi(field: str, value: Any) -> float:
    """Return komi; refuse what is not a whole or half number from -400 to 400."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not -400 <= value <= 400 or not float(2 * value).is_integer():
        raise QueryError(field, "Must be a integer or half-integer from -400.0 to 400.0")
    return float(value)
