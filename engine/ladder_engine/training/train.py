"""Train the bundled models: a small Llama and its smaller draft, on the project's own lesson text.

    python -m ladder_content text PACK > corpus.txt
    python -m ladder_engine.training.train corpus.txt OUT_DIR

`make models` runs both. A form feed parts the corpus into documents (sections, cards, tickets); every
epoch shuffles them, so that a question is met after many different neighbours. The result is a folder per model in
Hugging Face's layout (config.json, model.safetensors in fp16, tokenizer.json) and training.json, which records the
corpus' hash, the seed, the steps and the last losses. The draft reads only half of the documents, for fewer steps:
a draft that knew everything by heart would agree with its target always and teach nothing about acceptance.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own idiom)
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from torch import Tensor, nn

END = "<|end|>"
VOCAB_SIZE = 2048
TOKENS_PER_STEP = 1024
WINDOWS = (256, 512)  # context lengths met in training, mixed so that long prompts are not strangers


@dataclass(frozen=True)
class Recipe:
    """What tells one bundled model from the other. Sizes in elements, `share` is the part of the corpus it reads.

    Each stage is (steps, highest learning rate), and goes on from the weights that the one before has saved.
    """

    name: str
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    intermediate_size: int
    stages: tuple[tuple[int, float], ...]
    share: float
    seed: int = 20261130


RECIPES = (
    Recipe("ladder-3m", 256, 4, 8, 4, 704, ((3000, 2e-3), (2800, 1.5e-3)), share=1.0),
    Recipe("ladder-draft", 128, 2, 4, 4, 352, ((1200, 2e-3), (2400, 2e-3)), share=0.5),
)


class Block(nn.Module):
    """One decoder layer, with Hugging Face's parameter names."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        hidden, heads, kv_heads = recipe.hidden_size, recipe.num_attention_heads, recipe.num_key_value_heads
        self.head_dim = hidden // heads
        self.input_layernorm = nn.RMSNorm(hidden, eps=1e-5)
        self.post_attention_layernorm = nn.RMSNorm(hidden, eps=1e-5)
        self.self_attn = nn.ModuleDict(
            {
                "q_proj": nn.Linear(hidden, heads * self.head_dim, bias=False),
                "k_proj": nn.Linear(hidden, kv_heads * self.head_dim, bias=False),
                "v_proj": nn.Linear(hidden, kv_heads * self.head_dim, bias=False),
                "o_proj": nn.Linear(heads * self.head_dim, hidden, bias=False),
            }
        )
        self.mlp = nn.ModuleDict(
            {
                "gate_proj": nn.Linear(hidden, recipe.intermediate_size, bias=False),
                "up_proj": nn.Linear(hidden, recipe.intermediate_size, bias=False),
                "down_proj": nn.Linear(recipe.intermediate_size, hidden, bias=False),
            }
        )

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """x [B, T, H] -> [B, T, H]; cos and sin [T, head_dim]."""
        batch, length, hidden = x.shape
        attn, normed = self.self_attn, self.input_layernorm(x)
        q, k, v = (
            attn[name](normed).view(batch, length, -1, self.head_dim).transpose(1, 2)
            for name in ("q_proj", "k_proj", "v_proj")
        )
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + attn["o_proj"](mixed.transpose(1, 2).reshape(batch, length, hidden))
        normed = self.post_attention_layernorm(x)
        gated = F.silu(self.mlp["gate_proj"](normed)) * self.mlp["up_proj"](normed)
        out: Tensor = x + self.mlp["down_proj"](gated)
        return out


class Llama(nn.Module):
    """The dense model that is trained; the engine reads its weights into the paged one."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        self.head_dim = recipe.hidden_size // recipe.num_attention_heads
        self.embed_tokens = nn.Embedding(VOCAB_SIZE, recipe.hidden_size)
        self.layers = nn.ModuleList(Block(recipe) for _ in range(recipe.num_hidden_layers))
        self.norm = nn.RMSNorm(recipe.hidden_size, eps=1e-5)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                depth = (
                    math.sqrt(2 * recipe.num_hidden_layers)
                    if name.endswith(("o_proj.weight", "down_proj.weight"))
                    else 1
                )
                nn.init.normal_(weight, std=0.02 / depth)

    def forward(self, token_ids: Tensor) -> Tensor:
        """token_ids int64 [B, T] -> logits [B, T, vocabulary]; the output layer is tied to the embedding."""
        x = self.embed_tokens(token_ids)
        cos, sin = rope_table(token_ids.shape[1], self.head_dim)
        for layer in self.layers:
            x = layer(x, cos, sin)
        return F.linear(self.norm(x), self.embed_tokens.weight)


def rope_table(length: int, head_dim: int, theta: float = 10_000.0) -> tuple[Tensor, Tensor]:
    """cos and sin, each fp32 [length, head_dim], for the half-split rotation."""
    frequencies = theta ** (-torch.arange(0, head_dim, 2).float() / head_dim)
    angles = torch.outer(torch.arange(length).float(), frequencies).repeat(1, 2)
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary embedding of x [..., T, D]."""
    low, high = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-high, low), dim=-1) * sin


def split_documents(corpus: str) -> list[str]:
    """Cut the corpus at form feeds, the separator that `ladder_content text` writes between documents."""
    return [document.strip() for document in corpus.split("\f") if document.strip()]


def train_tokenizer(documents: list[str]) -> Tokenizer:
    """A byte-level BPE of VOCAB_SIZE tokens that begins every text with END."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(documents, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{END} $A", special_tokens=[(END, tokenizer.token_to_id(END))]
    )
    return tokenizer


def batches(documents: list[list[int]], seed: int) -> Iterator[Tensor]:
    """Endless batches int64 [rows, window + 1]; each is cut from a fresh shuffle of the documents."""
    generator = torch.Generator().manual_seed(seed)
    stream: list[int] = []
    while True:
        window = WINDOWS[int(torch.randint(len(WINDOWS), (), generator=generator))]
        rows = TOKENS_PER_STEP // window
        while len(stream) < rows * (window + 1):
            for index in torch.randperm(len(documents), generator=generator).tolist():
                stream.extend(documents[index])
        taken, stream = stream[: rows * (window + 1)], stream[rows * (window + 1) :]
        yield torch.tensor(taken).view(rows, window + 1)


def train(
    model: Llama, documents: list[list[int]], steps: int, learning_rate: float, seed: int
) -> list[float]:
    """One stage: AdamW with a cosine schedule; returns the loss at every step, in nats a token."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, betas=(0.9, 0.95), weight_decay=0.05)
    warmup = 30

    def scale(step: int) -> float:
        progress = max(0, step - warmup) / (steps - warmup)
        return min(1.0, (step + 1) / warmup) * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * progress)))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, scale)
    losses: list[float] = []
    started = time.monotonic()
    for step, batch in zip(range(steps), batches(documents, seed), strict=False):
        logits = model(batch[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if step % 50 == 0 or step == steps - 1:
            print(f"step {step} loss {losses[-1]:.3f} ({time.monotonic() - started:.0f} s)", flush=True)
    return losses


def hugging_face_config(recipe: Recipe) -> dict[str, object]:
    """config.json as transformers reads it."""
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": VOCAB_SIZE,
        "hidden_size": recipe.hidden_size,
        "intermediate_size": recipe.intermediate_size,
        "num_hidden_layers": recipe.num_hidden_layers,
        "num_attention_heads": recipe.num_attention_heads,
        "num_key_value_heads": recipe.num_key_value_heads,
        "head_dim": recipe.hidden_size // recipe.num_attention_heads,
        "hidden_act": "silu",
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "max_position_embeddings": max(WINDOWS),
        "tie_word_embeddings": True,
        "attention_bias": False,
        "mlp_bias": False,
        "bos_token_id": 0,
        "eos_token_id": 0,
        "torch_dtype": "float16",
    }


def save_weights(folder: Path, model: Llama) -> None:
    """Write model.safetensors, in fp16."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {
        f"model.{name}": weight.detach().half().contiguous() for name, weight in model.state_dict().items()
    }
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def load_weights(folder: Path, model: Llama) -> None:
    """Read what `save_weights` has written."""
    weights = load_file(folder / "model.safetensors")
    model.load_state_dict({name.removeprefix("model."): value.float() for name, value in weights.items()})


def save_rest(folder: Path, recipe: Recipe, tokenizer: Tokenizer, record: dict[str, object]) -> None:
    """Write what belongs to the weights: configuration, tokenizer, and how it was made."""
    (folder / "config.json").write_text(json.dumps(hugging_face_config(recipe), indent=2) + "\n", "utf-8")
    (folder / "training.json").write_text(json.dumps(record, indent=2) + "\n", "utf-8")
    tokenizer.save(str(folder / "tokenizer.json"))


def main(corpus_path: str, out_dir: str, *names: str) -> None:
    """Train the models named (all by default) on the corpus and write each to its own folder below out_dir."""
    corpus = Path(corpus_path).read_text("utf-8")
    texts = split_documents(corpus)
    tokenizer = train_tokenizer(texts)
    # END opens a document and so closes the one before
    documents = [tokenizer.encode(text).ids for text in texts]
    for recipe in RECIPES:
        if names and recipe.name not in names:
            continue
        print(recipe.name)
        folder, seen = Path(out_dir) / recipe.name, documents[:: round(1 / recipe.share)]
        torch.manual_seed(recipe.seed)
        model, losses = Llama(recipe), list[float]()
        for stage, (steps, learning_rate) in enumerate(recipe.stages):
            if stage:
                load_weights(folder, model)
            losses += train(model, seen, steps, learning_rate, recipe.seed + stage)
            save_weights(folder, model)
        record = {
            "recipe": asdict(recipe),
            "corpus_sha256": hashlib.sha256(corpus.encode()).hexdigest(),
            "corpus_bytes": len(corpus.encode()),
            "documents": len(seen),
            "tokens": sum(map(len, seen)),
            "parameters": sum(weight.numel() for weight in model.parameters()),
            "bytes": (folder / "model.safetensors").stat().st_size,
            "first_loss": round(losses[0], 3),
            "last_loss": round(sum(losses[-20:]) / len(losses[-20:]), 3),
            "torch": torch.__version__,
            "end_token_id": tokenizer.token_to_id(END),
        }
        save_rest(folder, recipe, tokenizer, record)


if __name__ == "__main__":
    main(*sys.argv[1:])
