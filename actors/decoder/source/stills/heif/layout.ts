// Size, cut and turn of HEIF items, and how derived items are made of others.
import type { Turned } from '../../../pixels/geometry.ts';
import { rotated, type Size } from '../../coded-size.ts';
import { OutsideFile } from '../../file.ts';
import { streamBytes } from '../still.ts';
import { codings, profileOf } from './coded.ts';
import { Fields, type HeifItems, type Item } from './items.ts';

/** Operations on a picture after decoding, in order. */
export type Step =
  | { readonly cut: Size & { readonly left: number; readonly top: number } }
  | { readonly turn: Turned };

/** Items made of items made of items: more is a circle. */
export const deepest = 8;

/** The size the item says it has before its steps; null where it does not say. */
export function codedItemSize({ properties }: Item): Size | null {
  const found = properties.find(({ type }) => type === 'ispe');
  if (!found) return null;
  const fields = new Fields(found.body);
  fields.full();
  return { width: fields.u(4), height: fields.u(4) };
}

/** In the order in which the file lists them. */
export function stepsOf({ properties }: Item, size: Size): readonly Step[] {
  const steps: Step[] = [];
  let now = size;
  for (const { type, body } of properties) {
    const fields = new Fields(body);
    if (type === 'clap') {
      const cut = cleanAperture(fields, now);
      steps.push({ cut });
      now = { width: cut.width, height: cut.height };
    } else if (type === 'irot') {
      // Anticlockwise in the file.
      const rotation = ((4 - (fields.u(1) & 3)) % 4) * 90;
      steps.push({ turn: { rotation, mirrored: false } });
      now = rotated(now, rotation);
    } else if (type === 'imir') {
      // 0 swaps top and bottom, 1 left and right.
      const sideways = (fields.u(1) & 1) === 1;
      steps.push({ turn: { rotation: sideways ? 0 : 180, mirrored: true } });
    }
  }
  return steps;
}

export function sizeAfter(size: Size, steps: readonly Step[]): Size {
  return steps.reduce(
    (now, step) =>
      'cut' in step ? { width: step.cut.width, height: step.cut.height } : rotated(now, step.turn.rotation),
    size,
  );
}

/**
 * Width, height, and the offset of the middle from that of the picture, each as a fraction. Cuts nothing when
 * impossible.
 */
function cleanAperture(fields: Fields, { width, height }: Size) {
  const fraction = (numerator: number) => numerator / fields.u(4);
  const wide = fraction(fields.u(4));
  const high = fraction(fields.u(4));
  const across = fraction(fields.i32());
  const down = fraction(fields.i32());
  const left = Math.round(across + (width - wide) / 2);
  const top = Math.round(down + (height - high) / 2);
  const cut = { width: Math.round(wide), height: Math.round(high), left, top };
  const possible =
    cut.width > 0 &&
    cut.height > 0 &&
    left >= 0 &&
    top >= 0 &&
    left + cut.width <= width &&
    top + cut.height <= height;
  return possible ? cut : { width, height, left: 0, top: 0 };
}

/** A canvas and where each of the pictures it is made of lies in it. */
export interface Canvas extends Size {
  /** RGB of 0 to 255 where no picture lies. */
  readonly background: readonly [number, number, number];
  /** Null: row by row, each as large as the first. */
  readonly places: readonly { readonly left: number; readonly top: number }[] | null;
  readonly columns: number;
}

/** The body of a `grid` item. Throws OutsideFile when the number of tiles is another one. */
export function parseGrid(bytes: Buffer, tiles: number): Canvas {
  const fields = new Fields(bytes);
  fields.u(1);
  const wide = (fields.u(1) & 1) === 1 ? 4 : 2;
  const rows = fields.u(1) + 1;
  const columns = fields.u(1) + 1;
  if (rows * columns !== tiles) throw new OutsideFile();
  return { width: fields.u(wide), height: fields.u(wide), background: [0, 0, 0], places: null, columns };
}

/** The body of an `iovl` item: pictures laid over each other. */
export function parseOverlay(bytes: Buffer, pictures: number): Canvas {
  const fields = new Fields(bytes);
  fields.u(1);
  const wide = (fields.u(1) & 1) === 1;
  const background = [fields.u(2) >> 8, fields.u(2) >> 8, fields.u(2) >> 8] as const;
  fields.u(2);
  const length = wide ? 4 : 2;
  const size = { width: fields.u(length), height: fields.u(length) };
  const offset = () => (wide ? fields.i32() : (fields.u(2) << 16) >> 16);
  const places = Array.from({ length: pictures }, () => ({ left: offset(), top: offset() }));
  return { ...size, background, places, columns: 0 };
}

// How much memory and work it takes to put the picture of a HEIF item together, told by the sizes its items
// say.

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
