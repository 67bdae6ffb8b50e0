// How much memory it takes to put the picture of a HEIF item together, told by the sizes its items say. Pure.
import { streamBytes } from '../memory.ts';
import { alphaOf } from './alpha.ts';
import { codings, profileOf } from './coded.ts';
import { type HeifItems, type Item, partsOf } from './items.ts';
import { codedItemSize, deepest, stepsOf } from './layout.ts';

/** Bytes a pixel: a coded picture as the decoder has it, the same in RGB from the scaler, and a copy of that. */
const codedPixel = 8.5;
const rgb = 3;

/** Decoding all of it and handing it to a pipeline. */
export function heifBytes(heif: HeifItems, primary: Item): number {
  const size = codedItemSize(primary)!;
  const pixels = size.width * size.height;
  const alpha = alphaOf(heif, primary);
  const channels = alpha ? 4 : 3;
  const joined = alpha ? 4 * pixels + itemBytes(heif, alpha, 0) : 0;
  // sharp takes the profile in a file, with a copy of the picture.
  const profiled = profileOf(primary.properties) ? channels * pixels : 0;
  return itemBytes(heif, primary, 0) + joined + profiled + streamBytes(size, channels);
}

/** The picture of one item: its canvas, the largest of its parts, and a copy for each cut and turn. */
function itemBytes(heif: HeifItems, item: Item, depth: number): number {
  const size = codedItemSize(item);
  if (!size || depth > deepest) return 0;
  const pixels = size.width * size.height;
  const steps = rgb * pixels * stepsOf(item, size).length;
  if (codings[item.type]) return codedPixel * pixels + steps;
  const parts = partsOf(heif, item).flatMap((id) => heif.items.get(id) ?? []);
  const kinds = new Map(parts.map((part) => [sizeText(part), part]));
  const largest = Math.max(0, ...[...kinds.values()].map((part) => itemBytes(heif, part, depth + 1)));
  return (item.type === 'iden' ? 0 : rgb * pixels) + largest + steps;
}

/** Parts that look alike are counted once: a grid has thousands of tiles. */
function sizeText(item: Item): string {
  const size = codedItemSize(item);
  return codings[item.type]
    ? `${size?.width}x${size?.height} ${stepsOf(item, size ?? { width: 0, height: 0 }).length}`
    : `${item.id}`;
}
