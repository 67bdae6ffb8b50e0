"""Trains `starter-speaker`, the voice-vector model that comes with the program: its graph as ONNX, and its PLDA model.

    python3 actors/models/starter/train-speaker.py LIBRISPEECH_FOLDER OUT_FOLDER --ocean FOLDER --commands FOLDER

Needs torch (1.13 is enough), scipy and soundfile, packages of Debian. The folder holds LibriSpeech train-clean-100 as
`SPEAKER-CHAPTER-NUMBER.flac`; `--ocean` and `--commands` add the voices of two other collections. Not part of set-up: the
trained files are committed. `--hold` voices are left out of everything, and measured at the end. Why it is so, and what was
tried: docs/decisions/0025-voices-across-sessions.md.

OUT_FOLDER/speaker.onnx: `feats` f32 [B, T, 80] (kaldi fbank, no mean removed) -> `embs` f32 [B, 128], of length 1.
OUT_FOLDER/speaker-plda.bin: little-endian f32, mean [128], matrix [128, 128] row by row, between [128].
"""
import argparse
import math
import os
import time

import torch
from torch import nn
from torch.nn import functional as F

from speaker_training.backend import Plda, discriminants
from speaker_training.corpora import commands, speechocean
from speaker_training.disguise import Disguise
from speaker_training.features import BANDS, RATE, fbank, load_voices, played
from speaker_training.network import WIDTH, Shipped, Voice
from speaker_training.sessions import Sessions
from speaker_training.verification import report

DIMENSIONS = 128
SPEEDS = (1.0, 0.9, 1.1)
VERSIONS = 5  # of each class in sessions of their own
SECONDS = 3.5  # of each


class Classes:
    """Each voice at each speed is a class of its own: as recorded, and in simulated sessions."""

    def __init__(self, voices, more, sessions, seed):
        """`more`: voices that are heard at the speed at which they spoke, and at no other."""
        self.g = torch.Generator().manual_seed(seed)
        self.disguise = Disguise(self.g)
        self.recorded, self.elsewhere = [], []
        spoken = [(one, SPEEDS) for one in voices.values()] + [(one, (1.0,)) for one in more.values()]
        for utterances, speeds in spoken:
            samples = max(utterances, key=len)
            for speed in speeds:
                self.recorded.append(torch.cat([fbank(played(one, speed)) for one in utterances]))
                pieces = [fbank(sessions.piece(samples, SECONDS, speed)) for _ in range(VERSIONS)]
                self.elsewhere.append(torch.stack(pieces).half())

    def crop(self, feats, frames):
        """A random stretch; a voice too short says it again."""
        feats = feats.repeat(math.ceil(frames / len(feats)), 1)
        start = int(torch.randint(0, len(feats) - frames + 1, (1,), generator=self.g))
        return feats[start : start + frames].float()

    @torch.no_grad()
    def crops(self, chosen, frames, elsewhere, mask=True):
        """[len(chosen), frames, 80]: that part of them in simulated sessions, the others disguised as features."""
        moved = torch.rand(len(chosen), generator=self.g) < elsewhere
        feats = torch.empty(len(chosen), frames, BANDS)
        for at, index in enumerate(chosen):
            if moved[at]:
                version = int(torch.randint(0, VERSIONS, (1,), generator=self.g))
                feats[at] = self.crop(self.elsewhere[index][version], frames)
            else:
                feats[at] = self.crop(self.recorded[index], frames)
        if moved.any() and mask:
            feats[moved] = self.disguise.lightly(feats[moved])
        if not moved.all():
            feats[~moved] = self.disguise(feats[~moved], mask)
        return feats


def margin_loss(vectors, weight, chosen, margin, scale=30.0):
    """AAM-softmax: the right class has to win by an angle of `margin`."""
    cos = F.normalize(vectors) @ F.normalize(weight).T
    own = cos.gather(1, chosen[:, None]).clamp(-1 + 1e-6, 1 - 1e-6)
    moved = own * math.cos(margin) - (1 - own * own).sqrt() * math.sin(margin)
    return F.cross_entropy(scale * cos.scatter(1, chosen[:, None], moved), chosen), (cos.argmax(1) == chosen).float().mean()


def pair_loss(vectors, scale=15.0):
    """Two crops of every class, the first of each before the second of each: both have to find the other."""
    first, second = F.normalize(vectors).chunk(2)
    likeness, own = scale * first @ second.T, torch.arange(len(first))
    return (F.cross_entropy(likeness, own) + F.cross_entropy(likeness.T, own)) / 2


def train(classes, options):
    """Trains on pairs of random crops of 1.5 to 2.25 s, mostly of two sessions."""
    torch.manual_seed(options.seed)
    g, count = classes.g, len(classes.recorded)
    sample = torch.cat([one - one.logsumexp((0, 1)) + math.log(len(one)) for one in classes.recorded])
    model = Voice(sample.mean(0), torch.full((BANDS,), 1 / float(sample.std(0).mean())))
    weight = nn.Parameter(torch.randn(count, WIDTH) * 0.05)
    groups = [{'params': model.parameters(), 'weight_decay': 0.02}, {'params': [weight], 'weight_decay': 0.002}]
    optimiser = torch.optim.AdamW(groups, lr=options.rate)
    plan = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.rate, options.steps, pct_start=0.15)
    order, start, total, right = torch.empty(0, dtype=torch.long), time.time(), 0.0, 0.0
    each = options.batch // 2 if options.pairs else options.batch
    for step in range(1, options.steps + 1):
        if len(order) < each:
            order = torch.cat([order, torch.randperm(count, generator=g)])
        chosen, order = order[:each], order[each:]
        chosen = torch.cat([chosen, chosen]) if options.pairs else chosen
        feats = classes.crops(chosen.tolist(), int(torch.randint(150, 226, (1,), generator=g)), options.elsewhere)
        margin = options.margin * min(1.0, step / (0.3 * options.steps))
        with torch.autocast('cpu', torch.bfloat16, enabled=not options.full):
            vectors = model(feats)
        loss, hits = margin_loss(vectors.float(), weight, chosen, margin)
        if options.pairs:
            loss = loss + options.pairs * pair_loss(vectors.float())
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
def with_discriminants(model, classes, rounds=12):
    """The graph: the network and LDA of vectors of crops of 1.5 and 3 s, half of them in simulated sessions."""
    found, owners = [], []
    for turn in range(rounds):
        for first in range(0, len(classes.recorded), 64):
            chosen = list(range(first, min(first + 64, len(classes.recorded))))
            feats = classes.crops(chosen, 300 if turn % 3 else 150, 0.5, mask=False)
            found.append(F.normalize(model(feats)))
            owners += chosen
    return Shipped(model, *discriminants(torch.cat(found), torch.tensor(owners), DIMENSIONS)).eval()


@torch.no_grad()
def plda_of(shipped, voices, seconds=1.5, step=1.0):
    """From windows of every voice as recorded: within a film, a voice mostly stays in its session."""
    found, owners = [], []
    size = int(seconds * RATE)
    for owner, utterances in enumerate(voices.values()):
        for samples in utterances:
            starts = range(0, len(samples) - size + 1, int(step * RATE))
            if starts:
                found.append(shipped(torch.stack([fbank(samples[at : at + size]) for at in starts])))
                owners += [owner] * len(starts)
    return Plda(torch.cat(found), torch.tensor(owners), 0.1)


def export(shipped, path):
    axes = {'feats': {0: 'B', 1: 'T'}, 'embs': {0: 'B'}}
    example = torch.randn(2, 298, BANDS)
    torch.onnx.export(
        shipped, example, path, opset_version=13, input_names=['feats'], output_names=['embs'], dynamic_axes=axes
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder')
    parser.add_argument('out')
    parser.add_argument('--hold', type=int, default=0, help='voices left out of everything, to measure')
    parser.add_argument('--choose', action='store_true', help='leaves out every third of the others besides, and measures those')
    parser.add_argument('--ocean', help='folder of speechocean762: its voices besides')
    parser.add_argument('--commands', help='folder of Speech Commands: its voices besides, their words joined')
    parser.add_argument('--steps', type=int, default=2400)
    parser.add_argument('--batch', type=int, default=64)
    parser.add_argument('--rate', type=float, default=2e-3)
    parser.add_argument('--margin', type=float, default=0.2)
    parser.add_argument('--pairs', type=float, default=1.0, help='weight of the loss that pulls two sessions of a voice together')
    parser.add_argument('--elsewhere', type=float, default=0.7, help='part of the crops in simulated sessions')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--full', action='store_true', help='32-bit arithmetic: for processors without 16-bit')
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    start = time.time()
    voices = load_voices(options.folder)
    names = list(voices)
    held = set(names[:: max(1, len(names) // options.hold)][: options.hold]) if options.hold else set()
    others = [name for name in names if name not in held]
    if options.choose:
        held = set(others[1::3])
    fitted = {name: voices[name] for name in others if name not in held}
    sentences = speechocean(options.ocean) if options.ocean else {}
    words = commands(options.commands) if options.commands else {}
    more = {**sentences, **words}
    every = {**fitted, **more}
    talk = [max(utterances, key=len) for utterances in every.values()]
    classes = Classes(fitted, more, Sessions(options.seed, talk), options.seed)
    print(f'{len(classes.recorded)} classes of {len(every)} voices, {time.time() - start:.0f} s', flush=True)
    shipped = with_discriminants(train(classes, options), classes)
    plda = plda_of(shipped, {**fitted, **sentences})
    os.makedirs(options.out, exist_ok=True)
    export(shipped, os.path.join(options.out, 'speaker.onnx'))
    plda.write(os.path.join(options.out, 'speaker-plda.bin'))
    if held:
        report(shipped, plda, {name: voices[name] for name in held}, Sessions(options.seed + 1, talk), 'held back')
    print(f'{time.time() - start:.0f} s in all', flush=True)


if __name__ == '__main__':
    main()
