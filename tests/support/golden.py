"""The golden figures as questions to the calculator, and what the answer is compared with."""

import json
from dataclasses import dataclass
from pathlib import Path

from kvviz.sizing.answer import Answer, ask
from kvviz.sizing.config import ModelConfig, read_config
from kvviz.sizing.element_types import BFLOAT16, parse_element_type
from kvviz.sizing.policy import Engine, MlaLayout, Windows
from kvviz.sizing.question import Question

FOLDER = Path(__file__).parent.parent / "data" / "golden"
UNITS = {"B": 1, "kB": 10**3, "MB": 10**6, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
EXACT = ("read", "same_log", "sibling_model")


@dataclass(frozen=True)
class Golden:
    """One figure: conditions, how it arises, and what was printed."""

    entry: dict
    config: dict | None

    @property
    def check(self):
        return self.entry["check"]

    @property
    def expected(self):
        return self.entry["expected"]

    @property
    def unit(self):
        return UNITS[self.expected["unit"]]

    def model(self) -> ModelConfig:
        return read_config(self.config, self.entry["id"])

    def ask(self, **others) -> Answer:
        return ask(self.model(), Question(tp=self.entry["conditions"].get("tp", 1), **others))

    def matches(self, number: int, key: str = "value") -> bool:
        return abs(number / self.unit - self.expected[key]) <= self.expected["tol_abs"]


def load_models() -> dict[str, dict]:
    models = json.loads((FOLDER / "models.json").read_text(encoding="utf-8"))
    return {model["id"]: model["config"] for model in models}


def load_figures(*methods: str) -> list[Golden]:
    models = load_models()
    entries = json.loads((FOLDER / "figures.json").read_text(encoding="utf-8"))
    return [
        Golden(entry, entry.get("config") or models[entry["model"]])
        for entry in entries
        if entry["check"] is not None and entry["check"]["method"] in methods
    ]


def allocated(golden: Golden) -> Answer:
    """Every cell kept, as an engine without window saving does, in the types of the figure."""
    check = golden.check
    expanded = check.get("mla") == "expanded"
    return golden.ask(
        tokens=check["cells"],
        k_type=parse_element_type(check["k_dtype"]),
        v_type=parse_element_type(check["v_dtype"]),
        windows=Windows.FULL,
        mla=MlaLayout.EXPANDED if expanded else MlaLayout.LATENT,
    )


def by_vllm(golden: Golden) -> Answer:
    """Pages and blocks in the memory that the log names."""
    conditions = golden.entry["conditions"]
    kind = BFLOAT16 if conditions.get("kv_dtype") != "fp8" else parse_element_type("fp8")
    return golden.ask(
        k_type=kind,
        v_type=kind,
        engine=Engine.VLLM,
        block_size=conditions.get("block_size"),
        max_model_len=conditions.get("max_model_len"),
        speculative=conditions.get("num_speculative_tokens", 0),
        cache_memory=int(golden.check.get("mem_gib", 1) * 2**30),
    )
