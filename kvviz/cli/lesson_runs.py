"""A lesson's runs, made without a window."""

from kvviz.cli import headless
from kvviz.engine.devices import device_named
from kvviz.engine.folder import has_built_in, open_built_in
from kvviz.engine.generate import Generation
from kvviz.engine.shared_pool import SharedPool
from kvviz.engine.tokenizer import build_tokenizer, further_ids
from kvviz.lessons.lesson import Lesson
from kvviz.lessons.run_wish import RunWish
from kvviz.model.transformer import Transformer
from kvviz.session.settings import Settings
from kvviz.sizing.dtypes import DType
from kvviz.trace.config import ModelSpec, RunConfig
from kvviz.trace.trace import Trace


def usual_settings() -> Settings:
    """Return a fresh playground's: with the built-in model where it is shipped."""
    return Settings().with_model(open_built_in().choice) if has_built_in() else Settings()


class LessonRuns:
    """Records runs to their ends; the model last used is kept for the next one."""

    def __init__(self, usual: Settings | None = None) -> None:
        self._usual = usual or usual_settings()
        self._shared = SharedPool()
        self._model: tuple[ModelSpec, DType, Transformer] | None = None

    def record(self, lesson: Lesson) -> dict[str, Trace]:
        """Return every run of a lesson by its name; raise InputError where one cannot be made."""
        return {name: self._record(wish) for name, wish in lesson.runs.items()}

    def _record(self, wish: RunWish) -> Trace:
        settings = wish.settings(self._usual)
        tokenizer = build_tokenizer(settings.tokenizer, settings.tokenizer_path)
        config = settings.to_config(*map(tokenizer.encode, settings.prompts))
        trace = Trace(config)
        model = self._model_of(config)
        store = self._shared.store_for(config, device_named(config.device))
        generation = Generation(config, model, tokenizer, store=store)
        for turn in (None, *wish.turns):
            if turn is not None:
                generation.extend(turn.max_new_tokens, further_ids(tokenizer, turn.text))
            for step, arrays in generation.run():
                trace.append(step, arrays)
        generation.release()
        return trace

    def _model_of(self, config: RunConfig) -> Transformer:
        if self._model is None or self._model[:2] != (config.model, config.dtype):
            self._model = (config.model, config.dtype, headless.load(config))
        return self._model[2]
