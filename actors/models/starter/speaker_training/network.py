"""The network of `starter-speaker`: a small ECAPA-TDNN, and what is exported of it."""
import torch
from torch import nn
from torch.nn import functional as F

from speaker_training.features import BANDS

CHANNELS = 192
WIDTH = 192  # of the vector before LDA


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
