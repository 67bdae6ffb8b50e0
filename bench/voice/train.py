"""Trains the network of our own voice detector on the scenes of bench/voice-fit.ts and writes its weights.

    python3 bench/voice/train.py FOLDER first.bin
    python3 bench/voice/train.py FOLDER actors/transcriber/voice/own-weights.bin --start first.bin --passes 3 --rate 1e-3 --quiet 1.25

The second part goes on from the first one's weights with more birds and talk. It writes weights half way between those and the
mean of its own last ones: those alone missed more talk. Needs torch (1.13 is enough) and numpy, both packages of Debian. Not
part of set-up: the trained file is committed. The same seed gives the same weights on the same machine; ten to thirty minutes
on one core, and three for the second part.
"""
import argparse
import copy
import json
import math
import os
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Scenes:
    """All scenes of some sets: frames [N, T, F], labels [N, T], the kind of each."""

    def __init__(self, folder, *names):
        kinds = []
        for name in names:
            with open(os.path.join(folder, name + ".json")) as file:
                told = json.load(file)
            kinds += told["kinds"]
        self.kinds = np.array(kinds)
        self.values, self.state, self.ahead = told["frameValues"], told["stateValues"], told["lookAhead"]
        paths = [os.path.join(folder, name) for name in names]
        frames = np.concatenate([np.fromfile(path + ".frames", dtype="<f4") for path in paths])
        labels = np.concatenate([np.fromfile(path + ".labels", dtype=np.uint8) for path in paths])
        self.frames = torch.from_numpy(frames.reshape(len(self.kinds), -1, self.values))
        self.labels = torch.from_numpy(labels.reshape(len(self.kinds), -1).astype(np.float32))

    def batch(self, places):
        """Frames [T + ahead, B, F], labels [T, B]; beyond its end a scene is as its last frame."""
        frames = self.frames[places].transpose(0, 1)
        return torch.cat([frames, frames[-1:].expand(self.ahead, -1, -1)]), self.labels[places].T


class Network(nn.Module):
    def __init__(self, values, state):
        super().__init__()
        self.gates = nn.GRU(values, state)
        self.result = nn.Linear(state, 1)

    def forward(self, frames, ahead):
        """Logits [T, B] of frames [T + ahead, B, F]."""
        return self.result(self.gates(frames)[0][ahead:])[..., 0]

    def flat(self):
        """All weights in the order that actors/transcriber/voice/network.ts reads."""
        gates = self.gates
        rows = [gates.weight_ih_l0, gates.weight_hh_l0, gates.bias_ih_l0[:, None], gates.bias_hh_l0[:, None]]
        parts = [torch.cat(rows, 1), self.result.weight, self.result.bias]
        return torch.cat([part.reshape(-1) for part in parts]).detach().numpy().astype("<f4")

    @torch.no_grad()
    def take(self, flat):
        """Sets all weights, in the same order."""
        gates = self.gates
        values, state = gates.weight_ih_l0.shape[1], gates.hidden_size
        rows, result = torch.from_numpy(flat).split([len(flat) - state - 1, state + 1])
        of_gates = [gates.weight_ih_l0, gates.weight_hh_l0, gates.bias_ih_l0[:, None], gates.bias_hh_l0[:, None]]
        for weights, part in zip(of_gates, rows.reshape(3 * state, -1).split([values, state, 1, 1], 1)):
            weights.copy_(part)
        self.result.weight.copy_(result[None, :-1])
        self.result.bias.copy_(result[-1:])

    @torch.no_grad()
    def approach(self, other, share):
        """Moves all weights by a share of the way to another's."""
        for mine, its in zip(self.parameters(), other.parameters()):
            mine.lerp_(its, share)


def tell(network, scenes):
    """The share of frames heard as speech, of those with speech and of those without, by kind."""
    hits = {}
    with torch.no_grad():
        for first in range(0, len(scenes.kinds), 16):
            places = torch.arange(first, min(first + 16, len(scenes.kinds)))
            frames, labels = scenes.batch(places)
            found = (network(frames, scenes.ahead) > 0).float()
            for at, place in enumerate(places):
                sums = hits.setdefault(scenes.kinds[place], np.zeros(4))
                speech = labels[:, at] > 0
                sums += [found[speech, at].sum(), speech.sum(), found[~speech, at].sum(), (~speech).sum()]
    for kind, (right, spoken, wrong, silent) in sorted(hits.items()):
        print(f"  {kind}: {100 * right / max(1, spoken):.1f} % of speech, {100 * wrong / silent:.1f} % of the rest", flush=True)


def endless(count, size):
    """Batches of places, every place once before any comes again."""
    while True:
        yield from torch.randperm(count).split(size)


def train(scenes, begun, aside, aside_begun, options):
    torch.manual_seed(options.seed)
    network = Network(scenes.values, scenes.state)
    if options.start:
        network.take(np.fromfile(options.start, dtype="<f4"))
    start, mean = copy.deepcopy(network), copy.deepcopy(network)
    optimiser = torch.optim.AdamW(network.parameters(), lr=options.rate, weight_decay=1e-3)
    count = len(scenes.kinds)
    steps = options.passes * math.ceil(count / options.batch)
    done = 0
    # Sound that is no speech counts more: a film has hours of it.
    extra = torch.where(scenes.labels.any(dim=1), torch.tensor(1.0), torch.tensor(options.quiet))
    # Short scenes of how files begin go along, about as many seconds of them as options.begun says.
    short = math.ceil(options.begun * options.batch * scenes.labels.shape[1] / begun.labels.shape[1])
    beginnings = endless(len(begun.kinds), short)
    for number in range(options.passes):
        started, losses = time.time(), []
        for places in torch.randperm(count).split(options.batch):
            for group in optimiser.param_groups:
                warm = min(1, (done + 1) / (20 if options.start else 50))
                group["lr"] = warm * options.rate * (0.02 + 0.49 * (1 + math.cos(math.pi * done / steps)))
            frames, labels = scenes.batch(places)
            loss = F.binary_cross_entropy_with_logits(network(frames, scenes.ahead), labels, weight=extra[places][None])
            frames, labels = begun.batch(next(beginnings))
            loss = loss + options.begun * F.binary_cross_entropy_with_logits(network(frames, begun.ahead), labels)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            losses.append(loss.item())
            done += 1
            # Of about the last fifty steps where the second part goes on, else the newest weights.
            mean.approach(network, max(0.02, 10 / (done + 10)) if options.start else 1)
        print(f"pass {number + 1} of {options.passes}: loss {np.mean(losses):.4f}, {time.time() - started:.0f} s", flush=True)
        if options.start and number + 1 == options.passes:
            mean.approach(start, 0.5)
        if number + 1 == options.passes or number % 4 == 3:
            tell(mean, aside)
            tell(mean, aside_begun)
        mean.flat().tofile(options.weights + ".new")
    os.replace(options.weights + ".new", options.weights)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", help="what bench/voice-fit.ts wrote")
    parser.add_argument("weights", help="the file to write")
    parser.add_argument("--start", help="weights to go on from, with the scenes of the second part")
    parser.add_argument("--passes", type=int, default=32)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--begun", type=float, default=0.3, help="weight and share of how files begin")
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--quiet", type=float, default=1.5, help="weight of scenes without talk")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)
    more = ["refit-birds", "refit-talk"] if options.start else []
    fit = Scenes(options.folder, "fit", "fit-synthetic", *more)
    aside = Scenes(options.folder, "aside", "aside-synthetic")
    train(fit, Scenes(options.folder, "begun"), aside, Scenes(options.folder, "aside-begun"), options)


if __name__ == "__main__":
    main()
