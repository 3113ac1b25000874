"""The trained model as an ordinary Hugging Face folder."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer

from kvviz.training.llama import Llama
from kvviz.training.recipe import Recipe
from kvviz.training.vocabulary import END, START


def write_folder(folder: Path, model: Llama, tokenizer: Tokenizer, recipe: Recipe) -> None:
    """Write config.json, model.safetensors (float16) and the tokenizer's files."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {
        f"model.{name}": weight.detach().to(torch.float16).contiguous()
        for name, weight in model.state_dict().items()
    }
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    tokenizer.save(str(folder / "tokenizer.json"))
    write_json(folder / "config.json", _config(tokenizer, recipe))
    write_json(folder / "tokenizer_config.json", _tokenizer_config(recipe))


def _config(tokenizer: Tokenizer, recipe: Recipe) -> dict[str, Any]:
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": recipe.vocab_size,
        "hidden_size": recipe.hidden_size,
        "intermediate_size": recipe.ffn_size,
        "num_hidden_layers": recipe.num_layers,
        "num_attention_heads": recipe.num_heads,
        "num_key_value_heads": recipe.num_kv_heads,
        "head_dim": recipe.head_dim,
        "max_position_embeddings": recipe.context,
        "rms_norm_eps": recipe.norm_eps,
        "rope_theta": recipe.rope_theta,
        "hidden_act": "silu",
        "attention_bias": False,
        "tie_word_embeddings": True,
        "bos_token_id": tokenizer.token_to_id(START),
        "eos_token_id": tokenizer.token_to_id(END),
        "torch_dtype": "float16",
    }


def _tokenizer_config(recipe: Recipe) -> dict[str, Any]:
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": START,
        "eos_token": END,
        "model_max_length": recipe.context,
    }


def write_json(path: Path, content: Any) -> None:
    """Write what JSON can hold, for people to read too."""
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
