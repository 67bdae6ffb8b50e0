// Estimates FFmpeg's memory for the header of a file in the MP4 family before FFmpeg opens it. FFmpeg
// allocates an entry for each sample that the header states, and a few bytes can state billions of samples.
// What else a damaged header can make FFmpeg allocate is bounded by the process that probes files.
import type { FileBytes } from './file-bytes.ts';

export interface Promised {
  /** Samples of all tracks and fragments. */
  readonly samples: number;
  /** Bytes of memory that FFmpeg takes for them. */
  readonly memory: number;
}

/** More is promised than the bytes of the file can hold. */
export class EmptyPromise extends Error {}

interface Box {
  readonly type: string;
  /** Where its contents begin and end in the file. */
  readonly start: number;
  readonly end: number;
}

/** Boxes on the way to the tables of samples (ISO/IEC 14496-12, QuickTime). */
const holders = 'moov trak mdia minf stbl edts moof traf'.split(' ');
/** Bytes of FFmpeg's memory for a sample. Measured with FFmpeg 8.1. */
const sampleBytes = 36;

/**
 * `checkpoint`: called between boxes; may throw. Throws EmptyPromise. A file of another kind promises
 * nothing, as does one that is cut off before its header.
 */
export function promisedByMp4(bytes: FileBytes, checkpoint: () => void): Promised {
  let [samples, memory] = [0, 0];
  const readTrack = (box: Box) => {
    const boxes = new Map([...leaves(bytes, box, checkpoint)].map((leaf) => [leaf.type, leaf]));
    const count = statedSamples(bytes, boxes);
    samples += count;
    // An edit list makes FFmpeg keep the samples that it shows once more.
    memory += count * sampleBytes * (boxes.has('elst') ? 2 : 1);
  };
  for (const box of boxesBetween(bytes, 0, bytes.size)) {
    checkpoint();
    if (box.type !== 'moov' && box.type !== 'moof') continue;
    for (const part of boxesBetween(bytes, box.start, box.end)) {
      if (part.type === 'trak') readTrack(part);
      if (part.type !== 'traf') continue;
      for (const leaf of leaves(bytes, part, checkpoint)) {
        if (leaf.type !== 'trun') continue;
        // Each sample of a fragment has a byte at least.
        const count = fits(bytes, leaf.type, bytes.uint(leaf.start + 4), 1);
        samples += count;
        memory += count * sampleBytes;
      }
    }
  }
  return { samples, memory };
}

function statedSamples(bytes: FileBytes, boxes: ReadonlyMap<string, Box>): number {
  const [sizes, compact] = [boxes.get('stsz'), boxes.get('stz2')];
  if (compact) {
    const bits = bytes.uint(compact.start + 7, 1);
    return fits(bytes, 'stz2', bytes.uint(compact.start + 8), bits / 8);
  }
  if (!sizes) return 0;
  const count = bytes.uint(sizes.start + 8);
  const isOneSize = bytes.uint(sizes.start + 4) > 0;
  // FFmpeg makes one entry of many samples where each lasts one tick and is sound.
  if (isOneSize && isPlainSound(bytes, boxes)) return 0;
  return fits(bytes, isOneSize ? 'samples of one size (stsz)' : 'stsz', count, isOneSize ? 1 : 4);
}

function isPlainSound(bytes: FileBytes, boxes: ReadonlyMap<string, Box>): boolean {
  const [handler, times] = [boxes.get('hdlr'), boxes.get('stts')];
  if (!handler || !times) return false;
  const isSound = bytes.at(handler.start + 8, 4).toString('latin1') === 'soun';
  return isSound && bytes.uint(times.start + 4) === 1 && bytes.uint(times.start + 12) === 1;
}

/** The count, where the file has so many bytes for each. */
function fits({ size }: FileBytes, what: string, count: number, bytesEach: number): number {
  if (count * bytesEach <= size) return count;
  throw new EmptyPromise(what.includes(' ') ? `${count} ${what}` : `${count} entries (${what})`);
}

/** The boxes in this one that hold no others. */
function* leaves(bytes: FileBytes, { start, end }: Box, checkpoint: () => void): Generator<Box> {
  for (const box of boxesBetween(bytes, start, end)) {
    checkpoint();
    if (holders.includes(box.type)) yield* leaves(bytes, box, checkpoint);
    else yield box;
  }
}

/**
 * The boxes that follow each other between two places, found where FFmpeg finds them: it takes a box that is
 * longer than what holds it for one that ends there.
 */
function* boxesBetween(bytes: FileBytes, from: number, to: number): Generator<Box> {
  for (let at = from; at + 8 <= to; ) {
    const type = bytes.at(at + 4, 4).toString('latin1');
    const short = bytes.uint(at);
    const isWide = short === 1 && at + 16 <= to;
    const size = isWide ? bytes.uint64(at + 8) : short === 0 ? to - at : short;
    const head = isWide ? 16 : 8;
    if (size < head) return;
    const end = Math.min(at + size, to);
    yield { type, start: at + head, end };
    at = end;
  }
}
