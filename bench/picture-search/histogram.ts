// The floor: how alike the colours of two pictures are, wherever they lie.
import { type Rgb, sharpOf } from './alterations.ts';

const side = 64;
/** Steps of each channel. */
const steps = 6;

/** Shares of steps³ colours; their roots, so that a product is the Bhattacharyya coefficient. */
export async function colourHistogram(picture: Rgb): Promise<Float32Array> {
  const pixels = await sharpOf(picture).resize(side, side, { fit: 'fill' }).raw().toBuffer();
  const counts = new Float32Array(steps ** 3);
  const step = (value: number) => Math.floor((value * steps) / 256);
  for (let at = 0; at < pixels.length; at += 3) {
    counts[(step(pixels[at]!) * steps + step(pixels[at + 1]!)) * steps + step(pixels[at + 2]!)]!++;
  }
  return counts.map((count) => Math.sqrt(count / (side * side)));
}
