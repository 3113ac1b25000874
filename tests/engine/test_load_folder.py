import os
import shutil
import subprocess
import sys

import pytest
import torch
from engine_runs import CPU
from load_stand import Kept
from model_folders import KEY, LLAMA, SINGLE, tensors_of, with_config, write_folder
from safetensors.torch import save_file

from kvviz.engine import weight_reader
from kvviz.engine.load import load_model
from kvviz.model.families import family_of
from kvviz.model.fill import rows_of
from kvviz.model.weights import folder_weights
from kvviz.sizing.dtypes import COMPUTING, DType
from kvviz.sizing.errors import InputError
from kvviz.trace.config import ModelSource, ModelSpec

SMALL = {
    "vocab_size": 61,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}
CONFIGS = {
    "llama": LLAMA,
    "untied": LLAMA | {"tie_word_embeddings": False},
    "phi3": SMALL | {"model_type": "phi3", "num_key_value_heads": 2},
    "gpt_neox": SMALL | {"model_type": "gpt_neox", "rotary_pct": 0.5},
    "gpt2": {
        "model_type": "gpt2",
        "vocab_size": 61,
        "n_embd": 32,
        "n_layer": 2,
        "n_head": 4,
        "n_positions": 128,
    },
}
IDS = torch.tensor([[1, 5, 19, 0]])


def spec_of(folder):
    weights = folder_weights(str(folder))
    return ModelSpec(weights.shape, ModelSource.FOLDER, path=str(folder))


def load(folder, dtype=DType.FLOAT32, watch=None):
    return load_model(spec_of(folder), dtype, CPU, *([watch] if watch else []))


def expected(config, tensors, dtype):
    family = family_of(config, "config.json")
    return {
        name: rows_of(tensors[source.name], source).to(dtype)
        for name, source in family.sources.items()
    }


def same(model, wanted):
    found = dict(model.named_parameters())
    assert found.keys() == wanted.keys()
    return all(torch.equal(found[name], wanted[name]) for name in wanted)


@pytest.fixture(params=[2**20, 64])
def pieces(request, monkeypatch):
    """Read in pieces of a megabyte, and in so small ones that every tensor has many."""
    monkeypatch.setattr(weight_reader, "PIECE_BYTES", request.param)


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("family", CONFIGS)
def test_every_parameter_is_its_part_of_the_files(tmp_path, family, shards):
    config = CONFIGS[family]
    tensors = tensors_of(config)
    write_folder(tmp_path, config, tensors, shards=shards, tokenizer=False)
    assert same(load(tmp_path), expected(config, tensors, torch.float32))


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("family", ["llama", "gpt2"])
@pytest.mark.parametrize("stored", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("dtype", COMPUTING)
def test_weights_of_any_dtype_run_in_any_dtype(tmp_path, stored, dtype, family):
    config = CONFIGS[family]
    tensors = tensors_of(config, stored)
    write_folder(tmp_path, config, tensors, tokenizer=False)
    assert same(load(tmp_path, dtype), expected(config, tensors, getattr(torch, dtype)))


def test_a_folder_may_mix_dtypes(tmp_path):
    tensors = tensors_of(dtype=torch.bfloat16)
    tensors["model.norm.weight"] = tensors["model.norm.weight"].float()
    write_folder(tmp_path, tensors=tensors)
    assert folder_weights(str(tmp_path)).dtypes == ("bfloat16", "float32")
    assert same(load(tmp_path), expected(LLAMA, tensors, torch.float32))


def test_a_tied_head_is_the_embedding_whatever_the_file_has_besides(tmp_path):
    tensors = tensors_of() | {"lm_head.weight": torch.ones(261, 16)}
    write_folder(tmp_path, tensors=tensors)
    assert load(tmp_path).weight_bytes == sum(t.nbytes for t in tensors_of().values())


def test_the_folder_may_be_deleted_while_the_model_runs(tmp_path):
    write_folder(tmp_path / "model")
    model = load(tmp_path / "model")
    before = model(IDS)
    shutil.rmtree(tmp_path / "model")
    assert torch.equal(model(IDS), before)


def test_no_file_stays_open(tmp_path):
    write_folder(tmp_path, shards=3)
    spec = spec_of(tmp_path)
    before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    load_model(spec, DType.FLOAT32, CPU)
    with pytest.raises(KeyboardInterrupt):
        load_model(spec, DType.FLOAT32, CPU, Kept(stop_after=4))
    assert before == (os.listdir("/proc/self/fd") if before else [])


@pytest.mark.parametrize("family", ["llama", "phi3", "gpt2"])
def test_progress_is_in_bytes_and_reaches_the_end(tmp_path, monkeypatch, family):
    monkeypatch.setattr(weight_reader, "PIECE_BYTES", 256)
    write_folder(tmp_path, CONFIGS[family], shards=2, tokenizer=False)
    watch = Kept()
    load(tmp_path, watch=watch)
    total = folder_weights(str(tmp_path)).num_bytes
    assert (watch.told[0], watch.told[-1]) == ((0, total), (total, total))
    assert watch.told == sorted(set(watch.told))


def test_a_load_can_be_stopped_between_pieces(tmp_path):
    write_folder(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        load(tmp_path, watch=Kept(stop_after=2))


def test_weights_that_are_no_numbers_load_with_a_warning_and_their_count(tmp_path):
    tensors = tensors_of(dtype=torch.bfloat16)
    tensors[KEY][0, :3] = float("nan")
    tensors[KEY][1, 0] = float("-inf")
    tensors["model.norm.weight"][2] = float("inf")
    write_folder(tmp_path, tensors=tensors)
    watch = Kept()
    model = load(tmp_path, watch=watch)
    assert torch.isnan(model.blocks[1].attn.k_proj.weight[0, :3]).all()
    [warning] = watch.warnings
    assert "5 weights are not finite" in warning
    assert str(tmp_path) in warning


def test_weights_too_large_for_the_dtype_say_which_one_to_choose(tmp_path):
    for family in ("llama", "gpt2"):
        tensors = tensors_of(CONFIGS[family], torch.bfloat16)
        name = KEY if family == "llama" else "transformer.h.0.attn.c_attn.weight"
        tensors[name][0, 0] = 1e6
        write_folder(tmp_path / family, CONFIGS[family], tensors, tokenizer=False)
        with pytest.raises(InputError) as caught:
            load(tmp_path / family, DType.FLOAT16)
        assert f"1 numbers of {name} are too large for float16" in str(caught.value)
        load(tmp_path / family, DType.BFLOAT16)


def test_large_but_finite_weights_are_no_cause_for_a_warning(tmp_path):
    tensors = tensors_of(dtype=torch.float16)
    tensors["model.embed_tokens.weight"].fill_(60000.0)  # their sum is infinite in float16
    write_folder(tmp_path, tensors=tensors)
    watch = Kept()
    load(tmp_path, DType.FLOAT16, watch)
    assert watch.warnings == []


def test_a_folder_changed_since_it_was_opened_is_refused(tmp_path):
    write_folder(tmp_path)
    spec = spec_of(tmp_path)
    with_config(tmp_path, max_position_embeddings=64)
    with pytest.raises(InputError, match="has changed since it was opened"):
        load_model(spec, DType.FLOAT32, CPU)


def test_a_folder_gone_since_it_was_opened_is_refused(tmp_path):
    write_folder(tmp_path / "model")
    spec = spec_of(tmp_path / "model")
    shutil.rmtree(tmp_path / "model")
    with pytest.raises(InputError):
        load_model(spec, DType.FLOAT32, CPU)


@pytest.mark.parametrize("left", [0, 400])
def test_a_file_that_shrinks_while_it_is_read_is_one_sentence(tmp_path, monkeypatch, left):
    monkeypatch.setattr(weight_reader, "PIECE_BYTES", 256)
    write_folder(tmp_path)
    size = (tmp_path / SINGLE).stat().st_size

    class Cutting(Kept):
        def progress(self, done, total):
            super().progress(done, total)
            os.truncate(tmp_path / SINGLE, size - total + left)

    with pytest.raises(InputError, match="became shorter while it was read, at byte"):
        load(tmp_path, watch=Cutting())


def test_a_disk_that_fails_is_one_sentence(tmp_path, monkeypatch):
    write_folder(tmp_path)

    class Failing:
        def seek(self, _):
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(weight_reader.WeightReader, "_file", lambda *_: Failing())
    with pytest.raises(InputError, match=r"reading failed at byte [0-9,]+, Input/output error"):
        load(tmp_path)


def test_the_built_in_model_is_found_without_a_path(tmp_path, monkeypatch):
    write_folder(tmp_path)
    monkeypatch.setattr("kvviz.engine.load.built_in_model", lambda: tmp_path)
    spec = ModelSpec(folder_weights(str(tmp_path)).shape, ModelSource.BUILT_IN)
    assert same(load_model(spec, DType.FLOAT32, CPU), expected(LLAMA, tensors_of(), torch.float32))


PEAK = """
import resource, sys, torch
from kvviz.engine.load import load_model
from kvviz.model.weights import folder_weights
from kvviz.sizing.dtypes import COMPUTING, DType
from kvviz.trace.config import ModelSource, ModelSpec
folder = sys.argv[1]
spec = ModelSpec(folder_weights(folder).shape, ModelSource.FOLDER, path=folder)
torch.isfinite(torch.ones(4).sum())
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = load_model(spec, DType.BFLOAT16, torch.device("cpu"))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(peak * 1024 / model.weight_bytes)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux only")
@pytest.mark.parametrize("stored", [torch.bfloat16, torch.float32])
def test_the_peak_stays_near_the_models_size(tmp_path, stored):
    config = LLAMA | {"vocab_size": 8192, "hidden_size": 512, "intermediate_size": 2048}
    tensors = {n: t.to(stored) for n, t in tensors_of(config, torch.bfloat16).items()}
    (tmp_path / "big").mkdir()
    save_file(tensors, tmp_path / "big" / SINGLE)
    write_folder(tmp_path / "config", config, {}, tokenizer=False)
    shutil.copy(tmp_path / "config" / "config.json", tmp_path / "big")
    del tensors
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(tmp_path / "big")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(done.stdout) < 1.25
