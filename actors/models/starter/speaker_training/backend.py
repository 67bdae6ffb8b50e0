"""What is estimated from the vectors of many pieces: LDA, the last layer of the graph, and PLDA, to compare its vectors."""
import numpy as np
import torch


def varied(vectors, owners, regulariser):
    """Of vectors [N, D] of voices `owners` [N]: their mean, and how voices differ where the pieces of one do by 1.

    -> mean [D], values [D] falling, matrix [D, D]: in matrix @ (x - mean) pieces of one voice vary by 1 in every
    direction and voices by `values`. `regulariser`: how much of the average variance every direction gets besides.
    """
    vectors = vectors.double()
    owners = torch.unique(owners, return_inverse=True)[1]
    counts = torch.bincount(owners).double()
    centres = torch.zeros(len(counts), vectors.shape[1]).double().index_add_(0, owners, vectors) / counts[:, None]
    mean = centres.mean(0)
    inner = vectors - centres[owners]
    within = inner.T @ inner / (len(vectors) - len(counts))
    between = (centres - mean).T @ (centres - mean) / (len(counts) - 1) - within * (1 / counts).mean()
    within = within + torch.eye(len(within)) * within.diagonal().mean() * regulariser
    root = torch.linalg.inv(torch.linalg.cholesky(within))
    values, axes = torch.linalg.eigh(root @ between @ root.T)
    order = values.argsort(descending=True)
    return mean, values[order], axes[:, order].T @ root


def discriminants(vectors, owners, dimensions):
    """LDA: (mean [D], matrix [dimensions, D])."""
    # The best directions count alike: how well each tells voices of the training apart says too little of others.
    mean, _, matrix = varied(vectors, owners, 1.0)
    return mean.float(), matrix[:dimensions].float()


class Plda:
    """In y = matrix @ (x - mean) pieces of one voice vary by 1 in every direction and voices by `between`."""

    def __init__(self, vectors, owners, regulariser):
        mean, between, matrix = varied(vectors, owners, regulariser)
        self.mean, self.matrix, self.between = mean.float(), matrix.float(), between.clamp_min(0).float()

    def scores(self, vectors):
        """[N, D] -> [N, N]: logarithm of how much likelier two pieces are of one voice than of two."""
        y = (vectors - self.mean) @ self.matrix.T
        total = self.between + 1
        rest = total**2 - self.between**2
        own = y**2 @ (0.5 / total - 0.5 * total / rest)
        return own[:, None] + own[None] + (y * self.between / rest) @ y.T + (total.log() - 0.5 * rest.log()).sum()

    def write(self, path):
        """Little-endian f32: mean [D], matrix [D, D] row by row, between [D]."""
        parts = [self.mean, self.matrix.flatten(), self.between]
        np.concatenate([part.numpy() for part in parts]).astype('<f4').tofile(path)
