// Which colours a thing has, in the basic colour terms that searches know.
import type { Box, Picture } from '../../runtime/picture.ts';
import { type BasicColour, basicColours, labOfHex, shades } from '../models/starter/palette.ts';

interface ColourShare {
  readonly colour: BasicColour;
  /** Share of the examined part of the box, 0 to 1. */
  readonly share: number;
}

/** A colour with less of a thing than this is not one of its colours. */
const leastShare = 0.15;
const mostColours = 3;
/** Steps of each of red, green and blue in the table of colours. */
const steps = 16;
/** Pixels that are looked at along each side of a box. */
const samples = 24;

/** For each of steps³ colours how much it counts as each basic colour; made at the first use. */
let table: Float32Array | null = null;

/**
 * The colours of what is in the box, most first. The corners of a box show what is behind the thing, so its
 * middle is looked at: an ellipse of 0.8 of its sides.
 */
export function coloursOf({ data, width, height }: Picture, box: Box): ColourShare[] {
  table ??= colourTable();
  const sums = new Float64Array(basicColours.length);
  let count = 0;
  for (let row = 0; row < samples; row++) {
    for (let column = 0; column < samples; column++) {
      const [across, down] = [(column + 0.5) / samples, (row + 0.5) / samples];
      if ((across - 0.5) ** 2 + (down - 0.5) ** 2 > 0.16) continue;
      const x = Math.min(width - 1, Math.floor((box[0] + across * box[2]) * width));
      const y = Math.min(height - 1, Math.floor((box[1] + down * box[3]) * height));
      const at = (y * width + x) * 3;
      const cell = ((data[at]! >> 4) * steps + (data[at + 1]! >> 4)) * steps + (data[at + 2]! >> 4);
      for (let i = 0; i < sums.length; i++) sums[i]! += table[cell * sums.length + i]!;
      count++;
    }
  }
  return basicColours
    .map((colour, i) => ({ colour, share: sums[i]! / count }))
    .filter(({ share }) => share >= leastShare)
    .sort((a, b) => b.share - a.share)
    .slice(0, mostColours)
    .map(({ colour, share }) => ({ colour, share: Math.round(Math.min(1, share) * 100) / 100 }));
}

/** Each colour counts as what the nearest sample point of a shade counts as. */
function colourTable(): Float32Array {
  const points = shades.flatMap(({ counts, points: hex }) =>
    hex
      .split(' ')
      .map((colour) => ({ lab: labOfHex(colour), counts: counts as Partial<Record<BasicColour, number>> })),
  );
  const table = new Float32Array(steps ** 3 * basicColours.length);
  for (let cell = 0; cell < steps ** 3; cell++) {
    const parts = [cell >> 8, (cell >> 4) & 15, cell & 15].map((part) => part * 16 + 8);
    const [l, a, b] = labOfHex(parts.map((part) => part.toString(16).padStart(2, '0')).join(''));
    let [nearest, least] = [points[0]!, Number.POSITIVE_INFINITY];
    for (const point of points) {
      const distance = (point.lab[0] - l) ** 2 + (point.lab[1] - a) ** 2 + (point.lab[2] - b) ** 2;
      if (distance < least) [nearest, least] = [point, distance];
    }
    for (const [i, colour] of basicColours.entries())
      table[cell * basicColours.length + i] = nearest.counts[colour] ?? 0;
  }
  return table;
}
