// How much memory and work it takes to put the picture of a HEIF item together, told by the sizes its items
// say.
import type { Size } from '../../coded-size.ts';
import { streamBytes } from '../memory.ts';
import { codings, profileOf } from './coded.ts';
import { Fields, type HeifItems, type Item } from './items.ts';
import { codedItemSize, deepest, stepsOf } from './layout.ts';

/**
 * Bytes a pixel: a coded picture as the decoder has it, the same in RGB from the scaler, and a copy of that.
 */
const codedPixel = 8.5;
const rgb = 3;

/** Decoding all of it and handing it to a pipeline. */
export function heifBytes(heif: HeifItems, primary: Item): number {
  const size = codedItemSize(primary)!;
  const pixels = size.width * size.height;
  const alpha = alphaOf(heif, primary);
  const channels = alpha ? 4 : 3;
  const joined = alpha ? 4 * pixels + itemBytes(heif, alpha) : 0;
  // sharp takes the profile in a file, with a copy of the picture.
  const profiled = profileOf(primary.properties) ? channels * pixels : 0;
  return itemBytes(heif, primary) + joined + profiled + streamBytes(size, channels);
}

/** An item takes as much work as one of so many px, at least. */
const leastPixels = 64 * 64;

/**
 * Pixels of all items that are decoded or painted, its opacity among them; an item as often as it is used.
 */
export function paintedPixels(heif: HeifItems, primary: Item): number {
  const pixelsOf = (item: Item) =>
    ofTree(heif, item, ({ width, height }, _item, parts) =>
      parts.reduce((sum, part) => sum + part, Math.max(leastPixels, width * height)),
    );
  const alpha = alphaOf(heif, primary);
  return pixelsOf(primary) + (alpha ? pixelsOf(alpha) : 0);
}

/** The picture of one item: its canvas, the largest of its parts, and a copy for each cut and turn. */
function itemBytes(heif: HeifItems, primary: Item): number {
  return ofTree(heif, primary, (size, item, parts) => {
    const pixels = size.width * size.height;
    const steps = rgb * pixels * stepsOf(item, size).length;
    if (codings[item.type]) return codedPixel * pixels + steps;
    const largest = parts.reduce((most, part) => Math.max(most, part), 0);
    return (item.type === 'iden' ? 0 : rgb * pixels) + largest + steps;
  });
}

/**
 * A number of an item by those of its parts. Each item is looked at once a level: many may share their parts.
 */
function ofTree(
  heif: HeifItems,
  primary: Item,
  numberOf: (size: Size, item: Item, parts: readonly number[]) => number,
): number {
  const known = Array.from({ length: deepest + 1 }, () => new Map<number, number>());
  const visit = (id: number, depth: number): number => {
    const item = heif.items.get(id);
    const size = item && codedItemSize(item);
    if (!size || depth > deepest) return 0;
    const found = known[depth]!.get(id);
    if (found !== undefined) return found;
    const parts = codings[item.type] ? [] : (heif.parts.get(id) ?? []);
    const number = numberOf(
      size,
      item,
      parts.map((part) => visit(part, depth + 1)),
    );
    known[depth]!.set(id, number);
    return number;
  };
  return visit(primary.id, 0);
}

// Which item of a HEIF file is the opacity of another one.

/** The item that is the opacity of `item`. */
export function alphaOf({ items, references }: HeifItems, item: Item): Item | undefined {
  return references
    .filter(({ type, to }) => type === 'auxl' && to.includes(item.id))
    .map(({ from }) => items.get(from))
    .find(isAlpha);
}

function isAlpha(item: Item | undefined): boolean {
  const found = item?.properties.find(({ type }) => type === 'auxC');
  if (!found) return false;
  const fields = new Fields(found.body);
  fields.full();
  return ['urn:mpeg:hevc:2015:auxid:1', 'urn:mpeg:mpegB:cicp:systems:auxiliary:alpha'].includes(
    fields.text(),
  );
}
