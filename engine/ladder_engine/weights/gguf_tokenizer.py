"""The tokenizer of a GGUF file, rebuilt from its tokens, their kinds, and its merges or scores."""

from __future__ import annotations

from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from ladder_engine.errors import ModelError
from ladder_engine.weights.gguf_file import GgufFile

_UNKNOWN, _CONTROL, _USER_DEFINED = 2, 3, 4  # llama.cpp's token types

_LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def gguf_tokenizer(file: GgufFile) -> Tokenizer:
    """Raises ModelError if the file has no tokenizer, or one of a kind that is not known."""
    kind = file.metadata.get("tokenizer.ggml.model")
    tokens = file.metadata.get("tokenizer.ggml.tokens")
    builders = {"gpt2": _byte_level, "llama": _sentencepiece}
    if kind not in builders or not tokens:
        raise ModelError(
            f"{file.path}: its tokenizer is {kind!r}, and this engine rebuilds {' and '.join(map(repr, builders))}."
        )
    types = file.metadata.get("tokenizer.ggml.token_type") or [1] * len(tokens)
    try:
        tokenizer = builders[kind](file, tokens, types)
        _add_special(tokenizer, tokens, types)
    except (KeyError, ValueError, TypeError) as error:
        raise ModelError(
            f"{file.path}: its tokenizer makes no sense ({error}); copy the file again."
        ) from None
    begin = file.metadata.get("tokenizer.ggml.bos_token_id")
    default = kind == "llama" or file.metadata.get("tokenizer.ggml.pre") == "llama-bpe"
    if begin is not None and file.metadata.get("tokenizer.ggml.add_bos_token", default):
        token = tokens[begin]
        tokenizer.post_processor = processors.TemplateProcessing(
            single=[token, "$A"], pair=[token, "$A", token, "$B"], special_tokens=[(token, begin)]
        )
    return tokenizer


def _byte_level(file: GgufFile, tokens: list[str], _types: list[int]) -> Tokenizer:
    """Byte-level BPE, as GPT-2's; `tokenizer.ggml.pre` names the rule that cuts text into words first."""
    rule = file.metadata.get("tokenizer.ggml.pre", "gpt-2")
    merges = [tuple(merge.split(" ", 1)) for merge in file.metadata["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(_ids(tokens), merges, fuse_unk=False, ignore_merges=rule == "llama-bpe"))
    whole = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    words: dict[str, Any] = {
        "gpt-2": whole,
        "smollm": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), whole]),
        "llama-bpe": pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(_LLAMA3), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        ),
    }
    if rule not in words:
        raise ModelError(
            f"{file.path}: tokenizer.ggml.pre is {rule!r}, and this engine knows {', '.join(words)}."
        )
    tokenizer.pre_tokenizer = words[rule]
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _sentencepiece(file: GgufFile, tokens: list[str], types: list[int]) -> Tokenizer:
    """SentencePiece BPE with bytes for what is not in the vocabulary; the merges follow from the scores."""
    ids = _ids(tokens)
    scores = file.metadata["tokenizer.ggml.scores"]
    merges = [
        (scores[ids[token]], token[:cut], token[cut:])
        for token in tokens
        for cut in range(1, len(token))
        if token[:cut] in ids and token[cut:] in ids
    ]
    merges.sort(key=lambda merge: -merge[0])
    unknown = next((token for token, kind in zip(tokens, types, strict=True) if kind == _UNKNOWN), None)
    tokenizer = Tokenizer(
        models.BPE(ids, [merge[1:] for merge in merges], unk_token=unknown, fuse_unk=True, byte_fallback=True)
    )
    prefix = file.metadata.get("tokenizer.ggml.add_space_prefix", True)
    steps = [normalizers.Prepend("▁")] if prefix else []
    tokenizer.normalizer = normalizers.Sequence([*steps, normalizers.Replace(" ", "▁")])
    strip = [decoders.Strip(" ", 1, 0)] if prefix else []
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), *strip]
    )
    return tokenizer


def _ids(tokens: list[str]) -> dict[str, int]:
    return {token: index for index, token in enumerate(tokens)}


def _add_special(tokenizer: Tokenizer, tokens: list[str], types: list[int]) -> None:
    def of(*kinds: int) -> list[str]:
        return [token for token, kind in zip(tokens, types, strict=True) if kind in kinds]

    tokenizer.add_special_tokens(
        [AddedToken(t, special=True, normalized=False) for t in of(_UNKNOWN, _CONTROL)]
    )
    tokenizer.add_tokens([AddedToken(t, special=False, normalized=False) for t in of(_USER_DEFINED)])
