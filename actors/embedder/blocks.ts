// The colours of a picture as a few blocks, so that pictures can be compared whatever the model makes of
// them.

/** Blocks across and down a picture. */
const [columns, rows] = [12, 8];
/** Bytes of the blocks of one picture: red, green and blue of each, in rows. */
export const blockBytes = columns * rows * 3;

/** `rgb`: width×height×3. Written to `to` from `at` on. */
export function paintBlocks(
  rgb: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
  to: Uint8Array,
  at: number,
): void {
  const sums = new Float64Array(blockBytes);
  const counts = new Float64Array(columns * rows);
  for (let y = 0; y < height; y++) {
    const first = Math.floor((y * rows) / height) * columns;
    for (let x = 0, pixel = y * width * 3; x < width; x++, pixel += 3) {
      const block = first + Math.floor((x * columns) / width);
      counts[block]!++;
      sums[block * 3]! += rgb[pixel]!;
      sums[block * 3 + 1]! += rgb[pixel + 1]!;
      sums[block * 3 + 2]! += rgb[pixel + 2]!;
    }
  }
  for (let i = 0; i < blockBytes; i++)
    to[at + i] = Math.round(sums[i]! / Math.max(1, counts[Math.floor(i / 3)]!));
}
