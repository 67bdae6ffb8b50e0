// Headers of films in the MP4 family that promise as much as is wanted, in a few hundred bytes.
import { box, u32 } from './heif.ts';

export interface Promising {
  /** Samples, all of one size in bytes; 0 makes a size of 0 for each, which are not in the file. */
  readonly samples?: number;
  readonly size?: number;
  /** FFmpeg's four letters of the kind of track and of its codec. */
  readonly handler?: 'vide' | 'soun';
  readonly codec?: string;
  /** Instead of those that say what `samples` says: boxes of the sample table. */
  readonly tables?: readonly Buffer[];
  /** Beside them. */
  readonly more?: readonly Buffer[];
  /** Seconds of each edit. */
  readonly edits?: readonly number[];
  readonly behind?: readonly Buffer[];
}

const ints = (...values: number[]) => Buffer.concat(values.map(u32));
const text = (value: string) => Buffer.from(value, 'latin1');
const zeros = (length: number) => Buffer.alloc(length);

/** A box with a version, then numbers. */
export const table = (name: string, ...numbers: number[]) => box(name, ints(0, ...numbers));

export const fileType = box('ftyp', text('isom\0\0\0\0isom'));
const timescale = 1000;

export function promisingFilm(promising: Promising = {}): Buffer {
  return Buffer.concat([
    fileType,
    promisingHeader(promising),
    ...(promising.behind ?? []),
    box('mdat', zeros(64)),
  ]);
}

/** The box `moov`: a track of a tick a sample. */
export function promisingHeader(promising: Promising): Buffer {
  const { handler = 'vide', edits = [] } = promising;
  const movie = box('mvhd', ints(0, 0, 0, timescale, 0), zeros(80));
  const list = edits.flatMap((seconds) => [seconds * timescale, 0, 0x10000]);
  const edited = edits.length > 0 ? [box('edts', table('elst', edits.length, ...list))] : [];
  const media = box(
    'mdia',
    box('mdhd', ints(0, 0, 0, timescale, 0, 0)),
    box('hdlr', ints(0, 0), text(handler), zeros(13)),
    box('minf', box('stbl', ...sampleTables(promising))),
  );
  const track = box('tkhd', ints(3, 0, 0, 1, 0, 0), zeros(60));
  return box('moov', movie, box('trak', track, ...edited, media));
}

function sampleTables(promising: Promising): readonly Buffer[] {
  const { samples = 10, size = 1, handler = 'vide', codec = 'mp4v', tables, more = [] } = promising;
  const descriptions = box('stsd', ints(0, 1), handler === 'vide' ? video(codec) : sound(codec));
  const usual = [
    table('stts', 1, samples, 1),
    table('stsc', 1, 1, samples, 1),
    table('stsz', size, samples),
    table('stco', 1, 100),
  ];
  return [descriptions, ...(tables ?? usual), ...more];
}

function video(codec: string): Buffer {
  return box(codec, zeros(7), Buffer.of(1), zeros(16), Buffer.of(0, 64, 0, 64), zeros(50));
}

function sound(codec: string): Buffer {
  return box(codec, zeros(7), Buffer.of(1), zeros(8), Buffer.of(0, 2, 0, 16, 0, 0, 0, 0, 0xbb, 0x80, 0, 0));
}

/** A fragment with samples that have no bytes in the header. */
export function fragment(samples: number): Buffer {
  return box('moof', box('traf', box('tfhd', ints(0x20000, 1)), table('trun', samples)));
}
