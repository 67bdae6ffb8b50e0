"""Changes crops of features at random as other rooms, microphones and noises would: cheap, so that no two are alike."""
import math

import torch

from speaker_training.features import BANDS, RATE, fbank

DB = math.log(10) / 10  # ln of power, per dB


class Disguise:
    """Of whole batches, in the mel power domain. Features [B, T, 80] -> [B, T, 80]."""

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

    def lightly(self, feats):
        """For crops that were disguised as samples: a little colour, and masks."""
        return self.masked(feats + self.curve(len(feats), 4))
