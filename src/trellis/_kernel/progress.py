"""How long work tells how far it is: one callback for all of it."""

from collections.abc import Callable

# Called now and then with the share of the work that is done, from 0 to 1, as far as it is known,
# and a few words for people, such as "12,000 positions".
Progress = Callable[[float, str], None]
