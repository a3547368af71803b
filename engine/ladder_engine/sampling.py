"""How one request wants its tokens chosen."""

from __future__ import annotations

from typing import Annotated

import msgspec

StopString = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
TokenId = Annotated[int, msgspec.Meta(ge=0)]
Bias = Annotated[float, msgspec.Meta(ge=-100.0, le=100.0)]
Penalty = Annotated[float, msgspec.Meta(ge=-2.0, le=2.0)]
Fraction = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class SamplingParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Temperature, then top_k, then top_p on the renormalised rest, then min_p.

    `temperature` 0 takes the likeliest token. `top_k` 0, `top_p` 1 and `min_p` 0 switch that filter off. `seed` None
    lets the engine take the request's number, so that a run can be repeated; the tokens of a seeded request depend on
    its own text and seed only, never on its neighbours in the batch.

    `logit_bias` (token id to number), `repetition_penalty` on everything known, `frequency_penalty` and
    `presence_penalty` on the answer change the logits before that (logits.py). `logprobs` n asks for the
    log-probability of each token said and of the n likeliest ones, as the model has them before all this.

    The answer ends before the first of the `stop` strings, and with one of the `stop_token_ids` as it does with an end
    token of the model; `ignore_eos` makes the model's own end tokens ordinary ones.
    """

    temperature: Annotated[float, msgspec.Meta(ge=0.0)] = 0.0
    top_k: Annotated[int, msgspec.Meta(ge=0)] = 0
    top_p: Annotated[float, msgspec.Meta(gt=0.0, le=1.0)] = 1.0
    min_p: Fraction = 0.0
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)] | None = None
    logit_bias: Annotated[dict[TokenId, Bias], msgspec.Meta(max_length=300)] = {}
    repetition_penalty: Annotated[float, msgspec.Meta(gt=0.0, le=10.0)] = 1.0
    frequency_penalty: Penalty = 0.0
    presence_penalty: Penalty = 0.0
    logprobs: Annotated[int, msgspec.Meta(ge=0, le=20)] | None = None
    ignore_eos: bool = False
    stop: Annotated[tuple[StopString, ...], msgspec.Meta(max_length=16)] = ()
    stop_token_ids: Annotated[tuple[TokenId, ...], msgspec.Meta(max_length=64)] = ()

    @property
    def penalises(self) -> bool:
        """Whether the logits depend on what has been said, so that a whole draft cannot be judged at once."""
        return self.repetition_penalty != 1 or bool(self.frequency_penalty or self.presence_penalty)
