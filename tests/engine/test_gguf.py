"""GGUF files: values against gguf's own dequantize and a reading of the format by hand, models against transformers."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as Kind
from ladder_engine.errors import ModelError
from ladder_engine.model import Decoder
from ladder_engine.tokenizer import Tokenizer
from ladder_engine.weights.gguf_file import KINDS, GgufFile
from ladder_kernels.dispatch import choose
from safetensors.numpy import load_file

from tests.engine.checkpoints import TEXT, write_checkpoint
from tests.engine.test_model import PROMPTS, paged_logits

CPU = torch.device("cpu")
ROWS, COLUMNS = 3, 512
BLOCK_BYTES = {"F32": 4, "F16": 2, "BF16": 2, "Q8_0": 34, "Q4_0": 18, "Q4_1": 20, "Q4_K": 144, "Q6_K": 210}
BLOCK_VALUES = {"F32": 1, "F16": 1, "BF16": 1, "Q8_0": 32, "Q4_0": 32, "Q4_1": 32, "Q4_K": 256, "Q6_K": 256}


def half(raw: bytes) -> float:
    return float(struct.unpack("<e", raw)[0])


def by_hand(kind: str, raw: bytes) -> Iterator[float]:
    """The values of one block, from the description of ggml's block types."""
    if kind == "F32":
        yield struct.unpack("<f", raw)[0]
    elif kind == "F16":
        yield half(raw)
    elif kind == "BF16":
        yield struct.unpack("<f", b"\0\0" + raw)[0]
    elif kind == "Q8_0":
        yield from (half(raw[:2]) * quant for quant in struct.unpack("<32b", raw[2:]))
    elif kind == "Q4_0":
        quants = [byte & 15 for byte in raw[2:]] + [byte >> 4 for byte in raw[2:]]
        yield from (half(raw[:2]) * (quant - 8) for quant in quants)
    elif kind == "Q4_1":
        quants = [byte & 15 for byte in raw[4:]] + [byte >> 4 for byte in raw[4:]]
        yield from (half(raw[:2]) * quant + half(raw[2:4]) for quant in quants)
    elif kind == "Q4_K":
        scale, least, packed, quants = half(raw[:2]), half(raw[2:4]), raw[4:16], raw[16:]
        for part in range(8):
            if part < 4:
                step, offset = packed[part] & 63, packed[part + 4] & 63
            else:
                step = packed[part + 4] & 15 | packed[part - 4] >> 6 << 4
                offset = packed[part + 4] >> 4 | packed[part] >> 6 << 4
            for byte in quants[part // 2 * 32 : part // 2 * 32 + 32]:
                yield scale * step * (byte >> 4 if part % 2 else byte & 15) - least * offset
    else:
        low, high, steps, scale = (
            raw[:128],
            raw[128:192],
            struct.unpack("<16b", raw[192:208]),
            half(raw[208:]),
        )
        for place in range(256):
            side, quarter, column = place // 128, place % 128 // 32, place % 32
            nibble = low[side * 64 + (quarter % 2) * 32 + column] >> (4 if quarter > 1 else 0) & 15
            quant = nibble | (high[side * 32 + column] >> 2 * quarter & 3) << 4
            yield scale * steps[place // 16] * (quant - 32)


def random_blocks(kind: str) -> np.ndarray:
    """Rows of random blocks whose scales are small numbers."""
    rng = np.random.default_rng(5)
    blocks = rng.integers(0, 256, (ROWS, COLUMNS // BLOCK_VALUES[kind], BLOCK_BYTES[kind]), dtype=np.uint8)
    scales = {
        "F32": [],
        "F16": [0],
        "BF16": [],
        "Q8_0": [0],
        "Q4_0": [0],
        "Q4_1": [0, 2],
        "Q4_K": [0, 2],
        "Q6_K": [208],
    }
    for at in scales[kind]:
        values = rng.normal(size=blocks.shape[:2]).astype("<f2")
        blocks[..., at : at + 2] = values[..., None].view(np.uint8)
    if kind in ("F32", "BF16"):
        blocks = (
            rng.normal(size=blocks.shape[:2])
            .astype("<f4")[..., None]
            .view(np.uint8)[..., -BLOCK_BYTES[kind] :]
        )
    return np.ascontiguousarray(blocks).reshape(ROWS, -1)


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_what_the_format_says(tmp_path: Path, kind: str) -> None:
    raw = random_blocks(kind)
    writer = gguf.GGUFWriter(tmp_path / "m.gguf", "llama")
    writer.add_tensor("before", np.ones(5, np.float32))
    typed = raw.view({"F32": "<f4", "F16": "<f2"}.get(kind, np.uint8))
    writer.add_tensor("weight", typed, raw_dtype=Kind[kind])
    write(writer)
    values = GgufFile(tmp_path / "m.gguf").read("weight")
    assert values.shape == (ROWS, COLUMNS)
    assert values.dtype == np.float32
    np.testing.assert_array_equal(values, gguf.dequantize(typed, Kind[kind]))
    size = BLOCK_BYTES[kind]
    expected = [
        value for at in range(0, raw.size, size) for value in by_hand(kind, raw.tobytes()[at : at + size])
    ]
    np.testing.assert_allclose(values.reshape(-1), expected, rtol=1e-6, atol=1e-6)


def write(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


NAMES = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
IN_LAYER = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
            "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
            "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}  # fmt: skip


def llama_cpp_rows(weight: np.ndarray, heads: int) -> np.ndarray:
    """What llama.cpp's converter does to q and k: the two halves of each head are interleaved."""
    size = len(weight) // heads
    order = [head * size + half * (size // 2) + pair
             for head in range(heads) for pair in range(size // 2) for half in range(2)]  # fmt: skip
    return weight[order]


def to_gguf(folder: Path, path: Path, kind: str = "F32", **metadata: Any) -> Path:
    """A GGUF file of a tiny Hugging Face folder, as llama.cpp's converter writes it."""
    config = json.loads((folder / "config.json").read_text())
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_vocab_size(config["vocab_size"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_rope_freq_base(config["rope_theta"])
    writer.add_rope_dimension_count(config["head_dim"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    tokenizer = json.loads((folder / "tokenizer.json").read_text())["model"]
    tokens = sorted(tokenizer["vocab"], key=tokenizer["vocab"].__getitem__)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(metadata.pop("pre", "gpt-2"))
    writer.add_token_list(tokens)
    writer.add_token_types([3 if token.startswith("<|") else 1 for token in tokens])
    writer.add_token_merges([" ".join(merge) for merge in tokenizer["merges"]])
    writer.add_eos_token_id(config["eos_token_id"])
    for key, value in metadata.items():
        writer.add_key_value(key, value, gguf.GGUFValueType.get_type(value))
    for name, values in load_file(folder / "model.safetensors").items():
        stem, _, suffix = name.rpartition(".")
        if stem in NAMES:
            ours = f"{NAMES[stem]}.{suffix}"
        else:
            _, _, layer, part = stem.split(".", 3)
            ours = f"blk.{layer}.{IN_LAYER[part]}.{suffix}"
        if ".attn_q." in ours or ".attn_k." in ours:
            heads = config["num_attention_heads" if ".attn_q." in ours else "num_key_value_heads"]
            values = llama_cpp_rows(values, heads)
        exact = values.ndim == 1 or kind == "F32"
        writer.add_tensor(
            ours,
            values if exact else gguf.quantize(values, Kind[kind]),
            raw_dtype=None if exact else Kind[kind],
        )
    write(writer)
    return path


def transformers_llama(path: Path, folder: Path) -> Any:
    """transformers' Llama with the weights that its own GGUF loader reads."""
    from transformers import AutoConfig, AutoModelForCausalLM
    from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

    model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder), attn_implementation="eager")
    tensors = load_gguf_checkpoint(path, return_tensors=True, model_to_load=model)["tensors"]
    missing, unexpected = model.load_state_dict(tensors, strict=False)
    assert not unexpected
    assert set(missing) <= {"lm_head.weight"}
    model.tie_weights()
    return model.eval()


@pytest.mark.parametrize("kind", ["F32", "Q8_0", "Q4_1"])
@pytest.mark.parametrize("tied", [True, False])
def test_a_llama_file_gives_transformers_logits(tmp_path: Path, kind: str, tied: bool) -> None:
    folder = write_checkpoint(
        tmp_path / "hf", tie_word_embeddings=tied, intermediate_size=64, rope_theta=500.0
    )
    path = to_gguf(folder, tmp_path / "model.gguf", kind)
    theirs = transformers_llama(path, folder)
    for prompt, ours in zip(PROMPTS, paged_logits(path, PROMPTS, 16), strict=True):
        with torch.no_grad():
            expected = theirs(torch.tensor([prompt])).logits[0]
        torch.testing.assert_close(ours, expected, atol=1e-4, rtol=1e-4)
    if kind == "F32":
        for ours, again in zip(
            paged_logits(folder, PROMPTS, 16), paged_logits(path, PROMPTS, 16), strict=True
        ):
            torch.testing.assert_close(ours, again, atol=1e-5, rtol=1e-5)


def test_llama_3s_frequency_factors_are_the_rule_of_its_config(tmp_path: Path) -> None:
    rule = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": 64}  # fmt: skip
    folder = write_checkpoint(tmp_path / "hf", rope_scaling=rule)
    from ladder_kernels.rope_table import rope_table

    plain, scaled = rope_table(8, 2), rope_table(8, 2, scaling=rule)
    factors = (plain[1, 4:].asin() / scaled[1, 4:].asin()).numpy()
    path = to_gguf(write_checkpoint(tmp_path / "plain"), tmp_path / "model.gguf")
    reader = gguf.GGUFReader(path)
    writer = gguf.GGUFWriter(tmp_path / "factors.gguf", "llama")
    for key, field in reader.fields.items():
        if not key.startswith("GGUF.") and key != "general.architecture":
            writer.add_key_value(key, field.contents(), field.types[0], *field.types[1:2])
    writer.add_tensor("rope_freqs.weight", factors)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, tensor.data)
    write(writer)
    for ours, wanted in zip(
        paged_logits(tmp_path / "factors.gguf", PROMPTS, 99), paged_logits(folder, PROMPTS, 99), strict=True
    ):
        torch.testing.assert_close(ours, wanted, atol=1e-4, rtol=1e-4)


def test_the_tokenizer_in_the_file_is_that_of_the_folder(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "hf")
    ours, theirs = Tokenizer.load(to_gguf(folder, tmp_path / "model.gguf")), Tokenizer.load(folder)
    for text in (TEXT, "  two  spaces\n\nand 1234 <|end|> it's", "東京🙂", ""):
        assert ours.encode(text) == theirs.encode(text)
        assert ours.decode(ours.encode(text)) == theirs.decode(theirs.encode(text))


def test_a_sentencepiece_tokenizer_is_rebuilt_from_its_scores(tmp_path: Path) -> None:
    pieces = ["▁", "a", "b", "c", "ab", "bc", "▁ab", "abc", "▁abc"]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *pieces]
    scores = {"ab": -3.0, "bc": -1.0, "▁ab": -4.0, "abc": -2.0, "▁abc": -5.0}
    writer = gguf.GGUFWriter(tmp_path / "m.gguf", "llama")
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([scores.get(token, -100.0) for token in tokens])
    writer.add_token_types([2, 3, 3, *[6] * 256, *[1] * len(pieces)])
    writer.add_bos_token_id(1)
    writer.add_add_bos_token(True)
    write(writer)
    tokenizer = Tokenizer.load(tmp_path / "m.gguf")
    said = [tokens[token] for token in tokenizer.encode("abc ab")]
    assert said == ["<s>", "▁abc", "▁ab"]  # bc joins first: its score is the highest
    assert [tokens[token] for token in tokenizer.encode("é")] == ["<s>", "▁", "<0xC3>", "<0xA9>"]
    assert tokenizer.decode(tokenizer.encode("abc é ab")) == "abc é ab"


def chop(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (lambda path: path.write_bytes(b"PK\3\4" + bytes(60)), ["not a GGUF file"]),
        (lambda path: path.write_bytes(b"GGUF\1\0\0\0" + bytes(60)), ["version 1"]),
        (lambda path: path.write_bytes(b""), ["not a whole GGUF file"]),
        (lambda path: chop(path, 700), ["not a whole GGUF file"]),
        (lambda path: chop(path, path.stat().st_size - 64), ["ends before"]),
        (lambda path: path.unlink(), ["cannot be read"]),
    ],
)
def test_a_broken_file_says_why(tmp_path: Path, break_it: Callable[[Path], object], words: list[str]) -> None:
    path = to_gguf(write_checkpoint(tmp_path / "hf"), tmp_path / "model.gguf")
    break_it(path)
    check_refused(path, words)


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({"llama.expert_count": 8}, ["llama.expert_count is 8"]),
        ({"llama.rope.scaling.type": "yarn"}, ["'yarn'", "'linear'"]),
    ],
)
def test_a_file_that_needs_more_says_what(tmp_path: Path, metadata: dict[str, Any], words: list[str]) -> None:
    check_refused(to_gguf(write_checkpoint(tmp_path / "hf"), tmp_path / "m.gguf", **metadata), words)


def test_other_architectures_and_types_are_named(tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(tmp_path / "m.gguf", "gemma3")
    write(writer)
    check_refused(tmp_path / "m.gguf", ["'gemma3'"])
    path = to_gguf(write_checkpoint(tmp_path / "hf", intermediate_size=64), tmp_path / "model.gguf", "Q5_0")
    check_refused(path, ["Q5_0", "Q4_K"])


def test_an_unknown_rule_of_words_is_named(tmp_path: Path) -> None:
    path = to_gguf(write_checkpoint(tmp_path / "hf"), tmp_path / "model.gguf", pre="klingon")
    with pytest.raises(ModelError, match=r"tokenizer\.ggml\.pre is 'klingon'"):
        Tokenizer.load(path)


def check_refused(path: Path, words: list[str]) -> None:
    with pytest.raises(ModelError) as error:
        Decoder.load(path, choose(CPU, "torch"), CPU, torch.float32)
    for word in [str(path), *words]:
        assert word in str(error.value)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)
