"""Explicit automata: counted, minimised, compared, drawn."""

import xml.etree.ElementTree as ET

import pytest

import trellis
from trellis.game.automaton import Automaton, Edge
from trellis.game.errors import BadParameter, LimitReached

NIM = "nim:pile_sizes=5,max_take=3,is_misere=false"


def test_nim_has_ten_states_and_eighteen_edges():
    """Heap of 5, moves 1 to 3; the thesis prints 16 edges for the same automaton."""
    machine = trellis.automaton(trellis.load(NIM))
    assert (machine.states, len(machine.edges)) == (10, 18)
    smallest = machine.minimised()
    assert (smallest.states, len(smallest.edges)) == (10, 18)


def test_tic_tac_toe_has_5478_states():
    machine = trellis.automaton(trellis.load("tic_tac_toe"))
    assert machine.states == 5478
    assert sum(payoffs is not None for payoffs in machine.payoffs) == 958


def test_minimising_an_unfolding_gives_the_minimal_automaton_of_the_game():
    game = trellis.load(NIM)
    tree = trellis.automaton(trellis.unfolded(game))
    assert tree.states == 28
    folded = tree.minimised()
    assert (folded.states, len(folded.edges)) == (10, 18)
    assert trellis.bisimilar(folded, game)


def test_games_that_differ_in_one_payoff_or_one_move_are_told_apart():
    nim = trellis.load(NIM)
    assert not trellis.bisimilar(nim, trellis.load(NIM.replace("false", "true")))
    assert not trellis.bisimilar(nim, trellis.load(NIM.replace("max_take=3", "max_take=2")))
    assert trellis.bisimilar(nim, trellis.load(NIM))


def test_chance_is_told_apart_by_its_probabilities():
    def coin(share):
        edges = (Edge(0, 1, "heads", share), Edge(0, 2, "tails", 1 - share))
        payoffs = (None, (1.0,), (0.0,))
        return Automaton("coin", (-1, -2, -2), payoffs, ("", "h", "t"), edges, ("x",))

    assert trellis.bisimilar(coin(0.5), coin(0.5))
    assert not trellis.bisimilar(coin(0.5), coin(0.25))


def test_states_that_differ_only_deep_below_stay_apart():
    """A chain whose ends pay differently: refinement must run as many rounds as it is long."""

    def chain(payoff, length=30):
        edges = tuple(Edge(i, i + 1, "on") for i in range(length))
        payoffs = (None,) * length + ((payoff,),)
        acting = (0,) * length + (-2,)
        return Automaton("chain", acting, payoffs, ("",) * (length + 1), edges, ("x",))

    assert trellis.bisimilar(chain(1.0), chain(1.0))
    assert not trellis.bisimilar(chain(1.0), chain(0.0))
    assert not trellis.bisimilar(chain(1.0), chain(1.0, length=31))


def test_drawings_show_every_state_and_edge(tmp_path):
    machine = trellis.automaton(trellis.load(NIM))
    dot = machine.dot()
    assert dot.count("->") == 18
    drawing = ET.fromstring(machine.svg())
    kinds = [group.get("class") for group in drawing.iter("{http://www.w3.org/2000/svg}g")]
    assert (kinds.count("node"), kinds.count("edge")) == (10, 18)
    machine.save(tmp_path / "nim.svg")
    machine.save(tmp_path / "nim.dot")
    assert (tmp_path / "nim.svg").read_text().startswith("<?xml")
    with pytest.raises(BadParameter, match=r"\.svg or \.dot"):
        machine.save(tmp_path / "nim.png")


def test_large_games_are_refused_in_time():
    with pytest.raises(LimitReached, match="more than 1,000 positions"):
        trellis.automaton(trellis.load("connect_four"), limit=1000)
    with pytest.raises(LimitReached, match="too many to draw"):
        trellis.automaton(trellis.load("tic_tac_toe")).dot()
