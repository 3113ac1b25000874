"""A run of the list in a few words."""

from textwrap import shorten

from kvviz.session.gap_text import gap_text
from kvviz.session.runs import Run, RunState
from kvviz.sizing.units import bytes_text, count_text, ms_text
from kvviz.trace.comparison import Comparison
from kvviz.trace.latency import itl_ns, percentile, ttft_ns

PROMPT_LETTERS = 60


def state_words(run: Run) -> str:
    """Say how far a run is, or how it ended where that was not at its planned end."""
    if run.state is RunState.LOADING:
        if run.loading is None:
            return "loading the model"
        done, total = map(bytes_text, run.loading)
        return f"loading {done} of {total}"
    if run.state is RunState.RUNNING:
        return f"running: {run.trace.seq_len:,} of {count_text(run.planned_tokens - 1, 'token')}"
    if run.state is RunState.FAILED:
        return f"failed: {run.message}"
    return "stopped" if run.state is RunState.CANCELLED else ""


def asked_words(run: Run) -> str:
    """Say what was asked for beyond the label, so that two runs of one label can be told apart."""
    config = run.config
    text = " ".join((config.prompt_text or "").split())
    prompt = f"Prompt: {shorten(text, PROMPT_LETTERS, placeholder='…')}. " if text else ""
    new = count_text(config.max_new_tokens, "new token")
    return (
        f"{prompt}{len(config.prompt_ids):,} prompt + {new}, limit "
        f"{config.max_seq_len:,}, head size {config.model.shape.head_dim}, batch {config.batch}"
    )


def figure_words(run: Run) -> tuple[str, ...]:
    """Return what a run measured, the most telling figure first; nothing before its first step."""
    trace = run.trace
    if not len(trace):
        return ()
    itl, ttft = percentile(itl_ns(trace), 50), ttft_ns(trace)
    return (
        *(() if itl is None else (f"ITL {ms_text(itl)}",)),
        bytes_text(trace.steps[-1].measured.used),
        *(() if ttft is None else (f"TTFT {ms_text(ttft)}",)),
    )


def verdict(proof: Comparison, shown: Run, reference: Run) -> tuple[bool, str]:
    """Return whether two runs said the same as far as both go, and that in words."""
    if proof.first_difference is None:
        return True, "✓ same tokens"
    common = min(len(shown.trace.generated_ids), len(reference.trace.generated_ids))
    if proof.first_difference == common:
        return True, f"✓ same first {count_text(common, 'token')}"
    return False, f"✗ differs at token {proof.first_difference + 1:,}"


def gap_words(proof: Comparison) -> str:
    """Say the largest logit gap."""
    if proof.max_logit_gap is None:
        return "no finite logits to compare"
    return f"logit gap {gap_text(proof.max_logit_gap)}"


def proof_sentence(shown: Run, reference: Run) -> str:
    """Say what was compared."""
    return (
        f"Run {shown.run_id} ({shown.label}) against run {reference.run_id} ({reference.label}): "
        "the tokens that each chose for the same prompt, as far as both go, and the largest "
        "absolute difference of their logits up to the first token that differs."
    )
