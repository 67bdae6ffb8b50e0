// How alike two people are by a few faces of each: the mean of the best pairs of faces. A person looks different in most
// pictures and the same in some, so means of all faces say less.

/** Pairs that count, no face in two of them: so one face that got into the wrong cluster joins nobody. */
const bestPairs = 3;

/** `a`, `b`: n×d and m×d, L2-normalised. Cosine, -1 when one of them has no face. */
export function likeness(a: Float32Array, b: Float32Array, dimensions: number): number {
  const [rows, columns] = [a.length / dimensions, b.length / dimensions];
  const cosines = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) cosines[i * columns + j] = dot(a, i, b, j, dimensions);
  }
  const count = Math.min(bestPairs, rows, columns);
  let sum = 0;
  for (let pair = 0; pair < count; pair++) {
    let best = 0;
    for (let at = 1; at < cosines.length; at++) if (cosines[at]! > cosines[best]!) best = at;
    sum += cosines[best]!;
    const [row, column] = [Math.floor(best / columns), best % columns];
    for (let j = 0; j < columns; j++) cosines[row * columns + j] = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < rows; i++) cosines[i * columns + column] = Number.NEGATIVE_INFINITY;
  }
  return count === 0 ? -1 : sum / count;
}

function dot(a: Float32Array, i: number, b: Float32Array, j: number, dimensions: number): number {
  let sum = 0;
  for (let k = 0; k < dimensions; k++) sum += a[i * dimensions + k]! * b[j * dimensions + k]!;
  return sum;
}
