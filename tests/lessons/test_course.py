import re

import pytest

from kvviz.lessons.course import all_lessons, find_lesson
from kvviz.lessons.template import BRACES
from kvviz.sizing.errors import InputError

LESSONS = all_lessons()
MOST_WORDS, MOST_IN_A_SENTENCE = 46, 30
MOST_SENTENCES, SHORT = 2, 32  # three are allowed where they are short
SENTENCE_END = re.compile(r"[.?!](?=\s|\)|$)")


def test_they_come_by_number():
    numbers = [lesson.number for lesson in LESSONS]
    assert numbers == sorted(set(numbers))
    assert len({lesson.name for lesson in LESSONS}) == len(LESSONS)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_each_is_short(lesson):
    assert 5 <= len(lesson.steps) <= 14
    assert lesson.summary
    for step in lesson.steps:
        plain = BRACES.sub("figure", step.text).replace("*", "")
        words, sentences = len(plain.split()), len(SENTENCE_END.findall(plain))
        assert words <= MOST_WORDS, plain
        assert sentences <= MOST_SENTENCES + (words <= SHORT), plain
        for sentence in re.split(r"[.:;?!]\s", plain):
            assert len(sentence.split()) <= MOST_IN_A_SENTENCE, sentence
        elsewhere = "{example_" in step.text  # about a model that is not on screen
        assert bool(step.scenery.points) != elsewhere, f"line {step.line} points at nothing"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_numbers_come_from_the_run(lesson):
    """A digit in a text stands in braces; what is left is the same on every machine."""
    for step in lesson.steps:
        assert not re.search(r"\d+(\.\d+)? (ms|[KMG]iB|tokens/s)", BRACES.sub("", step.text))


@pytest.mark.parametrize("name", ["prefill-and-decode", "3", "03", " Prefill-and-Decode "])
def test_one_is_found_by_name_or_number(name):
    assert find_lesson(name, LESSONS).number == 3


def test_one_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="no lesson 'flying': choose a number or one of one-token"):
        find_lesson("flying", LESSONS)
