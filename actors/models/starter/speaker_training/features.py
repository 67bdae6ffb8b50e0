"""Sound and features for training a voice model: recordings, speed, and kaldi's filter bank."""
import glob
import os

import numpy as np
import soundfile
import torch
from scipy import fft

RATE = 16000
BANDS = 80


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
    samples = torch.as_tensor(samples, dtype=torch.float32)
    frames = (samples * 32768.0).unfold(0, 400, 160)
    frames = frames - frames.mean(1, keepdim=True)
    before = torch.cat([frames[:, :1], frames[:, :-1]], 1)
    power = torch.fft.rfft((frames - 0.97 * before) * HAMMING, 512).abs().square()
    return (power @ BANK).clamp_min(1.1920929e-07).log()


def played(samples, speed):
    """Plays faster by `speed`, pitch and formants with it: band-limited, by a cut or filled spectrum."""
    if speed == 1.0:
        return samples.astype(np.float32)
    # Lengths that the Fourier transform likes; the speed is off by less than a thousandth.
    before = fft.next_fast_len(len(samples), real=True)
    after = fft.next_fast_len(round(before / speed), real=True)
    spectrum = fft.rfft(samples.astype(np.float32), before)
    kept = np.zeros(after // 2 + 1, dtype=np.complex64)
    shared = min(len(kept), len(spectrum))
    kept[:shared] = spectrum[:shared]
    return fft.irfft(kept, after)[: int(len(samples) * after / before)] * np.float32(after / before)


def read(path):
    """Samples in -1..1 of a recording of one channel at 16 kHz."""
    samples, rate = soundfile.read(path, dtype='float64')
    assert rate == RATE and samples.ndim == 1, path
    return samples


def load_voices(folder):
    """{speaker: [samples of each utterance]}, in the order of the names."""
    voices = {}
    for path in sorted(glob.glob(os.path.join(folder, '*.flac'))):
        voices.setdefault(os.path.basename(path).split('-')[0], []).append(read(path))
    return voices
