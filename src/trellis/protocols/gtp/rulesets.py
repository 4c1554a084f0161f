"""Rules of Go by name: servers and countries disagree on ko, suicide and handicap.

All of them count area.  The fields, and what each name stands for, are those of KataGo's
`kata-set-rules`; `cgos` are those of the Computer Go Server: positional superko, no suicide, and
stones that are still there at the end count as alive.

>>> named_rules("tromp-taylor").suicide, named_rules("cgos").suicide
(True, False)
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from trellis.game.errors import nearest, shorten
from trellis.protocols.gtp.parsing import CommandError

KO = ("SIMPLE", "POSITIONAL", "SITUATIONAL")
BONUS = ("0", "N-1", "N")


@dataclass(frozen=True)
class Ruleset:
    """What games of Go differ in."""

    ko: str = "POSITIONAL"
    suicide: bool = False  # of several stones; of one, only where ko does not forbid it
    bonus: str = "0"  # points for white in a game with N stones of handicap
    dead_stones: bool = True  # whether players agree on dead stones at the end, and take them off

    def handicap_bonus(self, stones: int) -> int:
        """Return the points that white gets for handicap stones."""
        if stones < 2 or self.bonus == "0":
            return 0
        return stones - (self.bonus == "N-1")

    def as_json(self) -> str:
        """Return the rules as `kata-get-rules` answers them."""
        return json.dumps(
            {
                "friendlyPassOk": self.dead_stones,
                "hasButton": False,
                "ko": self.ko,
                "scoring": "AREA",
                "suicide": self.suicide,
                "tax": "NONE",
                "whiteHandicapBonus": self.bonus,
            },
            separators=(",", ":"),
        )

    def with_field(self, name: str, value: Any) -> "Ruleset":
        """Return the same rules with one field changed, by KataGo's name of it."""
        if name == "rules":
            return named_rules(str(value))
        if name == "ko":
            return replace(self, ko=_choice(name, value, KO))
        if name == "whiteHandicapBonus":
            return replace(self, bonus=_choice(name, value, BONUS))
        if name == "suicide":
            return replace(self, suicide=_truth(name, value))
        if name == "friendlyPassOk":
            return replace(self, dead_stones=_truth(name, value))
        if name in ("scoring", "scoringRule"):
            _choice(name, value, ("AREA",))
            return self
        if name in ("tax", "taxRule"):
            _choice(name, value, ("NONE",))
            return self
        if name == "hasButton":
            if _truth(name, value):
                raise CommandError("unsupported rules: hasButton true; expected false")
            return self
        raise CommandError(f"unknown rule {shorten(name)}")


_CHINESE = Ruleset("POSITIONAL", suicide=False, bonus="N", dead_stones=True)
_AGA = Ruleset("SITUATIONAL", suicide=False, bonus="N-1", dead_stones=True)
NAMED: Mapping[str, Ruleset] = {
    "tromp-taylor": Ruleset("POSITIONAL", suicide=True, bonus="0", dead_stones=False),
    "chinese": replace(_CHINESE, ko="SIMPLE"),
    "chinese-ogs": _CHINESE,
    "chinese-kgs": _CHINESE,
    "aga": _AGA,
    "bga": _AGA,
    "new-zealand": Ruleset("SITUATIONAL", suicide=True, bonus="0", dead_stones=True),
    "cgos": Ruleset("POSITIONAL", suicide=False, bonus="0", dead_stones=False),
}
DEFAULT = "chinese-ogs"


def named_rules(name: str) -> Ruleset:
    """Return the rules of a name."""
    wanted = name.strip().casefold().replace("_", "-").replace(" ", "-")
    if wanted not in NAMED:
        raise CommandError(
            f"unsupported rules {shorten(name)}: expected {', '.join(NAMED)}"
            f"{nearest(wanted, NAMED)}"
        )
    return NAMED[wanted]


def name_of(rules: Ruleset) -> str:
    """Return the name of rules, or nothing where they have none."""
    return next((name for name, known in NAMED.items() if known == rules), "")


def read_rules(text: str, before: Ruleset) -> Ruleset:
    """Read rules: a name, or an object of JSON whose fields are changed, others left alone."""
    if not text.lstrip().startswith("{"):
        return named_rules(text)
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise CommandError(f"bad rules {shorten(text)}: expected a name or JSON") from None
    rules = before
    for name, value in fields.items():
        rules = rules.with_field(name, value)
    return rules


def _choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    word = str(value).upper()
    if word not in choices:
        raise CommandError(
            f"unsupported value {shorten(str(value))} of {name}: expected {', '.join(choices)}"
        )
    return word


def _truth(name: str, value: Any) -> bool:
    truths = {"true": True, "1": True, "false": False, "0": False}
    word = str(value).casefold()
    if word not in truths:
        raise CommandError(f"bad value {shorten(str(value))} of {name}: expected true or false")
    return truths[word]
