// Arithmetic on rows of vectors.

/** Dot product of `length` numbers from `i` of `a` and from `j` of `b` on. */
export function dot(
  a: ArrayLike<number>,
  i: number,
  b: ArrayLike<number>,
  j: number,
  length: number,
): number {
  let [p, q, r, s, k] = [0, 0, 0, 0, 0];
  for (; k + 3 < length; k += 4) {
    p += a[i + k]! * b[j + k]!;
    q += a[i + k + 1]! * b[j + k + 1]!;
    r += a[i + k + 2]! * b[j + k + 2]!;
    s += a[i + k + 3]! * b[j + k + 3]!;
  }
  for (; k < length; k++) p += a[i + k]! * b[j + k]!;
  return p + q + (r + s);
}

/** Adds `factor` times `length` numbers from `j` of `b` on to those from `i` of `a` on. */
export function addTo(
  a: Float64Array | Float32Array,
  i: number,
  b: ArrayLike<number>,
  j: number,
  length: number,
  factor = 1,
): void {
  for (let k = 0; k < length; k++) a[i + k]! += factor * b[j + k]!;
}

/** The middle value; 0 of none. `values` are sorted in place. */
export function medianOf(values: Float32Array | Float64Array): number {
  if (values.length === 0) return 0;
  values.sort();
  const middle = values.length >> 1;
  return values.length % 2 === 1 ? values[middle]! : (values[middle - 1]! + values[middle]!) / 2;
}
