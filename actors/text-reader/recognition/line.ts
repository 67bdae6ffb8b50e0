// Cuts a line of text out of a picture, straight and as high as the graph that reads it wants it.
import type { Picture } from '../../../runtime/picture.ts';
import { argmax } from '../../models/session.ts';
import type { Rectangle } from '../detection/regions.ts';

/** Height that the graph takes, px. */
export const lineHeight = 48;
/** A shorter line is padded on the right to this width, px; a longer one than the most is squeezed. */
const leastWidth = 320;
const mostWidth = 3200;
/** A region that is taller than wide by this much is a line that runs down, or up. */
const upright = 1.5;
/** Samples for each pixel of the line, in each direction, at most. */
const mostSamples = 4;

interface LineInput {
  /** 3×48×width: blue, green, red from -1 to 1; 0 behind the line. *Owned by the caller.* */
  readonly data: Float32Array;
  readonly width: number;
}

/** True if a region is a line that runs down or up. */
export function isUpright({ width, height }: Rectangle): boolean {
  return height >= width * upright;
}

export function cutLine(picture: Picture, region: Rectangle): LineInput {
  const isTurned = isUpright(region);
  const [length, thickness] = isTurned ? [region.height, region.width] : [region.width, region.height];
  const [ux, uy] = isTurned ? [-region.uy, region.ux] : [region.ux, region.uy];
  const across = Math.max(8, Math.min(mostWidth, Math.ceil((lineHeight * length) / thickness)));
  const width = Math.max(leastWidth, across);
  const size = width * lineHeight;
  const data = new Float32Array(3 * size);
  const [stepX, stepY] = [length / across, thickness / lineHeight];
  const samples = Math.max(1, Math.min(mostSamples, Math.round(stepY)));
  const sums = new Float64Array(3);
  for (let y = 0; y < lineHeight; y++) {
    for (let x = 0; x < across; x++) {
      sums.fill(0);
      for (let sample = 0; sample < samples * samples; sample++) {
        const along = (x + ((sample % samples) + 0.5) / samples) * stepX - length / 2;
        const aside = (y + (Math.floor(sample / samples) + 0.5) / samples) * stepY - thickness / 2;
        addSample(picture, region.x + along * ux - aside * uy, region.y + along * uy + aside * ux, sums);
      }
      for (let plane = 0; plane < 3; plane++) {
        data[plane * size + y * width + x] = sums[2 - plane]! / (samples * samples) / 127.5 - 1;
      }
    }
  }
  return { data, width };
}

/** Adds red, green and blue between the four pixels around a place; what is outside is as the edge. */
function addSample({ data, width, height }: Picture, x: number, y: number, sums: Float64Array): void {
  const [insideX, insideY] = [within(x - 0.5, width - 1), within(y - 0.5, height - 1)];
  const [left, top] = [Math.floor(insideX), Math.floor(insideY)];
  const right = Math.min(width - 1, left + 1);
  const bottom = Math.min(height - 1, top + 1);
  const [shareX, shareY] = [insideX - left, insideY - top];
  for (let channel = 0; channel < 3; channel++) {
    const upper =
      data[(top * width + left) * 3 + channel]! * (1 - shareX) +
      data[(top * width + right) * 3 + channel]! * shareX;
    const lower =
      data[(bottom * width + left) * 3 + channel]! * (1 - shareX) +
      data[(bottom * width + right) * 3 + channel]! * shareX;
    sums[channel]! += upper * (1 - shareY) + lower * shareY;
  }
}

function within(value: number, most: number): number {
  return Math.min(most, Math.max(0, value));
}

// From the probabilities of characters, step by step along a line, to its text.

/** Classes of the graph: none, the characters of the dictionary in its order, a blank. */
export function charactersOf(dictionary: string): string[] {
  const lines = dictionary.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  return ['', ...lines, ' '];
}

export interface ReadText {
  readonly text: string;
  /** Mean probability of the characters that are kept; 0 without any. */
  readonly score: number;
}

/**
 * The likeliest character of each step, repetitions and steps without one left out. `steps`: n×characters.
 */
export function readSteps(steps: Float32Array, characters: readonly string[]): ReadText {
  let [text, sum, count, before] = ['', 0, 0, 0];
  for (let from = 0; from < steps.length; from += characters.length) {
    const best = argmax(steps, from, from + characters.length);
    if (best !== 0 && best !== before) {
      text += characters[best]!;
      sum += steps[from + best]!;
      count++;
    }
    before = best;
  }
  const trimmed = text.trim();
  return { text: trimmed, score: trimmed === '' ? 0 : Math.min(1, sum / count) };
}
