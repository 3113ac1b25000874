"""What stands where a person would answer about files."""


class Answers:
    """Answers every question at once and writes down what was asked; None: cancelled."""

    def __init__(self):
        self.asked = []
        self.path = None
        self.heads = None
        self.as_bytes = None

    def ask_open(self, folder, then):
        self._answer(folder, self.path, then)

    def ask_open_folder(self, folder, then):
        self._answer(folder, self.path, then)

    def ask_text(self, name, can_take_bytes, then):
        self._answer((name, can_take_bytes), self.as_bytes, then)

    def ask_save(self, wish, then):
        self._answer(wish, self.path, then)

    def ask_heads(self, name, shapes, likely, then):
        self._answer((name, list(shapes), likely), self.heads, then)

    def _answer(self, question, answer, then):
        self.asked.append(question)
        if answer is not None:
            then(answer)


class Memory:
    last_folder = ""
