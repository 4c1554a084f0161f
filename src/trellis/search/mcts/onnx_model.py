"""Networks in files of ONNX, run by ONNX Runtime: `network:model.onnx,sims=400` is a player.

A model has one input, [B, planes, rows, columns] in single precision, and one or two outputs:
values [B] or [B, 1] or [B, players], and priors [B, moves].  Names of outputs that begin with
`pol` or `pri` say which is which, else the order does.  A policy that has numbers below 0, or rows
that do not add up to 1, is taken for logits.
"""

from pathlib import Path
from typing import Any

import numpy as np

from trellis.game.errors import BadParameter, shorten
from trellis.game.game import Game


class OnnxModel:
    """A network as an evaluation."""

    def __init__(self, path: Path, game: Game) -> None:
        if not path.is_file():
            raise BadParameter(f"no such file of a network: {shorten(str(path))}")
        if game.planes is None:
            raise BadParameter(f"{game.spec} has no planes that a network could read")
        try:
            import onnxruntime
        except ImportError:
            raise BadParameter(
                'networks in files of ONNX need ONNX Runtime: pip install "trellis-games[onnx]"'
            ) from None
        options = onnxruntime.SessionOptions()
        # One thread, which does not spin when it waits: the others belong to the search.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            reason = str(error).splitlines()[0]
            raise BadParameter(
                f"{shorten(str(path))} is not a network: {shorten(reason)}"
            ) from error
        asked = self._session.get_inputs()[0]
        self._input, self.name = asked.name, path.name
        shape = [each for each in asked.shape[1:] if isinstance(each, int)]
        if len(asked.shape) != 4 or (len(shape) == 3 and tuple(shape) != game.planes.shape):
            wanted = " x ".join(map(str, game.planes.shape))
            raise BadParameter(
                f"{shorten(str(path))} reads {shorten(str(asked.shape))}: expected batches of "
                f"{wanted}, the planes of {game.spec}"
            )
        names = [each.name for each in self._session.get_outputs()]
        by_name = [i for i, name in enumerate(names) if name.casefold().startswith(("pol", "pri"))]
        self._policy = by_name[0] if by_name else 1 if len(names) > 1 else None
        self._value = next((i for i in range(len(names)) if i != self._policy), 0)

    def __call__(self, features: Any, legal: Any) -> tuple[Any, Any]:
        """Judge a batch of positions."""
        try:
            outputs = self._session.run(None, {self._input: features})
        except Exception as error:  # of ONNX Runtime, whose errors share no class
            reason = str(error).splitlines()[0]
            raise BadParameter(f"{self.name} fails to judge: {shorten(reason)}") from error
        values = outputs[self._value]
        if self._policy is None:
            return values, None
        policy = np.asarray(outputs[self._policy], np.float64).reshape(len(legal), -1)
        if policy.shape == legal.shape and (
            (policy < 0).any() or not np.allclose(policy.sum(axis=1), 1.0, atol=1e-3)
        ):
            masked = np.where(legal, policy, -np.inf)
            policy = np.exp(masked - masked.max(axis=1, keepdims=True))
        return values, policy
