"""Trains `starter-speaker`, the voice-vector model that comes with the program, and writes it as ONNX.

    python3 actors/models/starter/train-speaker.py LIBRISPEECH_FOLDER actors/models/starter/speaker.onnx --half

Needs torch (1.13 is enough) and soundfile, both packages of Debian. The folder holds LibriSpeech
train-clean-100 as `SPEAKER-CHAPTER-NUMBER.flac`. Not part of set-up: the trained file is committed.

The committed one: these settings, 20 minutes on one core. `--hold` voices are left out of training; the thresholds of
its row are theirs at equal errors. What it reaches on voices it never heard is in bench/results.

The graph: `feats` f32 [B, T, 80] (kaldi fbank, no mean removed) -> `embs` f32 [B, 128], of length 1.
"""
import argparse
import glob
import math
import os
import time

import numpy as np
import soundfile
import torch
from torch import nn
from torch.nn import functional as F

RATE = 16000
BANDS = 80
CHANNELS = 192
WIDTH = 192  # of the vector before LDA
DIMENSIONS = 128
SPEEDS = (1.0, 0.9, 1.1)
DB = math.log(10) / 10  # ln of power, per dB


# ---- features -------------------------------------------------------------------------------


def mel(hz):
    return 1127.0 * np.log(1.0 + np.asarray(hz) / 700.0)


def mel_bank():
    """[257, 80]: kaldi's triangles in mel between 20 and 8000 Hz; the last bin is unused, as in kaldi."""
    edges = np.linspace(mel(20.0), mel(8000.0), BANDS + 2)
    bins = mel(np.arange(257) * RATE / 512)[:, None]
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    bank = np.maximum(0, np.minimum((bins - left) / (centre - left), (right - bins) / (right - centre)))
    bank[256] = 0
    return torch.tensor(bank, dtype=torch.float32)


BANK = mel_bank()
HAMMING = torch.hamming_window(400, periodic=False)


def fbank(samples):
    """Samples in -1..1 at 16 kHz -> [T, 80] ln of mel power; 25 ms windows every 10 ms, snip edges."""
    frames = (samples * 32768.0).unfold(0, 400, 160)
    frames = frames - frames.mean(1, keepdim=True)
    before = torch.cat([frames[:, :1], frames[:, :-1]], 1)
    power = torch.fft.rfft((frames - 0.97 * before) * HAMMING, 512).abs().square()
    return (power @ BANK).clamp_min(1.1920929e-07).log()


def resample(samples, speed):
    """Plays faster by `speed`, pitch and formants with it: band-limited, by a cut or filled spectrum."""
    if speed == 1.0:
        return samples
    # Padded to a length that the Fourier transform likes, before and after.
    padded = -len(samples) % 9900 + len(samples)
    size = round(padded / speed)
    spectrum = np.fft.rfft(samples, padded)
    kept = np.zeros(size // 2 + 1, dtype=complex)
    shared = min(len(kept), len(spectrum))
    kept[:shared] = spectrum[:shared]
    return np.fft.irfft(kept, size)[: round(len(samples) / speed)] * (size / padded)


# ---- one hour of voices, and its disguises ----------------------------------------------------


def load_voices(folder):
    """{speaker: [samples of each utterance]}, in the order of the names."""
    voices = {}
    for path in sorted(glob.glob(os.path.join(folder, '*.flac'))):
        samples, rate = soundfile.read(path, dtype='float64')
        assert rate == RATE, path
        voices.setdefault(os.path.basename(path).split('-')[0], []).append(samples)
    return voices


def features_of(voices):
    """A list of [T, 80], one per class: each voice at each speed is a class of its own."""
    classes = []
    for utterances in voices.values():
        for speed in SPEEDS:
            parts = [fbank(torch.tensor(resample(one, speed), dtype=torch.float32)) for one in utterances]
            classes.append(torch.cat(parts))
    return classes


class Disguise:
    """Changes crops as other rooms, microphones and noises would, in the mel power domain, where it is cheap."""

    def __init__(self, generator):
        self.g = generator
        noise = torch.randn(RATE * 60, generator=generator) * 0.1
        self.noise = fbank(noise)
        self.noise = (self.noise - self.noise.mean(0)).exp()
        steps = (torch.arange(BANDS) + 0.5) / BANDS
        self.waves = torch.stack([torch.cos(math.pi * k * steps + p) for k in range(1, 9) for p in (0, math.pi / 2)])

    def rand(self, *shape, low=0.0, high=1.0):
        return torch.rand(*shape, generator=self.g) * (high - low) + low

    def curve(self, count, decibels):
        """[count, 1, 80] smooth random curves in ln power, the largest value up to `decibels`."""
        weights = torch.randn(count, 16, generator=self.g) / torch.arange(1, 9).repeat_interleave(2) ** 0.5
        curves = weights @ self.waves
        curves = curves / curves.abs().amax(1, keepdim=True)
        return (curves * self.rand(count, 1) ** 0.5 * decibels * DB)[:, None]

    def room(self, power):
        """An exponentially decaying tail, 0.1 to 0.6 s, under every second or third crop."""
        count, frames, _ = power.shape
        decay = 13.8 / (self.rand(count, 1, low=0.1, high=0.6) * 100)
        tail = torch.exp(-decay * torch.arange(40.0)) * self.rand(count, 1, low=0.02, high=0.4)
        tail[:, 0] = 1
        tail[(self.rand(count) > 0.4)] *= (torch.arange(40) == 0).float()
        size = 512
        spread = torch.fft.rfft(power, size, dim=1) * torch.fft.rfft(tail, size, dim=1)[:, :, None]
        return torch.fft.irfft(spread, size, dim=1)[:, :frames].clamp_min(1e-9)

    def noisy(self, power):
        """Coloured noise 5 to 35 dB below the voice, and now and then another voice of the batch."""
        count, frames, _ = power.shape
        level = power.mean((1, 2), keepdim=True)
        start = torch.randint(0, len(self.noise) - frames, (count,), generator=self.g)
        noise = torch.stack([self.noise[s : s + frames] for s in start.tolist()])
        noise = noise * (self.curve(count, 15) - self.rand(count, 1, 1, high=3) * torch.linspace(0, 1, BANDS)).exp()
        below = self.rand(count, 1, 1, low=5, high=35) + 200 * (self.rand(count, 1, 1) > 0.7)
        power = power + noise / noise.mean((1, 2), keepdim=True) * level * (-below * DB).exp()
        other = power.roll(1, 0)
        below = self.rand(count, 1, 1, low=10, high=25) + 200 * (self.rand(count, 1, 1) > 0.15)
        return power + other / other.mean((1, 2), keepdim=True) * level * (-below * DB).exp()

    def masked(self, feats):
        """Hides a few neighbouring bands, and a few frames, behind the crop's mean."""
        count, frames, _ = feats.shape
        middle = feats.mean((1, 2), keepdim=True)
        for axis, size, most in ((2, BANDS, 10), (1, frames, 15)):
            width = self.rand(count, 1) * most * (self.rand(count, 1) < 0.5)
            start = self.rand(count, 1) * (size - width)
            at = torch.arange(size)[None]
            hidden = (at >= start) & (at < start + width)
            feats = torch.where(hidden[:, None, :] if axis == 2 else hidden[:, :, None], middle, feats)
        return feats

    def __call__(self, feats, mask=True):
        power = (self.curve(len(feats), 9) + feats).exp()
        feats = self.noisy(self.room(power)).log() + self.curve(len(feats), 5)
        return self.masked(feats) if mask else feats


def crops_of(classes, chosen, frames, generator):
    """[len(chosen), frames, 80]: a random stretch of every chosen class; a voice too short says it again."""
    taken = []
    for index in chosen:
        feats = classes[index]
        feats = feats.repeat(math.ceil(frames / len(feats)), 1)
        start = int(torch.randint(0, max(1, len(feats) - frames), (1,), generator=generator))
        taken.append(feats[start : start + frames])
    return torch.stack(taken)


# ---- network ----------------------------------------------------------------------------------


class Unit(nn.Sequential):
    """Convolution over time, ReLU, batch normalisation."""

    def __init__(self, inputs, outputs, size=1, stride=1, dilation=1):
        pad = dilation * (size - 1) // 2
        super().__init__(
            nn.Conv1d(inputs, outputs, size, stride, pad, dilation), nn.ReLU(), nn.BatchNorm1d(outputs)
        )


class Block(nn.Module):
    """ECAPA's block: Res2 convolutions in 4 groups, squeeze and excitation, a way round."""

    def __init__(self, dilation, groups=4):
        super().__init__()
        self.enter, self.leave = Unit(CHANNELS, CHANNELS), Unit(CHANNELS, CHANNELS)
        self.part = CHANNELS // groups
        self.steps = nn.ModuleList(Unit(self.part, self.part, 3, 1, dilation) for _ in range(groups - 1))
        self.squeeze, self.excite = nn.Conv1d(CHANNELS, 64, 1), nn.Conv1d(64, CHANNELS, 1)

    def forward(self, x):
        first, *rest = self.enter(x).split(self.part, 1)
        done = [first]
        for step, part in zip(self.steps, rest):
            done.append(step(part if len(done) == 1 else part + done[-1]))
        y = self.leave(torch.cat(done, 1))
        gate = torch.sigmoid(self.excite(F.relu(self.squeeze(y.mean(2, keepdim=True)))))
        return x + y * gate


class Voice(nn.Module):
    """[B, T, 80] -> [B, 192]. Levels are removed (as a whole, not per band), so gain does not matter."""

    def __init__(self, middle, scale):
        super().__init__()
        self.register_buffer('middle', middle)
        self.register_buffer('scale', scale)
        self.enter = Unit(BANDS, CHANNELS, 5, 2)
        self.blocks = nn.ModuleList(Block(d) for d in (1, 2, 3))
        self.join = nn.Sequential(nn.Conv1d(3 * CHANNELS, 2 * CHANNELS, 1), nn.ReLU())
        self.look, self.look_around = nn.Conv1d(2 * CHANNELS, 64, 1), nn.Conv1d(4 * CHANNELS, 64, 1)
        self.decide = nn.Sequential(nn.ReLU(), nn.BatchNorm1d(64), nn.Tanh(), nn.Conv1d(64, 2 * CHANNELS, 1))
        self.settle = nn.BatchNorm1d(4 * CHANNELS)
        self.last = nn.Linear(4 * CHANNELS, WIDTH)
        self.norm = nn.BatchNorm1d(WIDTH)

    def forward(self, feats):
        level = torch.logsumexp(feats, (1, 2), keepdim=True) - torch.log(feats.new_ones(1) * feats.size(1))
        x = self.enter(((feats - level - self.middle) * self.scale).transpose(1, 2))
        seen = []
        for block in self.blocks:
            x = block(x)
            seen.append(x)
        x = self.join(torch.cat(seen, 1))
        mean = x.mean(2, keepdim=True)
        spread = ((x - mean) ** 2).mean(2, keepdim=True).clamp_min(1e-5).sqrt()
        looked = self.look(x) + self.look_around(torch.cat([mean, spread], 1))
        weight = torch.softmax(self.decide(looked), 2)
        mean = (x * weight).sum(2)
        spread = ((x - mean[:, :, None]) ** 2 * weight).sum(2).clamp_min(1e-5).sqrt()
        return self.norm(self.last(self.settle(torch.cat([mean, spread], 1))))


class Shipped(nn.Module):
    """The network with LDA as its last layer: [B, T, 80] -> [B, 128] of length 1."""

    def __init__(self, voice, mean, matrix):
        super().__init__()
        self.voice = voice
        self.lda = nn.Linear(*reversed(matrix.shape))
        self.lda.weight.data, self.lda.bias.data = matrix, -matrix @ mean

    def forward(self, feats):
        y = self.lda(F.normalize(self.voice(feats), dim=1))
        return y / (y * y).sum(1, keepdim=True).clamp_min(1e-12).sqrt()


# ---- training -----------------------------------------------------------------------------------


def margin_loss(vectors, weight, chosen, margin, scale=30.0):
    """AAM-softmax: the right class has to win by an angle of `margin`."""
    cos = F.normalize(vectors) @ F.normalize(weight).T
    own = cos.gather(1, chosen[:, None]).clamp(-1 + 1e-6, 1 - 1e-6)
    moved = own * math.cos(margin) - (1 - own * own).sqrt() * math.sin(margin)
    return F.cross_entropy(scale * cos.scatter(1, chosen[:, None], moved), chosen), (cos.argmax(1) == chosen).float().mean()


def train(classes, options):
    """Trains on random disguised crops of 1.5 to 3 s."""
    g = torch.Generator().manual_seed(options.seed)
    torch.manual_seed(options.seed)
    disguise = Disguise(g)
    sample = torch.cat([one - one.logsumexp((0, 1)) + math.log(len(one)) for one in classes])
    model = Voice(sample.mean(0), torch.full((BANDS,), 1 / float(sample.std(0).mean())))
    weight = nn.Parameter(torch.randn(len(classes), WIDTH) * 0.05)
    groups = [{'params': model.parameters(), 'weight_decay': 0.02}, {'params': [weight], 'weight_decay': 0.002}]
    optimiser = torch.optim.AdamW(groups, lr=options.rate)
    plan = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.rate, options.steps, pct_start=0.15)
    order, start, total, right = torch.empty(0, dtype=torch.long), time.time(), 0.0, 0.0
    for step in range(1, options.steps + 1):
        if len(order) < options.batch:
            order = torch.cat([order, torch.randperm(len(classes), generator=g)])
        chosen, order = order[: options.batch], order[options.batch :]
        frames = int(torch.randint(150, 301, (1,), generator=g))
        with torch.no_grad():
            feats = disguise(crops_of(classes, chosen.tolist(), frames, g))
        margin = options.margin * min(1.0, step / (0.3 * options.steps))
        with torch.autocast('cpu', torch.bfloat16, enabled=options.half):
            vectors = model(feats)
        loss, hits = margin_loss(vectors.float(), weight, chosen, margin)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        plan.step()
        total, right = total + float(loss), right + float(hits)
        if step % 100 == 0:
            print(f'{step} loss {total / 100:.3f} right {right / 100:.3f} {time.time() - start:.0f} s', flush=True)
            total, right = 0.0, 0.0
    return model.eval()


@torch.no_grad()
def discriminants(model, classes, seed, rounds=12):
    """LDA of vectors of disguised crops, 1.5 and 3 s: (mean [192], matrix [128, 192])."""
    g = torch.Generator().manual_seed(seed + 1)
    disguise, found = Disguise(g), []
    for turn in range(rounds):
        taken = []
        for first in range(0, len(classes), 64):
            chosen = list(range(first, min(first + 64, len(classes))))
            feats = crops_of(classes, chosen, 300 if turn % 3 else 150, g)
            taken.append(F.normalize(model(disguise(feats, mask=False))))
        found.append(torch.cat(taken))
    vectors = torch.stack(found).double()
    mean = vectors.mean((0, 1))
    centres = vectors.mean(0)
    inner = (vectors - centres).flatten(0, 1)
    within = inner.T @ inner / (len(inner) - len(centres))
    between = (centres - mean).T @ (centres - mean) / (len(centres) - 1) - within / rounds
    within = within + torch.eye(WIDTH) * within.diagonal().mean()
    root = torch.linalg.inv(torch.linalg.cholesky(within))
    values, axes = torch.linalg.eigh(root @ between @ root.T)
    # The best directions count alike: how well each tells voices of the training apart says too little of others.
    matrix = axes[:, values.argsort(descending=True)[:DIMENSIONS]].T @ root
    return mean.float(), matrix.float()


# ---- a look at voices held back ------------------------------------------------------------------


def equal_error(same, other):
    """Rate at which as many same pairs are missed as other pairs accepted, and the threshold."""
    at = torch.cat([same, other]).sort().values
    missed = torch.searchsorted(same.sort().values, at) / len(same)
    taken = 1 - torch.searchsorted(other.sort().values, at) / len(other)
    best = (missed - taken).abs().argmin()
    return float((missed[best] + taken[best]) / 2), float(at[best])


@torch.no_grad()
def equal_error_of(model, voices, frames, levelled):
    """EER over all pairs of disjoint pieces; `levelled` gives every voice the same average spectrum."""
    vectors, owners = [], []
    averages = [torch.cat(parts).exp().mean(0).log() for parts in voices]
    target = torch.stack(averages).mean(0)
    for owner, parts in enumerate(voices):
        for feats in parts:
            if levelled:
                feats = feats - averages[owner] + target
            pieces = [feats[at : at + frames] for at in range(0, len(feats) - frames + 1, frames + 2)]
            if pieces:
                vectors.append(F.normalize(model(torch.stack(pieces))))
                owners += [owner] * len(pieces)
    vectors, owners = torch.cat(vectors), torch.tensor(owners)
    upper = torch.ones(len(owners), len(owners)).triu(1).bool()
    scores, alike = (vectors @ vectors.T)[upper], (owners[:, None] == owners[None])[upper]
    return equal_error(scores[alike], scores[~alike])


def report(model, voices, name):
    voices = [[fbank(torch.tensor(one, dtype=torch.float32)) for one in parts] for parts in voices.values()]
    for frames in (298, 148):
        for levelled in (False, True):
            rate, at = equal_error_of(model, voices, frames, levelled)
            print(f'  {name} {(frames + 2) / 100} s {"eq" if levelled else "as is"}: {100 * rate:.2f} % at {at:.3f}', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('folder')
    parser.add_argument('out')
    parser.add_argument('--hold', type=int, default=20, help='voices left out of training, to watch')
    parser.add_argument('--steps', type=int, default=2600)
    parser.add_argument('--batch', type=int, default=64)
    parser.add_argument('--rate', type=float, default=2e-3)
    parser.add_argument('--margin', type=float, default=0.2)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--half', action='store_true', help='16-bit arithmetic: faster where the processor has it')
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    voices = load_voices(options.folder)
    names = list(voices)
    held = set(names[:: max(1, len(names) // options.hold)][: options.hold]) if options.hold else set()
    classes = features_of({name: voices[name] for name in names if name not in held})
    model = train(classes, options)
    shipped = Shipped(model, *discriminants(model, classes, options.seed)).eval()
    if held:
        report(shipped, {name: voices[name] for name in held}, 'held back')
    export(shipped, options.out)


def export(shipped, path):
    axes = {'feats': {0: 'B', 1: 'T'}, 'embs': {0: 'B'}}
    example = torch.randn(2, 298, BANDS)
    torch.onnx.export(
        shipped, example, path, opset_version=13, input_names=['feats'], output_names=['embs'], dynamic_axes=axes
    )


if __name__ == '__main__':
    main()
