"""A picture of how many positions each search looks at, depth by depth."""

from pathlib import Path
from typing import TYPE_CHECKING

from trellis.game.errors import BadParameter, shorten

if TYPE_CHECKING:
    from trellis.lab.star_counts import Work

ENDINGS = (".svg", ".png", ".pdf")


def draw_nodes_by_depth(path: Path, found: "list[Work]", published: dict[str, float]) -> None:
    """Draw mean nodes over depth on a logarithmic scale, with the paper's means where known."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    from trellis.lab.papers.star2_tt import PUBLISHED_DEPTH

    with plt.rc_context({"svg.hashsalt": "trellis", "svg.fonttype": "none"}):
        figure, axes = plt.subplots(figsize=(7.5, 4.8), layout="constrained")
        for number, work in enumerate(found):
            depths, colour = range(1, len(work.by_depth) + 1), f"C{number}"
            axes.semilogy(depths, work.by_depth, marker="o", ms=3, color=colour, label=work.search)
            if work.search in published:
                axes.plot(
                    PUBLISHED_DEPTH, published[work.search], marker="D", ms=7, mfc="none",
                    ls="none", color=colour, label=f"{work.search}, the paper",
                )  # fmt: skip
        axes.set_xlabel("plies")
        axes.set_ylabel(f"positions looked at, mean of {len(found[0].nodes)}")
        axes.grid(which="major", alpha=0.3)
        axes.legend(frameon=False, fontsize="small")
        try:
            # No date: the same figures make the same file.
            figure.savefig(path, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
        except OSError as fault:
            raise BadParameter(
                f"cannot write {shorten(str(path))}: {fault.strerror or fault}"
            ) from None
        finally:
            plt.close(figure)
