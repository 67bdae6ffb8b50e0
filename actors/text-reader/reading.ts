// Reads the text of one picture: all of it, or what has changed since the picture before.
import { type Blocks, blockSide, blocksOf, changedBlocks, taken } from '../../runtime/blocks.ts';
import { overlap, type Picture } from '../../runtime/picture.ts';
import type { Checkpoint } from '../../runtime/sync/checkpoint.ts';
import { doubtedScore, shownScore, type TextBox, type TextLine, type TextReading } from './contract.ts';
import { type Area, detectionSize, step } from './detection/input.ts';
import { inReadingOrder, type Rectangle, type TextRegion } from './detection/regions.ts';
import type { PaddleReader } from './model.ts';
import { isUpright, type ReadText } from './recognition/line.ts';

// Reads a line, and what seems certain once more, cut otherwise: a letter that is taken for another one is
// then often read as something else.

type Read = (line: Rectangle) => Promise<ReadText>;

/** The dictionary has no ©, which is read as this by itself. */
const standsForAnother = /(^|\s)@(\s|$)/;

/**
 * Certain is what two looks read alike with certainty. `before`: lines of the picture before it, which was
 * another look at those that are still there.
 */
export async function readLine(line: Rectangle, before: readonly TextLine[], read: Read): Promise<ReadText> {
  const { from, ...reading } = await readAlong(line, read);
  if (reading.score < shownScore) return reading;
  if (standsForAnother.test(reading.text)) return { ...reading, score: doubtedScore };
  if (before.some(({ text, score }) => score >= shownScore && isSame(text, reading.text))) return reading;
  const second = await read(closer(from));
  const better = second.score > reading.score ? second : reading;
  if (!isSame(reading.text, second.text) || second.score < shownScore)
    return { ...better, score: doubtedScore };
  // Spaces that are small are missed rather than made up.
  return {
    text: second.text.length > reading.text.length ? second.text : reading.text,
    score: reading.score,
  };
}

/** A line that runs down may as well run up. */
async function readAlong(line: Rectangle, read: Read): Promise<ReadText & { readonly from: Rectangle }> {
  const upright = { ...(await read(line)), from: line };
  if (!isUpright(line)) return upright;
  const from = { ...line, ux: -line.ux, uy: -line.uy };
  const turned = { ...(await read(from)), from };
  return turned.score > upright.score ? turned : upright;
}

/**
 * Crop for the second reading. On the drawn lines that chose it, this crop exposed more wrong readings than
 * wider, shifted, stretched or blurred ones.
 */
function closer(line: Rectangle): Rectangle {
  const less = 0.15 * Math.min(line.width, line.height);
  return { ...line, width: line.width - less, height: line.height - less };
}

/** Spaces do not count, upper and lower case do. */
function isSame(a: string, b: string): boolean {
  const letters = (text: string) => text.replace(/\s+/g, '');
  return letters(a) === letters(b);
}

/** From this overlap on a region is the line that was there. */
const sameLine = 0.5;

/**
 * Scale of the picture in which text is first looked for. At 0.7 some text of 16 px in 720 lines is missed.
 */
const glimpseScale = 0.8;
/** Less of the picture is looked at at once. */
const glimpseFrom = 0.25;

interface ReadPicture {
  readonly reading: TextReading;
  /** Part of the picture in which lines were looked for, beyond whether there are any. */
  readonly looked: number;
  readonly read: number;
}

interface ReadOptions {
  readonly side: number;
  readonly before: TextReading | null;
  /** Awaited before each run of a graph. */
  readonly checkpoint: Checkpoint;
  /** Hands the model over for one run. */
  run<T>(work: (reader: PaddleReader) => Promise<T>): Promise<T>;
}

/** `picture` is *borrowed until the promise settles*. Throws MODEL_RUN_FAILED and CANCELLED. */
export async function readPicture(picture: Picture, options: ReadOptions): Promise<ReadPicture> {
  const now = blocksOf(picture);
  const { before } = options;
  const then = before && { values: new Uint8Array(before.blocks), columns: before.columns };
  const changed = then && changedBlocks(then, now);
  if (!before || !then || !changed) return lookAt(picture, now, null, options);
  const range = rangeOf(changed, now.columns);
  if (range === null) return { reading: before, looked: 0, read: 0 };
  return lookAt(picture, now, { before, then, changed, range }, options);
}

interface Change {
  readonly before: TextReading;
  readonly then: Blocks;
  readonly changed: Uint8Array;
  readonly range: NonNullable<ReturnType<typeof rangeOf>>;
}

async function lookAt(
  picture: Picture,
  now: Blocks,
  change: Change | null,
  { side, checkpoint, run }: ReadOptions,
): Promise<ReadPicture> {
  const size = detectionSize(picture, side);
  const earlier = change?.before.lines ?? [];
  await checkpoint();
  const area = change
    ? await run((reader) => areaWithText(reader, picture, side, change))
    : { left: 0, top: 0, ...size };
  if (area !== null) await checkpoint();
  const regions = area ? await run((reader) => reader.find(picture, size, area)) : [];
  const isUnchanged = (box: TextBox) =>
    change !== null && !anyMarked(change.changed, now.columns, blocksOfBox(box, picture));
  // Unchanged lines keep their earlier reading, also where the part that is read now is too small to find
  // them again.
  const unchanged = earlier.filter(({ box }) => isUnchanged(box));
  const lines: TextLine[] = [...unchanged];
  const readOne = async (line: Rectangle) => {
    await checkpoint();
    return run((reader) => reader.read(picture, line));
  };
  let read = 0;
  for (const region of regions) {
    const box = boxOf(region, picture);
    if (unchanged.some((line) => overlap(line.box, box) >= sameLine)) continue;
    lines.push({ ...(await readLine(region, earlier, readOne)), box });
    read++;
  }
  const { values, columns } = change ? taken(change.then, now, change.changed) : now;
  const reading = { lines: ordered(lines), blocks: values, columns };
  const looked = area ? (area.width * area.height) / (size.width * size.height) : 0;
  return { reading, looked, read };
}

/**
 * The changed part, in pixels of the scaled picture; null without text. If it is large and had no line, a
 * smaller picture decides whether it has text now. The part is larger than a line, because a reading depends
 * a little on what else the graph sees.
 */
async function areaWithText(
  reader: PaddleReader,
  picture: Picture,
  side: number,
  { before: { lines }, range }: Change,
): Promise<Area | null> {
  const size = detectionSize(picture, side);
  const area = areaOf(range, picture, size, lines);
  if (lines.length > 0 || area.width * area.height < glimpseFrom * size.width * size.height) return area;
  const small = detectionSize(picture, Math.max(size.width, size.height) * glimpseScale);
  return (await reader.glimpse(picture, small, areaOf(range, picture, small, lines))) ? area : null;
}

/** The upright box around a region, relative to the picture, and within it. */
function boxOf({ x, y, ux, uy, width, height }: TextRegion, picture: Picture): TextBox {
  const across = (Math.abs(ux) * width + Math.abs(uy) * height) / 2;
  const down = (Math.abs(uy) * width + Math.abs(ux) * height) / 2;
  const share = (value: number, length: number) => Math.min(1, Math.max(0, value / length));
  const [left, top] = [share(x - across, picture.width), share(y - down, picture.height)];
  const [right, bottom] = [share(x + across, picture.width), share(y + down, picture.height)];
  return [left, top, right - left, bottom - top];
}

function ordered(lines: readonly TextLine[]): TextLine[] {
  const placed = lines.map((line) => {
    const [x, y, w, h] = line.box;
    return { line, x: x + w / 2, y: y + h / 2, height: h };
  });
  return inReadingOrder(placed).map(({ line }) => line);
}

// Where text has to be looked for in a picture of a film: around what has changed since it was read.

type Size = Pick<Picture, 'width' | 'height'>;

/** The blocks that a box lies in. */
export function blocksOfBox([x, y, w, h]: TextBox, size: Size): BlockRange {
  const side = blockSide(size);
  const at = (share: number, length: number) => (share * length) / side;
  return [
    Math.floor(at(x, size.width)),
    Math.floor(at(y, size.height)),
    Math.max(Math.floor(at(x, size.width)) + 1, Math.ceil(at(x + w, size.width) - 1e-9)),
    Math.max(Math.floor(at(y, size.height)) + 1, Math.ceil(at(y + h, size.height) - 1e-9)),
  ];
}

/**
 * In pixels of the scaled picture, of whole steps: the blocks with a step around them, and all of each line
 * that reaches into that, so that no line is cut.
 */
export function areaOf(blocks: BlockRange, size: Size, scaled: Size, lines: readonly TextLine[]): Area {
  const side = blockSide(size);
  const [scaleX, scaleY] = [scaled.width / size.width, scaled.height / size.height];
  let edges = inSteps(
    [
      blocks[0] * side * scaleX - step,
      blocks[1] * side * scaleY - step,
      blocks[2] * side * scaleX + step,
      blocks[3] * side * scaleY + step,
    ],
    scaled,
  );
  let remaining = lines;
  for (;;) {
    const reaching = remaining.filter(({ box }) => meets(edges, box, scaled));
    if (reaching.length === 0) break;
    remaining = remaining.filter((line) => !reaching.includes(line));
    for (const { box } of reaching) {
      const [x, y, w, h] = box;
      const { width, height } = scaled;
      edges = inSteps(
        [
          Math.min(edges[0], x * width),
          Math.min(edges[1], y * height),
          Math.max(edges[2], (x + w) * width),
          Math.max(edges[3], (y + h) * height),
        ],
        scaled,
      );
    }
  }
  return { left: edges[0], top: edges[1], width: edges[2] - edges[0], height: edges[3] - edges[1] };
}

type Edges = readonly [left: number, top: number, right: number, bottom: number];

function inSteps([left, top, right, bottom]: Edges, { width, height }: Size): Edges {
  return [
    Math.max(0, Math.floor(left / step) * step),
    Math.max(0, Math.floor(top / step) * step),
    Math.min(width, Math.ceil(right / step) * step),
    Math.min(height, Math.ceil(bottom / step) * step),
  ];
}

function meets([left, top, right, bottom]: Edges, [x, y, w, h]: TextBox, { width, height }: Size): boolean {
  return x * width < right && (x + w) * width > left && y * height < bottom && (y + h) * height > top;
}

// The part of a picture in which blocks are marked.

/** Blocks as columns and rows [left, top, right, bottom), the last ones excluded. */
type BlockRange = readonly [left: number, top: number, right: number, bottom: number];

/** Around all that are marked; null without any. */
export function rangeOf(marks: Uint8Array, columns: number): BlockRange | null {
  let [left, top, right, bottom] = [columns, marks.length, 0, 0];
  for (let at = marks.indexOf(1); at >= 0; at = marks.indexOf(1, at + 1)) {
    const row = Math.floor(at / columns);
    const column = at - row * columns;
    left = Math.min(left, column);
    right = Math.max(right, column + 1);
    top = Math.min(top, row);
    bottom = Math.max(bottom, row + 1);
  }
  return right === 0 ? null : [left, top, right, bottom];
}

export function anyMarked(
  marks: Uint8Array,
  columns: number,
  [left, top, right, bottom]: BlockRange,
): boolean {
  for (let row = top; row < bottom; row++) {
    const begin = row * columns;
    const position = marks.indexOf(1, begin + left);
    if (position >= 0 && position < begin + right) return true;
  }
  return false;
}
