"""Weights files, whole and damaged, written byte by byte."""

import json

from safetensors.torch import save

from kvviz.bench.tutorial import TinyCausalLM


def tutorial_state(**sizes):
    return {name: w.detach().clone() for name, w in TinyCausalLM(**sizes).state_dict().items()}


def write_state(path, state):
    path.write_bytes(save({name: weight.contiguous() for name, weight in state.items()}))
    return str(path)


def with_header(data, change):
    """The file ``data`` with its header changed by ``change(header)``, offsets left as they are."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data[8 + length :]
