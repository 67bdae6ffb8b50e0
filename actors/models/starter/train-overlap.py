"""Trains the network that finds where two voices speak at once, and writes it as ONNX.

    python3 actors/models/starter/train-overlap.py LIBRISPEECH_FOLDER actors/models/starter/overlap.onnx

Needs what train-speaker.py needs, from which it takes features and voices. The folder holds LibriSpeech train-clean-100
as `SPEAKER-CHAPTER-NUMBER.flac`; every fourth voice, 62 of them, is never used here. Not part of set-up: the trained file
is committed, made with these settings in six minutes of one core; `--watch` voices are left out of training, and the
rules of actors/diarizer/overlap were chosen on them.

Scenes of six seconds are mixed on samples: turns of one or two voices that overlap, follow at once or leave a pause, each
voice with its own room, microphone and level, and behind them noise, music or nothing; some through a telephone.

The graph: `feats` f32 [B, T, 80] (kaldi fbank, no mean removed) -> `overlap` f32 [B, ceil(T / 2)], the probability that
two speak, every 20 ms; the first is that of the first frame.
"""
import argparse
import importlib.util
import math
import os
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'train-speaker.py')
spec = importlib.util.spec_from_file_location('train_speaker', beside)
speaker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(speaker)
RATE, BANDS = speaker.RATE, speaker.BANDS

SECONDS = 6
SIZE = SECONDS * RATE
FRAMES = 2 * ((1 + (SIZE - 400) // 160) // 2)
PADDED = 110592  # samples of a spectrum: a scene and the longest tail of a room; quick to transform
SPEEDS = (0.9, 1.0, 1.1)
CHANNELS = 64
DILATIONS = (1, 2, 4, 8, 16, 1)


# ---- scenes ---------------------------------------------------------------------------------


def active_in(samples):
    """bool, every 10 ms: as bench/diarization/compose.ts: by level, with silences under 0.3 s filled."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, 400)[::160]
    levels = 10 * np.log10((frames**2).mean(1) + 1e-10)
    low, high = np.quantile(levels, (0.05, 0.95))
    loud = np.flatnonzero(levels >= max(high - 35, low + 0.25 * (high - low)))
    active = np.zeros(len(levels), dtype=bool)
    active[loud] = True
    for at, then in zip(loud[:-1], loud[1:]):
        if then - at < 36:
            active[at:then] = True
    return active


def decibels(value):
    return 10 ** (value / 20)


class Scenes:
    """Draws scenes: `draw()` answers samples and, every 20 ms, how many speak (0, 1, 2)."""

    def __init__(self, voices, seed):
        self.g = np.random.default_rng(seed)
        self.voices = [
            [self.levelled(speaker.resample(np.concatenate(parts), speed)) for speed in SPEEDS] for parts in voices.values()
        ]

    def levelled(self, samples):
        active = active_in(samples)
        loud = np.repeat(active, 160)[: len(samples)]
        samples = samples[: len(loud)] / np.sqrt((samples[: len(loud)][loud] ** 2).mean())
        return samples.astype(np.float32), active

    def chance(self, share):
        return self.g.random() < share

    def between(self, low, high):
        return self.g.uniform(low, high)

    def draw(self):
        both = self.chance(0.8)
        chosen = self.g.choice(len(self.voices), 2, replace=False)
        lanes, active = self.talk(chosen, both)
        rooms = [self.response()] * 2 if self.chance(0.5) else [self.response(), self.response()]
        levels = [0.0, self.between(-10, 10)]
        sound = sum(
            decibels(level) * np.fft.irfft(np.fft.rfft(lane, PADDED) * room)[:SIZE]
            for lane, room, level in zip(lanes, rooms, levels)
        )
        sound = self.behind(sound)
        if self.chance(0.15):
            sound = self.telephone(sound)
        sound = sound * decibels(self.between(-50, -15)) / max(1e-6, np.sqrt((sound**2).mean()))
        if self.chance(0.05):
            most = np.abs(sound).max() * self.between(0.3, 0.8)
            sound = sound.clip(-most, most)
        # As in files of 16 bits, so that silence is never digital zero by a hair only.
        sound = np.round(sound * 32768) / 32768
        middles = (np.arange(FRAMES // 2) * 320 + 200) // 160
        return sound.astype(np.float32), active[:, middles].sum(0)

    def talk(self, chosen, both):
        """Two lanes of dry sound, and where each is active, every 10 ms."""
        lanes, active = np.zeros((2, SIZE), np.float32), np.zeros((2, SIZE // 160 + 1), bool)
        said = [self.voices[voice][int(self.g.integers(len(SPEEDS)))] for voice in chosen]
        clock, turn = int(-self.between(0, 4) * RATE), int(self.g.integers(2))
        long = self.chance(0.5)
        while clock < SIZE:
            length = int((self.between(2, 8) if long else self.between(0.5, 3)) * RATE)
            end = self.place(said[turn], lanes[turn], active[turn], clock, clock + length)
            length = end - clock
            if both and self.chance(0.15) and length > 2 * RATE:
                # The other says a word meanwhile.
                start = clock + int(self.between(0.3, length / RATE - 1.3) * RATE)
                self.place(said[1 - turn], lanes[1 - turn], active[1 - turn], start, start + int(self.between(0.3, 1.0) * RATE))
            if both and self.chance(0.7):
                clock = end - int(min(self.between(0.3, 3), 0.8 * length / RATE) * RATE)
            elif self.chance(0.5):
                clock = end + int(self.between(0, 0.15) * RATE)
            else:
                clock = end + int(self.between(0.15, 1.2) * RATE)
            if both and self.chance(0.9):
                turn = 1 - turn
            else:
                clock = max(clock, end)
        return lanes, active

    def place(self, voice, lane, active, start, end):
        """Puts a random stretch of a voice into its lane from sample `start` on, as long as it has something to say; answers the end."""
        samples, loud = voice
        length = min(end - start, len(samples))
        first = int(self.g.integers(0, len(samples) - length + 1))
        low, high = max(0, start), min(SIZE, start + length)
        if high <= low:
            return start + length
        inside = np.arange(low, high) - start
        edge = np.minimum(1, np.minimum(inside, length - inside) / 80)
        lane[low:high] += samples[first + inside] * edge
        marks = np.arange(-(-low // 160), high // 160)
        active[marks] |= loud[np.minimum(len(loud) - 1, (first + marks * 160 - start) // 160)]
        return start + length

    def response(self):
        """The spectrum of a room and a microphone."""
        sound = np.zeros(PADDED, np.float32)
        sound[0] = 1
        if self.chance(0.6):
            length = int(self.between(0.1, 0.8) * RATE)
            tail = self.g.standard_normal(length) * np.exp(-6.9 * np.arange(length) / length)
            tail[: int(self.between(0.001, 0.01) * RATE)] = 0
            sound[:length] += tail / np.sqrt((tail**2).sum()) * decibels(self.between(-18, 2))
        curve = self.curve(8) if self.chance(0.6) else 1
        return np.fft.rfft(sound) * curve

    def curve(self, most):
        """A smooth random gain over the logarithm of frequency, for a spectrum of PADDED samples."""
        octaves = np.log2(np.maximum(np.linspace(0, RATE / 2, PADDED // 2 + 1), 40) / 40)
        return decibels(np.interp(octaves, np.linspace(0, 7.7, 7), self.g.uniform(-most, most, 7)))

    def behind(self, sound):
        """Noise of a colour, music, or a little of what every microphone has."""
        power = np.sqrt((sound**2).mean()) + 1e-6
        noise = self.g.standard_normal(SIZE)
        if self.chance(0.5):
            tint = self.curve(15)
            noise = np.fft.irfft(np.fft.rfft(noise, PADDED) * tint)[:SIZE]
        below = self.between(3, 30) if self.chance(0.4) else self.between(30, 60)
        sound = sound + noise / np.sqrt((noise**2).mean()) * power * decibels(-below)
        if self.chance(0.2):
            music = self.music()
            sound = sound + music / np.sqrt((music**2).mean() + 1e-12) * power * decibels(-self.between(0, 25))
        return sound

    def music(self):
        """Notes of a few harmonics that begin together, decay, and follow each other."""
        sound = np.zeros(SIZE)
        beat = int(self.between(0.12, 0.6) * RATE)
        fall = self.between(0.5, 8)
        tilt = self.between(0.5, 2)
        scale = self.between(80, 220) * 2 ** (np.array([0, 2, 4, 5, 7, 9, 11, 12, 14, 16, 19, 24]) / 12)
        held = self.chance(0.4)
        for start in range(0, SIZE, beat):
            if self.chance(0.2):
                continue
            length = min(SIZE - start, int(beat * self.between(0.8, 4)))
            times = np.arange(length) / RATE
            shape = np.minimum(1, times / 0.01) * (np.minimum(1, (times[-1] - times) / 0.02) if held else np.exp(-fall * times))
            for _ in range(int(self.g.integers(1, 4))):
                tone = self.g.choice(scale)
                wave = sum(np.sin(2 * math.pi * tone * k * times + self.between(0, 6)) / k**tilt for k in range(1, 9) if tone * k < 7500)
                sound[start : start + length] += wave * shape * self.between(0.3, 1)
        return sound

    def telephone(self, sound):
        """300 to 3400 Hz with 8 bits of mu-law."""
        hz = np.linspace(0, RATE / 2, PADDED // 2 + 1)
        band = 1 / (1 + (300 / np.maximum(hz, 1)) ** 8) / (1 + (hz / self.between(3300, 3900)) ** 16)
        sound = np.fft.irfft(np.fft.rfft(sound, PADDED) * band)[:SIZE]
        most = np.abs(sound).max() + 1e-9
        coded = np.sign(sound) * np.log1p(255 * np.abs(sound) / most) / math.log(256)
        coded = np.round(coded * 127) / 127
        return np.sign(coded) * np.expm1(np.abs(coded) * math.log(256)) / 255 * most


def pool_of(scenes, count):
    """(features f16 [count, FRAMES, 80], how many speak u8 [count, FRAMES / 2])."""
    feats = torch.empty(count, FRAMES, BANDS, dtype=torch.float16)
    labels = torch.empty(count, FRAMES // 2, dtype=torch.long)
    for at in range(count):
        sound, speaking = scenes.draw()
        feats[at] = speaker.fbank(torch.tensor(sound))[:FRAMES]
        labels[at] = torch.tensor(speaking)
    return feats, labels


# ---- network --------------------------------------------------------------------------------


class Unit(nn.Module):
    """A convolution over time and one over channels, with a way round."""

    def __init__(self, dilation):
        super().__init__()
        self.enter = nn.Conv1d(CHANNELS, CHANNELS, 3, padding=dilation, dilation=dilation)
        self.norm = nn.BatchNorm1d(CHANNELS)
        self.leave = nn.Conv1d(CHANNELS, CHANNELS, 1)
        self.after = nn.BatchNorm1d(CHANNELS)

    def forward(self, x):
        return x + self.after(self.leave(F.relu(self.norm(self.enter(x)))))


class Overlap(nn.Module):
    """[B, T, 80] -> [B, 3, ceil(T / 2)]: nobody, one or two. The level of the whole is removed: gain does not matter."""

    def __init__(self, middle, scale):
        super().__init__()
        self.register_buffer('middle', middle)
        self.register_buffer('scale', scale)
        self.enter = nn.Conv1d(BANDS, CHANNELS, 5, 2, 2)
        self.norm = nn.BatchNorm1d(CHANNELS)
        self.units = nn.Sequential(*(Unit(d) for d in DILATIONS))
        self.decide = nn.Conv1d(CHANNELS, 3, 1)

    def forward(self, feats):
        level = torch.logsumexp(feats, (1, 2), keepdim=True) - torch.log(feats.new_ones(1) * feats.size(1))
        x = ((feats - level - self.middle) * self.scale).transpose(1, 2)
        return self.decide(F.relu(self.units(F.relu(self.norm(self.enter(x))))))


class Shipped(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, feats):
        return torch.softmax(self.network(feats), 1)[:, 2]


def level_of(feats):
    return feats.logsumexp((1, 2), keepdim=True) - math.log(feats.size(1))


def train(feats, labels, options):
    torch.manual_seed(options.seed)
    some = feats[:256].float()
    some = some - level_of(some)
    network = Overlap(some.mean((0, 1)), 1 / some.std((0, 1)))
    optimiser = torch.optim.AdamW(network.parameters(), lr=options.rate, weight_decay=0.02)
    plan = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.rate, options.steps, pct_start=0.1)
    order, start, total = torch.empty(0, dtype=torch.long), time.time(), 0.0
    for step in range(1, options.steps + 1):
        if len(order) < options.batch:
            order = torch.cat([order, torch.randperm(len(feats))])
        chosen, order = order[: options.batch], order[options.batch :]
        loss = F.cross_entropy(network(feats[chosen].float()), labels[chosen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        plan.step()
        total += float(loss)
        if step % 100 == 0:
            print(f'{step} loss {total / 100:.4f} {time.time() - start:.0f} s', flush=True)
            total = 0.0
    return network.eval()


@torch.no_grad()
def report(network, feats, labels):
    """Of frames in which two speak, how many are found at a share of false ones among the frames of one voice."""
    found = torch.cat([Shipped(network)(feats[at : at + 16].float()) for at in range(0, len(feats), 16)])
    one, two = found[labels == 1], found[labels == 2].sort().values
    print(f'{len(two)} frames of two voices, {len(one)} of one')
    for share in (0.001, 0.003, 0.01, 0.03, 0.1):
        at = float(one.sort().values[int((1 - share) * (len(one) - 1))])
        print(f'  {100 * share:.1f} % false at {at:.3f}: found {100 * float((two > at).float().mean()):.1f} %', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('folder')
    parser.add_argument('out')
    parser.add_argument('--watch', type=int, default=30, help='voices left out besides, on which thresholds are chosen')
    parser.add_argument('--scenes', type=int, default=4000)
    parser.add_argument('--steps', type=int, default=2500)
    parser.add_argument('--batch', type=int, default=16)
    parser.add_argument('--rate', type=float, default=4e-3)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--threads', type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    start = time.time()
    voices = speaker.load_voices(options.folder)
    held = set(sorted(voices)[::4][:62])
    fit = [name for name in sorted(voices) if name not in held]
    watch = fit[:: len(fit) // options.watch][: options.watch] if options.watch else []
    feats, labels = pool_of(Scenes({name: voices[name] for name in fit if name not in watch}, options.seed), options.scenes)
    print(f'{len(feats)} scenes, {time.time() - start:.0f} s', flush=True)
    network = train(feats, labels, options)
    report(network, feats[:400], labels[:400])
    if watch:
        report(network, *pool_of(Scenes({name: voices[name] for name in watch}, options.seed + 1), 400))
    export(Shipped(network).eval(), options.out)


def export(shipped, path):
    axes = {'feats': {0: 'B', 1: 'T'}, 'overlap': {0: 'B', 1: 'T2'}}
    torch.onnx.export(
        shipped, torch.randn(2, 600, BANDS), path, opset_version=13, input_names=['feats'], output_names=['overlap'], dynamic_axes=axes
    )


if __name__ == '__main__':
    main()
