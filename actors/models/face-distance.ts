// How near two faces have to be for one person: requests say it for a usual model, by 0.48, and each row says
// which cosine distance that is with its own vectors.
import type { ModelLibrary } from './contract.ts';
import type { FaceEmbedderSide } from './face-sides.ts';

/** Value for requests without one. */
export const usualEps = 0.48;

/** Description of the field for people. */
export const epsMeaning =
  'Cosine distance up to which two faces count as similar. Lower values are stricter and produce ' +
  'fewer, purer clusters. 0.48 is the usual value with every model: if another distance suits a model ' +
  'better, the value is scaled accordingly.';

/** The cosine distance that the `eps` of a request stands for. `modelEps`: the eps in the embedder's row. */
export function distanceOf(eps: number, modelEps: number): number {
  return modelEps === usualEps ? eps : Math.min(2, rounded((eps * modelEps) / usualEps));
}

/** The other way round: what a request would have said. */
export function epsOf(distance: number, modelEps: number): number {
  return modelEps === usualEps ? distance : rounded((distance * usualEps) / modelEps);
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/**
 * Sides of the model whose vectors are stored under the key of a pair; undefined if its row is gone. The rows
 * are read once.
 */
export async function embedderSides(
  library: Pick<ModelLibrary, 'list'> | null | undefined,
): Promise<(pair: string) => FaceEmbedderSide | undefined> {
  const { models } = (await library?.list()) ?? { models: [] };
  return (pair) => {
    const key = pair.slice(pair.indexOf('+') + 1);
    return models.find(({ row }) => row.key === key)?.row.embedder;
  };
}

/** The eps of the rows of such models; the usual one where a row is gone. */
export async function ownEpsOf(
  library: Pick<ModelLibrary, 'list'> | null | undefined,
): Promise<(pair: string) => number> {
  const sideOf = await embedderSides(library);
  return (pair) => sideOf(pair)?.eps ?? usualEps;
}

// Likelihood that two faces are one person, by their cosine, as a number from 0 to 1.

/**
 * Cosine below the threshold of one person from which a pair is still worth a question: the faces of one
 * person often are.
 */
const belowSame = 0.1;

interface LikenessScale {
  /** Pairs that are less alike are not asked about. */
  readonly least: number;
  /** 0: nothing in common; 0.5: the model would just call two faces one person; 1: the same picture. */
  of(cosine: number): number;
}

/** `same`: the cosine from which two faces are one person. */
export function likenessScale(same: number): LikenessScale {
  const at = Math.min(0.999, Math.max(0.001, same));
  return {
    least: Math.max(0, at - belowSame),
    of: (cosine) => {
      const part = cosine < at ? (0.5 * cosine) / at : 0.5 + (0.5 * (cosine - at)) / (1 - at);
      return Math.max(0, Math.min(1, part));
    },
  };
}
