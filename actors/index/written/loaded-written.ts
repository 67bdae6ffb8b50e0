// The text of one media in memory, as it is searched: once as it is read and once without spaces.

import { shownScore } from '../../text-reader/contract.ts';
import type { Rows } from '../text/fold.ts';
import type { TextDocument } from '../text/shard.ts';
import type { WrittenLine } from './contract.ts';
import { withoutAccents } from './fold-written.ts';

export class LoadedWritten implements TextDocument {
  readonly hash: string;
  /** Changes when the media is read again. */
  readonly version: number;
  /** Without spaces. */
  readonly folded: Rows;
  readonly spaced: Rows;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** 1 for a line that is read well. */
  readonly shown: Uint8Array;
  /** Another reading took its place, or the media was forgotten. */
  gone = false;

  constructor(hash: string, version: number, lines: readonly WrittenLine[]) {
    this.hash = hash;
    this.version = version;
    const texts = lines.map(({ text }) => withoutAccents(text));
    this.spaced = rowsOf(texts);
    this.folded = rowsOf(texts.map((text) => text.replace(/\s+/g, '')));
    this.starts = Uint32Array.from(lines, ({ start }) => start);
    this.ends = Uint32Array.from(lines, ({ end }) => end);
    this.shown = Uint8Array.from(lines, ({ score }) => (score >= shownScore ? 1 : 0));
  }

  get rows(): number {
    return this.starts.length;
  }

  /** Bytes in memory. */
  get bytes(): number {
    const { folded, spaced } = this;
    return folded.bytes.byteLength + spaced.bytes.byteLength + 17 * this.rows;
  }
}

function rowsOf(texts: readonly string[]): Rows {
  const encoded = texts.map((text) => Buffer.from(text));
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (const [i, { length }] of encoded.entries()) ends[i] = end += length;
  return { bytes: Buffer.concat(encoded, end), ends };
}
