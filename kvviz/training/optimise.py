"""Training: one step after another, the rate as the recipe has it."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import AdamW

from kvviz.training.llama import Llama
from kvviz.training.muon import Muon
from kvviz.training.recipe import Recipe
from kvviz.training.windows import Ids


class Trainer:
    """A model and what its optimisers remember."""

    def __init__(self, model: Llama, recipe: Recipe) -> None:
        self.model, self.step = model, 0
        self._recipe = recipe
        matrices: list[Tensor] = [w for w in model.layers.parameters() if w.dim() == 2]
        vectors = [w for w in model.layers.parameters() if w.dim() == 1]
        rest = [model.embed_tokens.weight, model.norm.weight, *vectors]
        self._muon = Muon(matrices, recipe.weight_decay)
        self._adam = AdamW(rest, betas=(0.9, 0.95), weight_decay=0.0)

    def run(self, batches: Iterator[Ids]) -> Iterator[float]:
        """Take a step for each batch; yield its loss in nats a token."""
        for batch in batches:
            yield self._take_step(torch.from_numpy(batch))

    def _take_step(self, batch: Tensor) -> float:
        recipe = self._recipe
        # Seeded by the step, so that training taken up again draws the same.
        torch.manual_seed(recipe.seed * recipe.steps + self.step)
        self.model.train()
        self.model.zero_grad()
        loss = _loss(self.model, batch)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.model.parameters(), recipe.clip_norm)
        rate = recipe.rate(self.step)
        self._muon.step(recipe.matrix_rate * rate)
        for group in self._adam.param_groups:
            group["lr"] = recipe.vector_rate * rate
        self._adam.step()
        self.step += 1
        return loss.item()

    def state(self) -> dict[str, Tensor]:
        """Return everything that the next step depends on, by name."""
        state = {f"model.{name}": weight for name, weight in self.model.state_dict().items()}
        state |= {f"muon.{index}": momentum for index, momentum in enumerate(self._muon.momenta)}
        for place, memory in self._adam.state_dict()["state"].items():
            state |= {f"adam.{place}.{name}": tensor for name, tensor in memory.items()}
        return state | {"step": torch.tensor(self.step)}

    def take_up(self, state: dict[str, Tensor]) -> None:
        """Go on from a state that ``state`` returned."""
        self.step = int(state["step"])
        weights = {name: state[f"model.{name}"] for name in self.model.state_dict()}
        self.model.load_state_dict(weights)
        for index, momentum in enumerate(self._muon.momenta):
            momentum.copy_(state[f"muon.{index}"])
        adam = self._adam.state_dict()
        for name, tensor in state.items():
            if name.startswith("adam."):
                _, place, what = name.split(".")
                adam["state"].setdefault(int(place), {})[what] = tensor
        self._adam.load_state_dict(adam)


def _loss(model: Llama, batch: Tensor) -> Tensor:
    logits = model(batch[:, :-1])
    return functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
