// A picture as a mirror shows it, left and right swapped. Pure.

/** RGB bytes in rows of `width` pixels; the answer is a buffer of its own. */
export function mirrored(pixels: Uint8Array, width: number): Uint8Array {
  const swapped = new Uint8Array(pixels.length);
  const stride = width * 3;
  for (let row = 0; row < pixels.length; row += stride) {
    for (let at = row, to = row + stride - 3; at < row + stride; at += 3, to -= 3) {
      swapped[to] = pixels[at]!;
      swapped[to + 1] = pixels[at + 1]!;
      swapped[to + 2] = pixels[at + 2]!;
    }
  }
  return swapped;
}
