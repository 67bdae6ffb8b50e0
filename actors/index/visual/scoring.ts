// How a frame is scored: one vector to rank by, and vectors whose similarity lowers a frame. Pure.
//
// Text and picture. A text lies further from every picture than a picture does, and spreads less, so their cosines
// cannot be added as they are. Each is divided by its spread over the frames searched; then `text_weight` counts text
// against a picture's 1: share of text = text_weight / (1 + text_weight). Both are linear, so they become one vector.
//
// Readings of a picture. The same picture may be asked for in several readings: as it is, mirrored. A frame counts by the
// reading it is most like. Each is joined with the text by the spread of the first, so that they stay in one scale.
//
// Exclude. For each excluded vector the usual similarity m and its spread s are taken over the frames searched. A frame
// less than one spread above m loses nothing; above, it loses what it is over that bar, brought to the spread of the
// score: score = b - Σ max(0, e - (m + s)) × spread(b) / s. What resembles the excluded thing sinks by as many spreads as
// it stands out, other frames keep their order, and nothing is ever removed.

export interface Query {
  readonly text: Float32Array | null;
  /** Readings of one picture, of which the nearest counts; none where no picture is asked for. */
  readonly pictures: readonly Float32Array[];
  readonly textWeight: number;
  /** Vectors of the same length as the query. */
  readonly exclude: readonly Float32Array[];
}

/** Mean and standard deviation of one vector's cosines over the frames searched. */
export interface Spread {
  readonly mean: number;
  readonly deviation: number;
}

export interface Scoring {
  /**
   * At least one, in the scale of a cosine: a weighted mean of the cosines to text and picture, one for each reading. The
   * best of them counts.
   */
  readonly bases: readonly Float32Array[];
  readonly exclude: readonly {
    readonly vector: Float32Array;
    readonly bar: number;
    readonly weight: number;
  }[];
}

/** Below this, all frames are alike for a vector, and dividing by the spread would only enlarge noise. */
const leastDeviation = 1e-3;

export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) return { mean: 0, deviation: leastDeviation };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.max(leastDeviation, Math.sqrt(variance)) };
}

/** Text and picture as one vector for each reading. `spread` is asked for only when both are there. */
function combine(query: Query, spread: (vector: Float32Array) => Spread): readonly Float32Array[] {
  const { text, pictures, textWeight } = query;
  const [first] = pictures;
  if (first === undefined) {
    if (text === null) throw new RangeError('neither text nor picture');
    return [text];
  }
  if (text === null || textWeight === 0) return pictures;
  const forText = textWeight / spread(text).deviation;
  const forPicture = 1 / spread(first).deviation;
  const total = forText + forPicture;
  return pictures.map((picture) =>
    text.map((value, i) => (value * forText + picture[i]! * forPicture) / total),
  );
}

export function scoringOf(query: Query, spread: (vector: Float32Array) => Spread): Scoring {
  const bases = combine(query, spread);
  if (query.exclude.length === 0) return { bases, exclude: [] };
  const own = spread(bases[0]!).deviation;
  const exclude = query.exclude.map((vector) => {
    const { mean, deviation } = spread(vector);
    return { vector, bar: mean + deviation, weight: own / deviation };
  });
  return { bases, exclude };
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** The score of one frame by its vector. */
export function scoreOf(scoring: Scoring, vector: Float32Array): number {
  return lowering(scoring, vector).reduce((score, lost) => score - lost, bestOf(scoring.bases, vector));
}

/** The best of the cosines. */
export function bestOf(bases: readonly Float32Array[], vector: Float32Array): number {
  return Math.max(...bases.map((base) => dot(base, vector)));
}

/** What each excluded thing takes from the score of a frame. */
export function lowering({ exclude }: Scoring, vector: Float32Array): number[] {
  return exclude.map(
    ({ vector: excluded, bar, weight }) => Math.max(0, dot(excluded, vector) - bar) * weight,
  );
}
