"""Choosing an address without a branch, which only machine code can do."""

from typing import Any

import numba.types as nt
from llvmlite import ir
from numba.extending import intrinsic, overload

from trellis._kernel.memory import pointer_to

VISITS_AT = 8  # bytes from the beginning of a node or an edge; the sum comes first


@intrinsic
def _seen(context: Any, nodes: Any, edges: Any, node: Any, edge: Any, ask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        of_node, of_edge = (
            builder.bitcast(
                pointer_to(context, builder, signature.args[i], arguments[i], arguments[i + 2]),
                ir.IntType(8).as_pointer(),
            )
            for i in range(2)
        )
        record = builder.select(arguments[4], of_node, of_edge)
        real, whole = ir.DoubleType(), ir.IntType(32)
        at_visits = builder.gep(record, [whole(VISITS_AT)])
        total = builder.load(builder.bitcast(record, real.as_pointer()))
        visits = builder.load(builder.bitcast(at_visits, whole.as_pointer()))
        return context.make_tuple(builder, signature.return_type, [total, visits])

    return nt.Tuple((nt.float64, nt.int32))(nodes, edges, node, edge, nt.boolean), generate


def seen(nodes: Any, edges: Any, node: int, edge: int, ask: bool) -> tuple[float, int]:
    """Return sum and visits of a node, or of an edge where it need not be asked.

    Compiled, this is one choice of an address: which one it will be nobody can foretell, and a
    wrong guess would cost more than all the rest.
    """
    record = nodes[node] if ask else edges[edge]
    return record["sum"], record["visits"]


@overload(seen, jit_options={"_nrt": False})
def _see(nodes: Any, edges: Any, node: Any, edge: Any, ask: Any) -> Any:
    def look(nodes: Any, edges: Any, node: Any, edge: Any, ask: Any) -> Any:
        return _seen(nodes, edges, node, edge, ask)

    return look
