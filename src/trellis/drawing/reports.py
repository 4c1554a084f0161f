"""Reports of searches as tables with bars, for notebooks and pages."""

import math
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trellis.search.report import Report

_MOST_MOVES = 12
_STYLE = (
    "<style>.t-report{border-collapse:collapse;font-family:system-ui,sans-serif;font-size:14px}"
    ".t-report td,.t-report th{padding:3px 10px;text-align:right;border:0;background:none}"
    ".t-report td:first-child,.t-report th:first-child{text-align:left}"
    ".t-report tr{border-bottom:1px solid #8884;background:none}"
    ".t-report .t-bar{width:140px}.t-report .t-bar div{height:10px;border-radius:5px;"
    "background:#3b74d1}.t-report .t-best{font-weight:600}.t-report caption{text-align:left;"
    "padding:4px 10px;caption-side:top;color:inherit}</style>"
)


def table(report: "Report") -> str:
    """Return a report as one table of HTML: moves, best first, with bars of their visits."""
    lines = report.moves[:_MOST_MOVES]
    most = max((line.visits for line in report.moves), default=0)
    rows = []
    for line in lines:
        share = line.visits / most if most else 0.0
        best = ' class="t-best"' if line.move == report.best else ""
        proven = "proven" if line.solved else ""
        rows.append(
            f"<tr{best}><td>{escape(line.move)}</td><td>{line.visits:,}</td>"
            f'<td class="t-bar"><div style="width:{100 * share:.0f}%"></div></td>'
            f"<td>{_number(line.adapted)}</td><td>{proven}</td></tr>"
        )
    left = len(report.moves) - len(lines)
    if left > 0:
        rows.append(f'<tr><td colspan="5">and {left} more</td></tr>')
    told = f"{report.sims:,} simulations, {report.nodes:,} nodes"
    return (
        f'{_STYLE}<table class="t-report"><caption>{escape(report.sentence())}<br>'
        f"<small>{told}</small></caption><thead><tr><th>move</th><th>visits</th><th></th>"
        f"<th>value</th><th></th></tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3f}"
