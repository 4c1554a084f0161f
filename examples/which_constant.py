"""The experiment of which_constant.toml, in Python."""

from trellis import lab

EXPERIMENT = lab.Experiment(
    name="which_constant",
    title="Connect Four: which exploration constant, and do transpositions help?",
    source="A question of one's own",
    measure="match",
    cells=tuple(
        lab.Cell(
            f"select={select},c={c:g}",
            {"game": "connect_four", "a": f"{select}:c={c:g}", "b": "uct0:c=0.7", "sims": 200,
             "opening": 2},
            row=f"select={select}", column=f"c={c:g}", x=c,
        )
        for select in ("uct0", "simple")
        for c in (0.3, 0.5, 1.0)
    ),
    scales={
        "smoke": lab.Scale(4, settings={"sims": 10}),
        "paper": lab.Scale(200),
        "full": lab.Scale(2000),
    },
    claims=(
        lab.Claim(
            "sharing is better than a tree, with the same constant", "more",
            {"more": "select=simple,c=0.5", "less": "select=uct0,c=0.5"},
        ),
    ),
    plot=lab.Plot("lines", "exploration constant"),
)  # fmt: skip

if __name__ == "__main__":
    results = lab.run(EXPERIMENT, "smoke", record="which_constant.sqlite", workers=2)
    print(results.text())
    lab.write_report([results], "which_constant.html")
