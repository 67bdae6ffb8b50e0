"""A look at voices held back: equal error rates over all pairs of pieces."""
import torch

from speaker_training.features import RATE, fbank


def equal_error(same, other):
    """Rate at which as many same pairs are missed as other pairs accepted, and the threshold."""
    at = torch.cat([same, other]).sort().values
    missed = torch.searchsorted(same.sort().values, at) / len(same)
    taken = 1 - torch.searchsorted(other.sort().values, at) / len(other)
    best = (missed - taken).abs().argmin()
    return float((missed[best] + taken[best]) / 2), float(at[best])


def pieces_of(voices, seconds, sessions):
    """Features [N, T, 80] of disjoint pieces and their owners [N]; with `sessions` each recorded in one of its own."""
    feats, owners = [], []
    size = int(seconds * RATE)
    for owner, utterances in enumerate(voices.values()):
        for samples in utterances:
            for start in range(0, len(samples) - size + 1, size):
                piece = samples[start : start + size]
                if sessions:
                    wider = samples[max(0, start - RATE // 4) : start + size + RATE // 4]
                    piece = sessions.piece(wider, seconds)
                feats.append(fbank(piece))
                owners.append(owner)
    return torch.stack(feats), torch.tensor(owners)


@torch.no_grad()
def report(model, plda, voices, sessions, name):
    """Prints equal error rates as recorded and across sessions, of cosines and of PLDA."""
    for seconds in (3, 1.5):
        for how in (None, sessions):
            feats, owners = pieces_of(voices, seconds, how)
            vectors = torch.cat([model(feats[at : at + 64]) for at in range(0, len(feats), 64)])
            upper = torch.ones(len(owners), len(owners)).triu(1).bool()
            alike = (owners[:, None] == owners[None])[upper]
            for kind, scores in (('cosine', vectors @ vectors.T), ('PLDA', plda.scores(vectors))):
                rate, at = equal_error(scores[upper][alike], scores[upper][~alike])
                condition = 'across sessions' if how else 'as recorded'
                print(f'  {name} {seconds} s {condition}, {kind}: {100 * rate:.2f} % at {at:.3f}', flush=True)
