// The black bars of a film. They are the same in all of it, so they are told from pictures at fixed moments
// of the file, whatever is decoded of it and from where on: a pass that is taken up again in the middle
// leaves out the same, and a dark scene keeps its dark. The first picture that reaches all four borders says
// that there are none, so most films cost one.
import type { Turn } from '../../../runtime/actor.ts';
import { isMediaError, type PictureShape } from '../contract.ts';
import type { Frame } from '../ffmpeg.ts';
import { Grid } from '../grid.ts';
import { readHead } from '../packets/head.ts';
import { PictureDecoder } from '../packets/picture-decoder.ts';
import { type Bars, barsOf, fillsFrame, type Levels, levelsOf, together } from '../pixels/bars.ts';
import { PictureFiller } from '../pixels/picture.ts';
import { isStillContainer, openSource, type Source } from '../source/source.ts';
import { codedSize, pictureSeconds } from '../source/stream.ts';
import { decodeAlone } from './grid-pictures.ts';
import { near, seekNear } from './seek.ts';

/** Pictures looked at, at most, and seconds between two of them at least. */
const [mostPictures, leastApart] = [12, 2];
/**
 * Seconds from the start within which they lie where the length is not known, or where every seek reads the
 * file.
 */
const [unknownLength, readLength] = [10, 600];
/** Size at which they are looked at, px. */
const side = 320;
const shape: PictureShape = { width: side, height: side, fit: 'stretch', resample: 'area' };

type BarsTurn = Pick<Turn, 'throwIfCancelled' | 'alive' | 'reserve' | 'log'>;

/**
 * Null where there are none, and for films without times, in which no moment can be found. Always decoded in
 * software, so that a device changes nothing. Errors: CANCELLED; what is wrong with the file is left to who
 * decodes it.
 */
export async function filmBars(path: string, turn: BarsTurn): Promise<Bars | null> {
  try {
    const source = await openSource(path, { turn, pictures: 0 });
    try {
      return await barsIn(source, turn);
    } finally {
      source.close();
    }
  } catch (error) {
    if (!isMediaError(error)) throw error;
    turn.log.debug('not looked at for black bars', { path, error });
    return null;
  }
}

async function barsIn(source: Source, turn: BarsTurn): Promise<Bars | null> {
  const allLevels: Levels[] = [];
  const filler = new PictureFiller(shape, source.video?.codecpar.colorTrc ?? 0);
  const rgb = new Uint8Array(side * side * 3);
  try {
    for await (const frame of probedPictures(source, turn)) {
      filler.fill(frame, codedSize(source.video!), rgb);
      const levels = levelsOf(rgb, side, side);
      if (fillsFrame(levels)) return null;
      allLevels.push(levels);
    }
  } finally {
    filler.close();
  }
  return allLevels.length === 0 ? null : barsOf(together(allLevels));
}

/** Key pictures shortly before some moments, each once, *borrowed until the next*. */
async function* probedPictures(source: Source, turn: BarsTurn): AsyncGenerator<Frame> {
  const { video, reader, start, timed } = await readHead(source, turn);
  if (!timed && !isStillContainer(source.container)) return;
  // The key picture of an open GOP is decoded without what precedes it; it is intact all the same.
  const decoder = PictureDecoder.open(source, { corrupt: true });
  let last: number | null = null;
  try {
    for (const moment of momentsOf(source)) {
      turn.throwIfCancelled();
      turn.alive();
      if (moment >= near) {
        const grid = new Grid(video.timeBase, start ?? 0, moment);
        const entry = await seekNear({ source, reader, grid, from: 0, turn }, start ?? 0);
        // A container in which one seek fails does not support the others either.
        if (entry === null) return;
        if (entry === last) continue;
        last = entry;
      }
      const frame = nextAlone(source, decoder);
      if (!frame) continue;
      try {
        yield frame;
      } finally {
        frame.free();
      }
    }
  } finally {
    decoder.close();
  }
}

/** The picture of the next packet, *moved* to the caller; null where there is none. */
function nextAlone(source: Source, decoder: PictureDecoder): Frame | null {
  const packet = source.next();
  try {
    return packet && decodeAlone(decoder, packet);
  } finally {
    packet?.free();
  }
}

/** Seconds, ascending: the middles of equal parts. */
function momentsOf(source: Source): number[] {
  if (isStillContainer(source.container)) return [0];
  const length = pictureSeconds(source) ?? unknownLength;
  const span = source.seeksByReading ? Math.min(length, readLength) : length;
  const count = Math.min(mostPictures, Math.max(1, Math.floor(span / leastApart)));
  return Array.from({ length: count }, (_, i) => ((i + 0.5) * span) / count);
}
