// Work that would block the page, in a thread of its own: reading and scaling pictures, and parsing and
// drawing the data of long films. The page uses it through `work.ts`.
import { expose, transfer } from 'comlink';
import { lanesOfSeen, type SeenLane } from './views/player/seen.ts';

/** Models look at far fewer. */
const MOST_PIXELS_ASIDE = 1024;
const SENT_AS_IT_IS = 300 * 1024;
const types = ['image/jpeg', 'image/png', 'image/webp'];

/**
 * Returns the picture as base64, small enough to be sent with every query. Throws if `file` is no picture.
 */
async function readPicture(file: Blob): Promise<string> {
  const isSmall = file.size <= SENT_AS_IT_IS && types.includes(file.type);
  // Read in any case: a file that only has the name of a picture is told here.
  const bitmap = await createImageBitmap(file);
  const blob = isSmall ? file : await reduced(bitmap);
  bitmap.close();
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(parts.join(''));
}

async function reduced(bitmap: ImageBitmap): Promise<Blob> {
  const scale = Math.min(1, MOST_PIXELS_ASIDE / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const canvas = new OffscreenCanvas(width, Math.max(1, Math.round(bitmap.height * scale)));
  canvas.getContext('2d')!.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type: 'image/jpeg', quality: 0.92 });
}

/** Pixels, and the colours of what is drawn and of marks on it. */
export interface Surface {
  readonly width: number;
  readonly height: number;
  readonly colour: string;
  readonly markColour: string;
  /** Pixel ratio of the screen. */
  readonly scale: number;
}

interface Drawn {
  readonly canvas: OffscreenCanvas;
  values: readonly number[];
}

/** Drawings by the numbers that the page assigns. */
const drawings = new Map<number, Drawn>();

function adopt(id: number, canvas: OffscreenCanvas): void {
  drawings.set(id, { canvas, values: [] });
}

function release(id: number): void {
  drawings.delete(id);
}

/** Values are told once, and drawn as often as the size changes. */
function setValues(id: number, values: readonly number[]): void {
  const drawing = drawings.get(id);
  if (drawing) drawing.values = values;
}

function contextOf(id: number, { width, height, colour }: Surface) {
  const drawing = drawings.get(id);
  const context = drawing?.canvas.getContext('2d');
  if (!drawing || !context) return null;
  // Which clears it, too.
  drawing.canvas.width = width;
  drawing.canvas.height = height;
  context.fillStyle = colour;
  return { context, values: drawing.values };
}

/** Loudness, about the middle. */
function drawSound(id: number, surface: Surface): void {
  const drawing = contextOf(id, surface);
  if (drawing === null) return;
  const { context, values } = drawing;
  const middle = surface.height / 2;
  for (const [x, peak] of columnsOf(values, surface.width).entries()) {
    const half = Math.max(0.5, peak * (middle - 1));
    context.fillRect(x, middle - half, 1, 2 * half);
  }
}

/** How well each second fits, from the bottom, and marks at the top. `marks`: seconds. */
function drawRelevance(id: number, surface: Surface, marks: readonly number[]): void {
  const drawing = contextOf(id, surface);
  if (drawing === null) return;
  const { context, values } = drawing;
  const { width, height, scale, markColour } = surface;
  for (const [x, value] of columnsOf(values, width).entries()) {
    const bar = Math.max(1, Math.round(value * (height - 4 * scale)));
    context.globalAlpha = 0.25 + 0.6 * value;
    context.fillRect(x, height - bar, 1, bar);
  }
  context.globalAlpha = 1;
  context.fillStyle = markColour;
  for (const mark of marks)
    context.fillRect((mark / values.length) * width, 0, Math.max(1, scale), 3 * scale);
}

/** Where something is: pairs of a begin and an end, as shares of the width, each wide enough to be seen. */
function drawSpans(id: number, surface: Surface): void {
  const drawing = contextOf(id, surface);
  if (drawing === null) return;
  const { context, values } = drawing;
  const { width, height, scale } = surface;
  for (let at = 0; at < values.length; at += 2) {
    const [start, end] = [values[at]! * width, values[at + 1]! * width];
    context.fillRect(start, 0, Math.max(2 * scale, end - start), height);
  }
}

/** The greatest of the values that fall into each column; where there are fewer, the one that is there. */
export function columnsOf(values: readonly number[], columns: number): number[] {
  if (values.length === 0) return [];
  return Array.from({ length: columns }, (_, x) => {
    const from = Math.floor((x * values.length) / columns);
    const to = Math.max(from + 1, Math.floor(((x + 1) * values.length) / columns));
    let greatest = 0;
    for (let at = from; at < to; at++) greatest = Math.max(greatest, values[at] ?? 0);
    return greatest;
  });
}

/** `answer`: of `POST /media/seen`. */
function seenLanes(answer: ArrayBuffer): SeenLane[] {
  const lanes = lanesOfSeen(JSON.parse(new TextDecoder().decode(answer)));
  return transfer(
    lanes,
    lanes.flatMap(({ spans, boxes }) => [spans.buffer, boxes.buffer]),
  );
}

const work = { seenLanes, readPicture, adopt, release, setValues, drawSound, drawRelevance, drawSpans };
export type Work = typeof work;

// Tests import it for its pure parts.
if ('WorkerGlobalScope' in globalThis) expose(work);
