// Estimates FFmpeg's memory for the header of a file in the MP4 family before FFmpeg opens it. FFmpeg
// allocates entries by the counts in the header, and a few bytes can promise billions of samples.

import { inflateSync } from 'node:zlib';
import { type Box, boxesBetween, FileBytes, mostEntries, sampleBytes, Track, timescaleOf } from './track.ts';

export interface Promised {
  /** Samples of all tracks and fragments. */
  readonly samples: number;
  /**
   * Bytes of memory that FFmpeg takes for them and for the tables that it makes by a promised number alone.
   */
  readonly memory: number;
}

/** More is promised than the bytes of the file can hold. */
export class EmptyPromise extends Error {}

/** Boxes that hold others which FFmpeg reads. */
const holders = new Set(
  'moov trak mdia minf stbl edts udta mvex moof traf dinf tref ilst sinf schi wave mfra'.split(' '),
);
/** Tables whose first number after version and flags says how many rows follow, and the bytes of a row. */
const tables: Readonly<Record<string, number>> = {
  stts: 8,
  ctts: 8,
  stsc: 12,
  stco: 4,
  co64: 8,
  stss: 4,
  stps: 4,
};
/** Bytes of each item of a list that FFmpeg allocates by the stated count alone. */
const itemBytes = 8;
/** Bytes of each fragment and each track in FFmpeg. */
const fragmentBytes = 72;
/** FFmpeg goes no deeper. */
const mostDepth = 10;
/** A compressed header is no longer; one of ten hours is a tenth of it. */
const mostInflated = 256 * 2 ** 20;

/**
 * `checkpoint`: called between boxes; may throw. Throws EmptyPromise. A file of another kind promises
 * nothing, as does one that is cut off before its header.
 */
export function promisedByMp4(bytes: FileBytes, checkpoint: () => void): Promised {
  const header = new Header(bytes, bytes.size, checkpoint);
  header.read(0, bytes.size, 0);
  return header.promised;
}

class Header {
  readonly #bytes: FileBytes;
  /** Space in the file. */
  readonly #room: number;
  readonly #checkpoint: () => void;
  #movieTimescale = 0;
  #track: Track | null = null;
  #tracks = 0;
  #fragments = 0;
  #samples = 0;
  #memory = 0;

  constructor(bytes: FileBytes, room: number, checkpoint: () => void) {
    this.#bytes = bytes;
    this.#room = room;
    this.#checkpoint = checkpoint;
  }

  get promised(): Promised {
    return { samples: this.#samples, memory: this.#memory + this.#fragments * this.#tracks * fragmentBytes };
  }

  read(from: number, to: number, depth: number) {
    if (depth > mostDepth) return;
    for (const box of boxesBetween(this.#bytes, from, to)) {
      this.#checkpoint();
      this.#box(box, depth);
    }
  }

  #box(box: Box, depth: number) {
    const { type, start, end } = box;
    if (type === 'trak') this.#readTrack(box, depth);
    else if (type === 'meta') this.read(this.#metaStart(box), end, depth + 1);
    else if (type === 'cmov') this.#inflated(box);
    else if (type === 'stsd') this.#descriptions(box, depth);
    else if (holders.has(type) || this.#isHiddenHeader(box)) this.read(start, end, depth + 1);
    else this.#leaf(box);
    if (type === 'moof') this.#fragments++;
  }

  /** FFmpeg reads a header that a program has struck out, where there is no other. */
  #isHiddenHeader({ type, start }: Box): boolean {
    if (type !== 'free' && type !== 'hoov') return false;
    return ['mvhd', 'cmov'].includes(this.#bytes.at(start + 4, 4).toString('latin1'));
  }

  #leaf(box: Box) {
    const { type, start } = box;
    const rowBytes = tables[type];
    if (rowBytes !== undefined) this.#table(box, rowBytes);
    else if (type === 'keys' || type === 'senc') this.#memory += itemBytes * this.#bytes.uint(start + 4);
    else if (type === 'iinf') this.#memory += itemBytes * this.#versioned(box, 1, start + 4);
    else if (type === 'stsz' || type === 'stz2') this.#sizes(box);
    else if (type === 'trun') this.#run(box);
    else if (type === 'elst') this.#edits(box);
    else if (type === 'sbgp') this.#groups(box);
    else if (type === 'sgpd') this.#memory += this.#groupDescriptions(box);
    else if (type === 'iloc') this.#memory += itemBytes * this.#versioned(box, 2, start + 6);
    else if (type === 'sidx') this.#fragments += this.#bytes.uint(this.#sidxItems(box), 2);
    else if (type === 'tfra') this.#fragments += this.#fits(box, this.#bytes.uint(start + 12), 11);
    else if (type === 'mvhd') this.#movieTimescale = timescaleOf(this.#bytes, box);
    else if (type === 'mdhd') this.#track?.mediaHeader(box);
    else if (type === 'hdlr') this.#track?.handler(box);
  }

  /** FFmpeg makes its entries at the end of a track. */
  #readTrack({ start, end }: Box, depth: number) {
    const track = new Track(this.#bytes);
    this.#track = track;
    this.#tracks++;
    this.read(start, end, depth + 1);
    this.#track = null;
    if (track.alikeSamples > this.#room)
      throw new EmptyPromise(`${track.alikeSamples} samples of one size (stsz)`);
    this.#samples += track.samples;
    this.#memory += track.memory(this.#movieTimescale);
  }

  /** It may begin as other boxes do or with a version; FFmpeg looks for what comes first in it. */
  #metaStart({ start, end }: Box): number {
    for (let at = start; at + 8 <= end && at < start + 64; at += 4)
      if (this.#bytes.at(at + 4, 4).toString('latin1') === 'hdlr') return at;
    return start + 4;
  }

  /** A compressed header (QuickTime): its methods, then its length and the data. */
  #inflated({ start, end }: Box) {
    const length = this.#bytes.uint(start + 20);
    if (length > mostInflated) throw new EmptyPromise(`a compressed header of ${length} bytes (cmov)`);
    let data: Buffer;
    try {
      const packed = Buffer.from(this.#bytes.at(start + 24, Math.max(0, end - start - 24)));
      data = inflateSync(packed, { maxOutputLength: mostInflated });
    } catch {
      // FFmpeg reads none of it either.
      return;
    }
    const inside = new Header(FileBytes.inMemory(data), this.#room + data.length, this.#checkpoint);
    inside.read(0, data.length, 1);
    this.#samples += inside.promised.samples;
    this.#memory += inside.promised.memory + data.length;
  }

  /** Codecs may have boxes of any kind behind their fields, whose length depends on the codec. */
  #descriptions(box: Box, depth: number) {
    this.#track?.sampleDescriptions(box);
    const body = Buffer.from(this.#bytes.at(box.start, box.end - box.start));
    const names = ['stsz', 'stz2', 'trun', 'elst', 'sbgp', 'sgpd', 'senc', 'keys', 'iinf', 'iloc', 'ctts'];
    for (const name of names)
      for (let at = body.indexOf(name); at >= 4; at = body.indexOf(name, at + 4))
        this.read(box.start + at - 4, box.end, depth + 1);
  }

  #table({ type, start, end }: Box, rowBytes: number) {
    const count = this.#fits({ type }, this.#bytes.uint(start + 4), rowBytes);
    this.#track?.table(type, { count, start: start + 8, end });
  }

  #sizes(box: Box) {
    const isCompact = box.type === 'stz2';
    const count = this.#bytes.uint(box.start + 8);
    const bits = isCompact
      ? this.#bytes.uint(box.start + 7, 1)
      : this.#bytes.uint(box.start + 4) > 0
        ? 0
        : 32;
    this.#track?.sampleSizes(box, this.#fits(box, count, bits / 8), isCompact);
  }

  /** Each sample of a fragment has a byte at least, also where the header has none for it. */
  #run(box: Box) {
    const flags = this.#bytes.uint(box.start + 1, 3);
    const numbers = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length;
    const count = this.#fits(box, this.#bytes.uint(box.start + 4), Math.max(1, 4 * numbers));
    this.#samples += count;
    this.#memory += Math.min(count, mostEntries) * sampleBytes;
  }

  /** FFmpeg counts the rows by the length of the box. */
  #edits({ type, start, end }: Box) {
    const rowBytes = this.#bytes.uint(start, 1) === 1 ? 20 : 12;
    const count = Math.max(0, Math.floor((end - start - 8) / rowBytes));
    this.#track?.table(type, { count, start: start + 8, end });
  }

  #groups({ type, start, end }: Box) {
    if (this.#bytes.at(start + 4, 4).toString('latin1') !== 'sync') return;
    const at = start + (this.#bytes.uint(start, 1) === 1 ? 12 : 8);
    const count = this.#fits({ type }, this.#bytes.uint(at), 8);
    this.#track?.table(type, { count, start: at + 4, end });
  }

  #groupDescriptions({ type, start }: Box): number {
    if (this.#bytes.at(start + 4, 4).toString('latin1') !== 'sync') return 0;
    const version = this.#bytes.uint(start, 1);
    return this.#fits({ type }, this.#bytes.uint(start + 8 + 4 * Math.min(version, 2)), 1);
  }

  /** A number that has 4 bytes from a version of the box on, and 2 before. */
  #versioned({ start }: Box, wideFrom: number, at: number): number {
    return this.#bytes.uint(at, this.#bytes.uint(start, 1) < wideFrom ? 2 : 4);
  }

  #sidxItems({ start }: Box): number {
    return start + (this.#bytes.uint(start, 1) === 0 ? 22 : 30);
  }

  /** The count, where the file has so many bytes for each. */
  #fits({ type }: Pick<Box, 'type'>, count: number, bytesEach: number): number {
    if (count * bytesEach > this.#room) throw new EmptyPromise(`${count} entries (${type})`);
    return count;
  }
}
