"""What a head was measured to look at, in words."""

from kvviz.trace.head_kinds import THRESHOLDS, HeadKind, HeadScores

LOOKS_AT = {
    HeadKind.INDUCTION: "to the token that followed the last time this one came up",
    HeadKind.PREVIOUS: "to the token before",
    HeadKind.SINK: "to the first token",
}
NAMES = {
    HeadKind.INDUCTION: "Induction head",
    HeadKind.PREVIOUS: "Previous-token head",
    HeadKind.SINK: "Sink head",
}
NOT_MEASURED = "Only a trained model's heads are measured, when it is loaded."


def kind_sentence(scores: HeadScores, layer: int, head: int) -> str:
    """Say what kind of head it is, how strongly, and how that was measured; empty for no kind."""
    kind = scores.kind(layer, head)
    if kind is None:
        return ""
    score = scores.score(kind, layer, head)
    return (
        f"{NAMES[kind]}, measured: {score:.2f} of its weight goes {LOOKS_AT[kind]}, on average "
        f"over {scores.num_tokens} tokens, a start token and the same random ones twice."
    )


def no_head_reason(scores: HeadScores | None, kind: HeadKind) -> str:
    """Say why there is no head of a kind to go to; empty where there is one."""
    if scores is None:
        return NOT_MEASURED
    if scores.strongest(kind) is None:
        highest, threshold = float(scores.of(kind).max()), THRESHOLDS[kind]
        return f"No head of this model is one: the highest score is {highest:.2f} of {threshold}."
    return ""


def strongest_words(scores: HeadScores, kind: HeadKind) -> str:
    """Name the strongest head of a kind and its score; empty where there is none."""
    found = scores.strongest(kind)
    if found is None:
        return ""
    return f"layer {found[0]}, head {found[1]} ({scores.score(kind, *found):.2f})"
