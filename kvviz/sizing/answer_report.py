"""An answer as the JSON object that ``kvviz calc --json`` prints."""

from typing import Any

from kvviz.sizing.answer import Answer
from kvviz.sizing.cache_size import LayerSize, PartSize


def answer_report(answer: Answer) -> dict[str, Any]:
    """Return the answer in plain types; bytes are integers, None is what is not known."""
    size, load = answer.size, answer.load
    return {
        "model_type": answer.config.model_type,
        "tokens": load.tokens,
        "sequences": load.sequences,
        "source_tokens": load.source_tokens,
        **_policy(answer),
        "total_bytes": size.total_bytes,
        "per_sequence_bytes": size.per_sequence_bytes,
        "per_gpu_bytes": size.per_gpu_bytes,
        "k_bytes": size.k_bytes,
        "v_bytes": size.v_bytes,
        "state_bytes": size.state_bytes,
        "index_bytes": size.index_bytes,
        "padding_bytes": size.padding_bytes,
        "bytes_per_token": bytes_per_token(answer),
        "bytes_per_next_token": size.bytes_per_next_token,
        "layers": [_layer(layer) for layer in size.layers],
        **_fits(answer),
        "work": _work(answer),
        "formula": list(answer.formula),
        "assumptions": list(answer.assumptions),
        "warnings": list(answer.warnings),
    }


def bytes_per_token(answer: Answer) -> int | float:
    """Return a sequence's bytes over its tokens: an integer wherever it is one."""
    total, tokens = answer.size.total_bytes, answer.load.sequences * answer.load.tokens
    return total / tokens if total % tokens else total // tokens


def _policy(answer: Answer) -> dict[str, Any]:
    policy, pages = answer.policy, answer.size.rows.pages
    return {
        "engine": policy.engine.value,
        "k_dtype": policy.k_type.name,
        "v_dtype": policy.v_type.name,
        "state_dtype": policy.state_type.name,
        "windows": policy.windows.value,
        "mla": policy.mla.value,
        "tp": policy.tp,
        "block_size": policy.block_size if pages is None else pages.block,
        "speculative": policy.speculative,
        "mamba_cache_mode": policy.mamba_cache.value,
        "kv_unified": policy.kv_unified,
    }


def _fits(answer: Answer) -> dict[str, Any]:
    fits, shared_out = answer.capacity, answer.budget
    used = answer.size.per_gpu_bytes
    return {
        "weights_bytes": answer.weights,
        "memory_bytes": shared_out and shared_out.memory,
        "allowance_bytes": shared_out and shared_out.allowance,
        "cache_memory_bytes": shared_out and shared_out.cache,
        "free_bytes": shared_out and shared_out.free(used),
        "larger": shared_out.larger(used) if shared_out and shared_out.weights else None,
        "max_tokens": fits and fits.max_tokens,
        "max_sequences": fits and fits.max_sequences,
        "num_blocks": fits and fits.num_blocks,
        "older_logged_tokens": fits and fits.older_log,
    }


def _work(answer: Answer) -> dict[str, Any] | None:
    """Return operations, bytes and the least times of prefill and decode on the hardware."""
    hardware, found = answer.question.hardware, answer.roofline
    if hardware is None or found is None:
        return None
    gpus = answer.policy.tp
    return {
        "hardware": hardware.name,
        "prefill_flops": found.prefill.flops,
        "prefill_bytes": found.prefill.moved,
        "ttft_seconds": found.prefill.seconds(hardware, gpus),
        "decode_flops": found.decode.flops,
        "decode_bytes": found.decode.moved,
        "decode_intensity": found.decode.intensity,
        "itl_seconds": found.decode.seconds(hardware, gpus),
    }


def _layer(layer: LayerSize) -> dict[str, Any]:
    parts: dict[str, Any] = {"parts": [_part(part) for part in layer.parts]}
    return parts if layer.shares_with is None else parts | {"shares_with": layer.shares_with}


def _part(part: PartSize) -> dict[str, Any]:
    row = part.row
    return {
        "kind": row.kind.value,
        "kv_heads": row.kv_heads,
        "k_width": row.k_width,
        "v_width": row.v_width,
        "window": row.window,
        "k_bytes": part.k_bytes,
        "v_bytes": part.v_bytes,
        "index_bytes": part.index_bytes,
        "state_bytes": part.state_bytes,
    }
