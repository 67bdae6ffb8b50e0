"""Voices besides those of LibriSpeech: {speaker: [samples of each recording]}, 16 kHz."""
import collections
import glob
import os

import numpy as np

from speaker_training.features import RATE, read

SENTENCES = 5  # of each voice of speechocean762, the longest
SECONDS = 4  # of joined words that a voice has to have
FRAME = RATE // 50


def found(voices, folder, wanted):
    """`voices`, where there are any: a wrong folder is told before hours of training, and not taken for none."""
    if not voices:
        raise SystemExit(f'{folder}: holds no {wanted}')
    return voices


def speechocean(folder):
    """speechocean762: `folder`/WAVE/SPEAKER0001/*.WAV, English sentences read by Mandarin speakers, nearly half of them children."""
    voices = {}
    for place in sorted(glob.glob(os.path.join(folder, 'WAVE', '*'))):
        recordings = [read(path) for path in sorted(glob.glob(os.path.join(place, '*.WAV')))]
        voices[os.path.basename(place)] = sorted(recordings, key=len, reverse=True)[:SENTENCES]
    return found(voices, folder, 'WAVE/SPEAKER0001/*.WAV')


def word(samples):
    """The part of a clip of one second in which somebody speaks; None where nobody clearly does."""
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME)
    level = 10 * np.log10((frames**2).mean(1) + 1e-9)
    loud = np.flatnonzero(level > level.max() - 25)
    if level.max() < -50 or len(loud) < 5:
        return None
    return samples[max(0, loud[0] - 3) * FRAME : (loud[-1] + 5) * FRAME]


def commands(folder):
    """Speech Commands: anywhere below `folder`, SPEAKER_nohash_N.wav. The words of a voice are joined to one recording."""
    words = collections.defaultdict(list)
    for path in sorted(glob.glob(os.path.join(folder, '**', '*_nohash_*.wav'), recursive=True)):
        said = word(read(path))
        if said is not None:
            words[os.path.basename(path).split('_')[0]].append(said)
    joined = {speaker: np.concatenate(said) for speaker, said in sorted(words.items())}
    kept = {speaker: [samples] for speaker, samples in joined.items() if len(samples) >= SECONDS * RATE}
    return found(kept, folder, f'SPEAKER_nohash_N.wav of a voice with {SECONDS} s of words')
