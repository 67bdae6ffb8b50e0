// The peaks of equal parts of a range, from those that are kept of the whole file.

/** `values`: one byte each, 255 is full scale. Where nothing was heard it is silent. */
export function peaksOf(
  { per_second, values }: { readonly per_second: number; readonly values: Uint8Array },
  start: number,
  end: number,
  points: number,
): number[] {
  const width = (end - start) / points;
  return Array.from({ length: points }, (_, i) => {
    const from = Math.floor((start + i * width) * per_second + 1e-6);
    const to = Math.max(from + 1, Math.ceil((start + (i + 1) * width) * per_second - 1e-6));
    let most = 0;
    for (let at = from; at < Math.min(to, values.length); at++) most = Math.max(most, values[at]!);
    return Math.round((most / 255) * 1000) / 1000;
  });
}
