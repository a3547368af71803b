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

    `n` asks for so many answers, each with random numbers of its own. `beam_width` asks for the `n` likeliest answers that a
    beam search of that width finds instead, with `length_penalty` (beam_search.py); it takes no other wish but
    `stop_token_ids` and `ignore_eos`.

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
    n: Annotated[int, msgspec.Meta(ge=1, le=16)] = 1
    beam_width: Annotated[int, msgspec.Meta(ge=0, le=16)] = 0
    length_penalty: Annotated[float, msgspec.Meta(ge=-4.0, le=4.0)] = 1.0
    ignore_eos: bool = False
    stop: Annotated[tuple[StopString, ...], msgspec.Meta(max_length=16)] = ()
    stop_token_ids: Annotated[tuple[TokenId, ...], msgspec.Meta(max_length=64)] = ()

    def __post_init__(self) -> None:
        if not self.beam_width:
            return
        others = (self.temperature, self.logit_bias, self.penalises, self.logprobs is not None, self.stop)
        if any(others):
            raise ValueError(
                "beam_width goes with n, length_penalty, stop_token_ids and ignore_eos only: a beam search takes "
                "the likeliest answers of the model as it is"
            )
        if self.n > self.beam_width:
            raise ValueError(
                f"n is {self.n}, and a beam search of beam_width {self.beam_width} finds no more"
            )

    @property
    def penalises(self) -> bool:
        """Whether the logits depend on what has been said, so that a whole draft cannot be judged at once."""
        return self.repetition_penalty != 1 or bool(self.frequency_penalty or self.presence_penalty)
