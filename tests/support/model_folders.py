"""Tiny models as Hugging Face folders, whole and in every dtype; tests spoil them."""

import json

import torch
from safetensors.torch import save_file
from tokenizer_files import byte_level, write_tokenizer

from kvviz.model.families import family_of

LLAMA = {
    "model_type": "llama",
    "vocab_size": 261,
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "hidden_act": "silu",
    "tie_word_embeddings": True,
    "bos_token_id": 259,
    "eos_token_id": 260,
}
SINGLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
KEY = "model.layers.1.self_attn.k_proj.weight"


def tensors_of(config=LLAMA, dtype=torch.float32, seed=5):
    """The tensors that a config asks for, by the names in a file."""
    generator = torch.Generator().manual_seed(seed)
    sources = {source.name: source for source in family_of(config, "config.json").sources.values()}
    return {
        name: torch.randn(source.sizes, generator=generator).mul(0.1).to(dtype)
        for name, source in sources.items()
    }


def write_folder(folder, config=LLAMA, tensors=None, *, shards=1, tokenizer=True):
    """Write a folder and return its path as text."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    tensors = tensors_of(config) if tensors is None else tensors
    if shards == 1:
        save_file(tensors, folder / SINGLE)
    else:
        write_shards(folder, tensors, shards)
    if tokenizer:
        write_tokenizer(folder, byte_level())
    return str(folder)


def write_shards(folder, tensors, count):
    """Write the tensors into ``count`` files and their index."""
    weight_map = {}
    for number in range(count):
        name = f"model-{number + 1:05}-of-{count:05}.safetensors"
        part = dict(list(tensors.items())[number::count])
        save_file(part, folder / name)
        weight_map.update(dict.fromkeys(part, name))
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))


def with_config(folder, **changes):
    """Change keys of a folder's config.json; None takes a key out."""
    path = folder / "config.json"
    config = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({k: v for k, v in config.items() if v is not None}))
