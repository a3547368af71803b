"""How a technical text is read aloud, and where its sentences end. No Qt.

A voice stumbles over `max_num_seqs`, `GB/s`, `≤` and `α`; here they become words that a lecturer would say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_PREFIXES = {"": "", "k": "kilo", "K": "kilo", "M": "mega", "G": "giga", "T": "tera", "P": "peta"}
_BINARY = {"Ki": "kibi", "Mi": "mebi", "Gi": "gibi", "Ti": "tebi"}
_UNITS = {
    **{f"{short}B": f"{long}bytes" for short, long in (_PREFIXES | _BINARY).items()},
    **{f"{short}b": f"{long}bits" for short, long in _PREFIXES.items() if short},
    **{f"{short}{flop}": f"{long}flops" for short, long in _PREFIXES.items() for flop in ("FLOP", "FLOPs")},
    **{f"{short}{one}": f"{long}hertz" for short, long in _PREFIXES.items() for one in ("Hz",)},
    "s": "seconds",
    "ms": "milliseconds",
    "µs": "microseconds",
    "μs": "microseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
    "min": "minutes",
    "h": "hours",
    "req": "requests",
    "tok": "tokens",
    "W": "watts",
    "kW": "kilowatts",
}
_PER = {
    "s": "second",
    "B": "byte",
    "h": "hour",
    "tok": "token",
    "token": "token",
    "step": "step",
    "GPU": "GPU",
}
_CERTAIN = {unit for unit in _UNITS if len(unit) > 2 or unit in ("GB", "MB", "TB", "KB", "ms")} - {
    "min",
    "req",
    "tok",
}
_PARTS = {"num": "number of", "seqs": "sequences", "seq": "sequence", "reqs": "requests", "cfg": "config"}
_GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "θ": "theta",
    "λ": "lambda",
    "μ": "mu",
    "π": "pi",
    "ρ": "rho",
    "σ": "sigma",
    "φ": "phi",
    "ω": "omega",
}
_SYMBOLS = {
    "→": " to ",
    "←": " from ",
    "×": " times ",
    "≈": " about ",
    "~": " about ",
    "≤": " at most ",
    "≥": " at least ",
    "±": " plus or minus ",
    "≠": " is not ",
    "∞": " infinity ",
    "√": " the square root of ",
    "∑": " the sum of ",
    "…": ", ",
    "²": " squared",
    "³": " cubed",
    "₀": " nought",
    "✓": "Right: ",
    "✗": "Wrong: ",
    "●": "",
    "○": "",
}
_SPELLED = ("TPOT", "ITL", "SLO", "MoE", "EP", "EPLB", "AWQ", "TGI")
_NAMES = {  # what a voice would make a teapot of
    **{name: " ".join(name.upper()) for name in _SPELLED},
    **{f"{name}s": f"{' '.join(name.upper())}s" for name in _SPELLED},
    "RoPE": "rope",
    "LoRA": "Lora",
    "LLaMA": "llama",
    "Qwen": "Kwen",
    "Qwen2": "Kwen 2",
    "Qwen3": "Kwen 3",
    "OSDI": "O S D I",
    "ONNX": "onyx",
    "PCIe": "P C I express",
    "HiCache": "high cache",
    "GPUS": "GPUs",
}
_OPERATORS = (  # in formulas and code; longer ones first
    ("//", " divided, rounded down, by "),
    ("**", " to the power of "),
    ("<=", " at most "),
    (">=", " at least "),
    ("==", " equals "),
    ("!=", " is not "),
    ("^", " to the power of "),
    ("*", " times "),
    ("·", " times "),
    ("/", " over "),
    ("+", " plus "),
    (" - ", " minus "),
    ("−", " minus "),
    ("%", " modulo "),
    ("=", " equals "),
    ("<", " less than "),
    (">", " greater than "),
)
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\{([^{}]*)\}")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_COMMANDS = {
    "cdot": "times",
    "times": "times",
    "le": "at most",
    "leq": "at most",
    "ge": "at least",
    "geq": "at least",
    "approx": "about",
    "to": "to",
    "sum": "the sum of",
    "left": "",
    "right": "",
    "lceil": "the ceiling of",
    "rceil": "",
    "lfloor": "the floor of",
    "rfloor": "",
    "text": "",
    "mathrm": "",
    "dots": "and so on",
    "ldots": "and so on",
    "cdots": "and so on",
}
_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_MEASURE = re.compile(
    rf"(?P<number>{_NUMBER})[ \u00a0]?(?P<unit>{'|'.join(sorted(map(re.escape, _UNITS), key=len, reverse=True))})"
    rf"(?:/(?P<per>{'|'.join(_PER)}))?(?![\w/])"
)
_RATE = re.compile(
    rf"(?<![\w/])(?P<unit>{'|'.join(sorted(map(re.escape, _UNITS), key=len, reverse=True))}|tokens|requests)"
    rf"/(?P<per>{'|'.join(_PER)})(?![\w/])"
)
_LONE = re.compile(rf"(?<![\w/])(?:{'|'.join(sorted(_CERTAIN, key=len, reverse=True))})(?![\w/])")
_BILLIONS = re.compile(rf"(?<![\w.])({_NUMBER})B(?![\w/])")
_RANGE = re.compile(r"(?<=\d)\s?[–-]\s?(?=\d)")
_FLAG = re.compile(r"(?<![\w-])--([a-z0-9]+(?:[-_][a-z0-9]+)*)")
_SNAKE = re.compile(r"\b\w+(?:_\w+)+\b")
_SLASHED = re.compile(r"(?<=[A-Za-z])/(?=[A-Za-z])")
_END = re.compile(r"[.!?…]+[\"”’)\]]*(?=\s+[\"“(\[]?[A-Z0-9`\-–]|\s*$)")
_NAME = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(_NAMES, key=len, reverse=True))})(?!\w)")
_SPACE = re.compile(r"\s+(?=[,.;:!?)])|(?<=\()\s+")
_NO_END = re.compile(r"(?:\b(?:e\.g|i\.e|vs|cf|Fig|Eq|No|approx|etc|Dr)|\b[A-Z])\.$")


def spoken(text: str) -> str:
    """Return a piece of running text as it is said."""
    text = _BILLIONS.sub(r"\1 billion", text)
    text = _MEASURE.sub(_measure, text)
    text = _RATE.sub(
        lambda match: f"{_UNITS.get(match['unit'], match['unit'])} per {_PER[match['per']]}", text
    )
    text = _LONE.sub(lambda match: _UNITS[match[0]], text)
    text = _RANGE.sub(" to ", text)
    text = text.replace("%", " percent")
    text = re.sub(r"\s[-–—]\s", ", ", text)
    text = re.sub(r"(?<=\s)=(?=\s)", "equals", text)
    return _words(text)


def spoken_code(text: str) -> str:
    """Return a formula, a flag or a name in code as it is said."""
    text = _FLAG.sub(lambda match: f"flag {_name(match[1])}", text)
    for sign, words in _OPERATORS:
        text = text.replace(sign, words)
    text = re.sub(r"(\w)\[(.*?)\]", r"\1 at \2", text)
    return _words(text)


def spoken_tex(tex: str) -> str:
    """Return a formula written in TeX as it is said, as far as plain formulas go."""
    for _ in range(8):  # from the innermost braces outwards
        tex, found = _FRACTION.subn(r" (\1) over (\2) ", tex)
        tex, more = _ROOT.subn(r" the square root of \1 ", tex)
        if not found + more:
            break
    tex = _COMMAND.sub(lambda match: f" {_COMMANDS.get(match[1], match[1])} ", tex)
    tex = tex.replace("_", " ").replace("{", "(").replace("}", ")").replace("\\", " ")
    said = spoken_code(re.sub(r"\(\s*([^\s()]+)\s*\)", r"\1", tex))
    return said.replace(" - ", " minus ")


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each sentence of a paragraph begins and ends; spaces between them belong to none."""
    start = 0
    for match in _END.finditer(text):
        if _NO_END.search(text[start : match.end()]):
            continue
        yield from _stretch(text, start, match.end())
        start = match.end()
    yield from _stretch(text, start, len(text))


def _stretch(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    inner = piece.strip()
    if inner:
        begin = start + piece.index(inner)
        yield begin, begin + len(inner)


def _measure(match: re.Match[str]) -> str:
    unit = _UNITS[match["unit"]]
    if match["number"] == "1" and unit.endswith("s"):
        unit = unit[:-1]
    per = f" per {_PER[match['per']]}" if match["per"] else ""
    return f"{match['number']} {unit}{per}"


def _words(text: str) -> str:
    text = _FLAG.sub(lambda match: f"flag {_name(match[1])}", text)
    text = _SNAKE.sub(lambda match: _name(match[0]), text)
    text = _SLASHED.sub(" ", text)
    text = _NAME.sub(lambda match: _NAMES[match[0]], text)
    for sign, words in (_SYMBOLS | _GREEK).items():
        text = text.replace(sign, words if sign not in _GREEK else f" {words} ")
    return _SPACE.sub("", " ".join(text.split()))


def _name(name: str) -> str:
    return " ".join(_PARTS.get(part, part) for part in re.split(r"[-_]+", name) if part)
