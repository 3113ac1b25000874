"""The door: arguments to a window or a command; --version and --help touch no large library."""

import os
import sys
from argparse import Namespace
from collections.abc import Callable

from kvviz.cli import options
from kvviz.cli.parser import Parser
from kvviz.sizing.errors import InputError

BAD_INPUT, INTERRUPTED, OWN_FAULT = 2, 130, 1


def main(argv: list[str] | None = None) -> int:
    """Do what the arguments ask; return the exit code.

    0 well, 1 a fault of kvviz, 2 input that cannot be used, 130 stopped by Ctrl+C.
    """
    try:
        code = _answer(sys.argv[1:] if argv is None else argv)
        if sys.stdout is not None:  # closed, or a start without a console
            sys.stdout.flush()
    except InputError as error:
        return _fail(str(error), BAD_INPUT)
    except KeyboardInterrupt:
        return _fail("stopped.", INTERRUPTED)
    except OSError as error:
        return _output_failed(error)
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        return _fail(_report(error), OWN_FAULT)
    return code


def _answer(argv: list[str]) -> int:
    try:
        return _dispatch(argv)
    except SystemExit as finished:  # argparse has printed its help
        return finished.code if isinstance(finished.code, int) else 0


def _dispatch(argv: list[str]) -> int:
    commands: dict[str, tuple[Callable[[], Parser], Callable[[Namespace], int]]] = {
        "run": (options.run_parser, _run),
        "compare": (options.compare_parser, _compare),
        "calc": (_calc_parser, _calc),
        "lessons": (options.lessons_parser, _lessons),
        "bench": (options.bench_parser, _bench),
    }
    if argv and argv[0] in commands:
        build_parser, do = commands[argv[0]]
        return do(build_parser().read(argv[1:]))
    return _window(options.window_parser().read(argv))


def _window(args: Namespace) -> int:
    if args.version:
        from kvviz import __version__

        print(f"kvviz {__version__}")
        return 0
    if args.info:
        from kvviz.cli.info import print_info

        return print_info()
    options.check_picture_options(args)
    if args.file is not None:
        _check_file(args.file)
    if args.lesson is not None:
        _check_lesson(args.lesson)
    if args.screenshot is not None:
        from kvviz.cli.screenshot import take_screenshot
        from kvviz.trace.atomic import check_target

        check_target(args.screenshot)
        return take_screenshot(args)
    from kvviz.cli.window import open_window

    return open_window(args.file, args.lesson)


def _run(args: Namespace) -> int:
    from kvviz.cli.run import run

    return run(args)


def _compare(args: Namespace) -> int:
    from kvviz.cli.compare import compare

    return compare(args)


def _lessons(args: Namespace) -> int:
    from kvviz.cli.lessons import lessons

    return lessons(args)


def _calc_parser() -> Parser:
    from kvviz.cli.calc_options import calc_parser

    return calc_parser()


def _calc(args: Namespace) -> int:
    from kvviz.cli.calc import calc

    return calc(args)


def _bench(args: Namespace) -> int:
    from kvviz.cli.bench import run_bench

    return run_bench(args)


def _check_lesson(name: str) -> None:
    """Raise InputError for what is no lesson, before a window opens for it."""
    from kvviz.lessons.course import all_lessons, find_lesson

    find_lesson(name, all_lessons())


def _check_file(path: str) -> None:
    """Raise InputError for what cannot be opened, before a window opens for it."""
    from kvviz.ui.found import check_path

    if not os.path.exists(path) and os.path.basename(path) == path:
        commands = ", ".join(options.COMMANDS)
        raise InputError(f"{path!r} is no file here and no command ({commands}): check the name.")
    check_path(path)


def _output_failed(error: OSError) -> int:
    # The interpreter flushes once more at its end, and would fail once more.
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):  # whoever read our output has enough
        return OWN_FAULT
    what = error.filename or "The output"
    return _fail(f"{what} could not be written or read, {error.strerror}.", BAD_INPUT)


def _fail(message: str, code: int) -> int:
    print(f"kvviz: {message}", file=sys.stderr)
    return code


def _report(error: Exception) -> str:
    return (
        f"a fault of kvviz, {type(error).__name__}: {' '.join(str(error).split())}; "
        "run it again with python -X dev -m kvviz to see where."
    )
