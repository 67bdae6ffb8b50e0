// The texts of one summary in memory: folded, in parts of bounded size, with what is needed to put matches in
// order.
import type { NodeText, TextsOf } from '../store/summaries/summaries.ts';
import { foldRows, type Rows } from '../text/fold.ts';
import type { TextDocument } from '../text/shard.ts';

/** Nodes of one part. */
export const partNodes = 1024;

export interface LoadedSummary extends TextsOf {
  /** Where the file was seen last. */
  path: string;
  /** It was removed, or another one took its place. */
  gone: boolean;
  /** Nodes whose records are damaged are left out. */
  isCut: boolean;
}

/** Some nodes of a summary; a row is one of them. */
export class SummaryPart implements TextDocument {
  readonly summary: LoadedSummary;
  readonly folded: Rows;
  readonly #ids: Rows;
  readonly starts: Uint32Array;
  readonly levels: Uint16Array;

  constructor(summary: LoadedSummary, nodes: readonly NodeText[]) {
    this.summary = summary;
    const texts = rowsOf(nodes.map(({ text }) => text));
    this.folded = foldRows(texts.bytes, texts.ends);
    this.#ids = rowsOf(nodes.map(({ node_id }) => node_id));
    this.starts = Uint32Array.from(nodes, ({ start }) => start);
    this.levels = Uint16Array.from(nodes, ({ level }) => Math.min(level, 0xffff));
  }

  get gone(): boolean {
    return this.summary.gone;
  }

  get rows(): number {
    return this.starts.length;
  }

  /** Bytes in memory. */
  get bytes(): number {
    const { folded, starts, levels } = this;
    const lists = [folded.bytes, folded.ends, this.#ids.bytes, this.#ids.ends, starts, levels];
    return lists.reduce((sum, list) => sum + list.byteLength, 0);
  }

  /** The id of a node. */
  idOf(row: number): string {
    const { bytes, ends } = this.#ids;
    const start = row === 0 ? 0 : ends[row - 1];
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', start, ends[row]);
  }
}

function rowsOf(texts: readonly string[]): Rows {
  const ends = new Uint32Array(texts.length);
  let length = 0;
  for (const [i, text] of texts.entries()) ends[i] = length += Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafeSlow(length);
  for (const [i, text] of texts.entries()) bytes.write(text, i === 0 ? 0 : ends[i - 1]!);
  return { bytes, ends };
}
