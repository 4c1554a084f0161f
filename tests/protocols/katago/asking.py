"""Queries to a service in this process, and their answers."""

import json

from trellis.protocols.katago.fields import write_json
from trellis.protocols.katago.service import Service


def query(name="q", **fields):
    """Return a query on a small board; what is None is left out."""
    usual = {
        "id": name,
        "moves": [],
        "rules": "tromp-taylor",
        "komi": 7.5,
        "boardXSize": 5,
        "boardYSize": 5,
        "maxVisits": 60,
    }
    return {key: value for key, value in (usual | fields).items() if value is not None}


class Asking:
    """Sends lines, keeps answers; nothing is searched before `work` says so."""

    def __init__(self, player="auto:sims=60", **options):
        self.answers = []
        self.service = Service(self._keep, player, **options)

    def _keep(self, answer):
        self.answers.append(json.loads(write_json(answer)))

    def send(self, *found):
        """Send queries, or text as it is, and return what is answered at once."""
        before = len(self.answers)
        for each in found:
            self.service.take(each if isinstance(each, str) else json.dumps(each))
        return self.answers[before:]

    def work(self):
        """Analyse all that waits, and return the answers."""
        before = len(self.answers)
        self.service.work_now()
        return self.answers[before:]

    def ask(self, **fields):
        """Return the one answer to a query that has no warning."""
        assert self.send(query(**fields)) == []
        [answer] = self.work()
        return answer

    def refused(self, **fields):
        """Return field and text of the one error that a query gets."""
        [answer] = self.send(query(**fields))
        assert self.work() == []
        assert answer["id"] == "q"
        return answer["field"], answer["error"]

    def warned(self, **fields):
        """Return what is warned of, by field, in a query that is answered."""
        warnings = {each["field"]: each["warning"] for each in self.send(query(**fields))}
        [answer] = self.work()
        assert "moveInfos" in answer
        return warnings
