"""Simulated recording sessions: the same voice in another room, before another microphone, through another line.

A session is drawn at random for each piece of sound, so that two pieces of one voice share the voice and nothing else.
"""
import math

import numpy as np
from scipy import fft

from speaker_training.features import RATE, mel, played


class Sessions:
    """Draws sessions; `voices` are samples of other people, for talk in the background."""

    def __init__(self, seed, voices):
        self.random = np.random.default_rng(seed)
        self.voices = voices

    def between(self, low, high):
        return self.random.uniform(low, high)

    def piece(self, samples, seconds, speed=1.0):
        """A random stretch of a recording, said at another tempo and recorded in a session of its own.

        `speed` makes another voice of it (pitch and formants with it); 2 % either way is the same voice on another day.
        """
        speed = speed * self.between(0.98, 1.02)
        tempo = self.between(0.92, 1.08)
        count = int(seconds * RATE)
        needed = int((count + 1600) * speed * tempo)
        samples = np.tile(samples, -(-needed // len(samples)))
        start = self.random.integers(len(samples) - needed + 1)
        return self.recorded(stretched(played(samples[start : start + needed], speed), tempo)[:count])

    def recorded(self, samples):
        """Samples [N] -> samples [N] as another session would have recorded them."""
        size = fft.next_fast_len(len(samples) + RATE // 2, real=True)
        hertz = np.fft.rfftfreq(size, 1 / RATE)
        spectrum = fft.rfft(samples.astype(np.float32), size)
        if self.random.random() < 0.7:
            spectrum = spectrum * fft.rfft(self.room(), size)
        spectrum = (spectrum + self.noise(spectrum, len(samples), size, hertz)) * self.microphone(hertz)
        line = self.random.random()
        if line < 0.25:
            spectrum = spectrum * self.telephone(hertz)
        heard = fft.irfft(spectrum, size)[: len(samples)]
        heard = heard / (np.abs(heard).max() + 1e-9)
        if self.random.random() < 0.15:
            heard = np.tanh(heard * self.between(1.5, 5))
        if line < 0.25:
            heard = companded(heard)
        elif line < 0.5:
            heard = self.coded(heard)
        return (heard * 10 ** (self.between(-30, -3) / 20)).astype(np.float32)

    def room(self):
        """An impulse response: the direct sound, a few early reflections, a tail that is duller the later it is."""
        seconds = self.between(0.12, 0.8)
        time = np.arange(int(0.45 * RATE)) / RATE
        tail = self.random.standard_normal(len(time))
        dull = np.convolve(tail, np.ones(8) / math.sqrt(8), 'same')
        tail = tail * np.exp(-6.9 * time / (0.6 * seconds)) + dull * np.exp(-6.9 * time / seconds)
        tail[: int(self.between(0.002, 0.015) * RATE)] = 0
        for _ in range(self.random.integers(2, 8)):
            tail[int(self.between(0.001, 0.03) * RATE)] += self.random.choice([-1, 1]) * self.between(3, 15)
        tail *= math.sqrt(10 ** (-self.between(-3, 15) / 10) / (tail @ tail))
        tail[0] += 1
        return tail.astype(np.float32)

    def curve(self, hertz, decibels):
        """A smooth random curve over mel, as factors of amplitude, up to `decibels` either way."""
        place = mel(hertz) / mel(8000.0)
        curve = sum(
            self.random.standard_normal() / math.sqrt(k) * np.cos(math.pi * k * place + self.between(0, 2 * math.pi))
            for k in range(1, 9)
        )
        return 10 ** (curve / np.abs(curve).max() * self.between(0, decibels) / 20)

    def microphone(self, hertz):
        """Its curve, a high pass, and at times a low pass."""
        low = self.between(20, 200)
        shape = self.curve(hertz, 12) * (hertz / low) ** 2 / np.sqrt(1 + (hertz / low) ** 4)
        if self.random.random() < 0.25:
            shape = shape / np.sqrt(1 + (hertz / self.between(3500, 7500)) ** 12)
        return shape.astype(np.float32)

    def telephone(self, hertz):
        low, high = self.between(200, 350), self.between(3200, 3800)
        return ((hertz / low) ** 4 / (1 + (hertz / low) ** 4) / np.sqrt(1 + (hertz / high) ** 40)).astype(np.float32)

    def noise(self, spectrum, count, size, hertz):
        """Coloured noise or the talk of others, 5 to 40 dB below the voice."""
        if self.random.random() < 0.25:
            added = np.zeros(count, dtype=np.float32)
            for _ in range(self.random.integers(1, 6)):
                other = self.voices[self.random.integers(len(self.voices))]
                start = self.random.integers(max(1, len(other) - count))
                part = other[start : start + count]
                added[: len(part)] += part / (np.std(part) + 1e-9)
            added, below = fft.rfft(added, size), self.between(12, 40)
        else:
            phase = self.random.standard_normal((2, len(hertz))).astype(np.float32)
            tilt = (1 + hertz / 100) ** -self.between(0, 1.2)
            added, below = (phase[0] + 1j * phase[1]) * tilt * self.curve(hertz, 15), self.between(5, 40)
        power = np.linalg.norm(spectrum) / (np.linalg.norm(added) + 1e-9)
        return added * (power * 10 ** (-below / 20))

    def coded(self, samples):
        """What a lossy codec leaves: few levels for each band of a lapped transform, nothing above its band."""
        frames = -(-len(samples) // HOP) + 1
        padded = np.zeros((frames + 1) * HOP, dtype=np.float32)
        padded[HOP : HOP + len(samples)] = samples
        view = np.lib.stride_tricks.sliding_window_view(padded, 2 * HOP)[::HOP]
        bins = (view * WINDOW) @ LAPPED
        bins[:, int(self.between(0.5, 1.0) * HOP) :] = 0
        bands = bins.reshape(len(bins), -1, 16)
        step = np.sqrt((bands**2).mean(2, keepdims=True)) * self.between(0.3, 1.6) + 1e-6
        back = (np.round(bands / step) * step).reshape(bins.shape) @ LAPPED.T * WINDOW
        joined = np.zeros_like(padded)
        joined[: len(back) * HOP] += back[:, :HOP].ravel()
        joined[HOP : HOP + len(back) * HOP] += back[:, HOP:].ravel()
        return joined[HOP : HOP + len(samples)]


HOP = 320
WINDOW = np.sin(math.pi * (np.arange(2 * HOP) + 0.5) / (2 * HOP)).astype(np.float32)
LAPPED = (
    math.sqrt(2 / HOP)
    * np.cos(math.pi / HOP * (np.arange(2 * HOP)[:, None] + 0.5 + HOP / 2) * (np.arange(HOP)[None] + 0.5))
).astype(np.float32)


def companded(samples):
    """G.711's mu-law: 8 bits a sample."""
    levels = np.round(np.sign(samples) * np.log1p(255 * np.abs(samples)) / math.log(256) * 127) / 127
    return np.sign(levels) * np.expm1(np.abs(levels) * math.log(256)) / 255


def stretched(samples, tempo):
    """Said faster by `tempo` at the same pitch: overlapping pieces of 32 ms, each where it fits the one before best."""
    size, hop, reach = 512, 256, 128
    window = 0.5 - 0.5 * np.cos(2 * math.pi * np.arange(size) / size)
    count = int((len(samples) - size - 2 * reach) / (hop * tempo))
    made = np.zeros(count * hop + size)
    expected = None
    for at in range(count):
        start = int(at * hop * tempo) + reach
        if expected is not None:
            near = samples[start - reach : start + reach + size]
            start += int(np.correlate(near, expected, 'valid').argmax()) - reach
        made[at * hop : at * hop + size] += samples[start : start + size] * window
        expected = samples[start + hop : start + hop + size]
    return made[hop : count * hop]
