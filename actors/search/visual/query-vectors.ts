// What a search needs to make vectors of what is asked, and those of its words.
import type { Ref } from '../../../runtime/ref.ts';
import type { SlotPool } from '../../../runtime/slots.ts';
import type { decoderContract } from '../../decoder/contract.ts';
import type { embedderContract, TextPart } from '../../embedder/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import { now } from '../call-options.ts';
import type { VisualModels } from '../models/contract.ts';

export interface QueryParts {
  readonly decoder: Ref<typeof decoderContract>;
  /** Turns pictures into vectors. */
  readonly embedder: Ref<typeof embedderContract>;
  /**
   * Turns texts into vectors, in a thread of its own: a question does not wait behind a batch of pictures.
   */
  readonly textEmbedder: Ref<typeof embedderContract>;
  readonly index: Ref<typeof indexContract>;
  readonly pool: SlotPool;
  readonly models: Pick<VisualModels, 'active' | 'open' | 'state'>;
}

export interface TextVectors {
  readonly query: Float32Array | null;
  /** k×d. */
  readonly exclude: Float32Array | null;
  /** Of the query: the words a model with a vocabulary of its own knows. */
  readonly known: readonly string[];
  /** Of the query. */
  readonly unknown: readonly string[];
  /** Of what is excluded, and not of the query. */
  readonly unknownExcluded: readonly string[];
  /** Of the query: known words by which the model finds little of what is meant. */
  readonly weak: readonly string[];
  /** Of the query: what it asks for, one by one; none of models that take a text as a whole. */
  readonly parts: readonly TextPart[];
  /** For each text that is excluded: false where the model knows no word of it. */
  readonly understoodExcluded: readonly boolean[];
}

const noWords: TextVectors = {
  ...{ query: null, exclude: null, known: [], unknown: [], unknownExcluded: [], weak: [] },
  ...{ parts: [], understoodExcluded: [] },
};

/** The vectors of a query and of what it excludes. */
export async function textVectors(
  { textEmbedder }: QueryParts,
  model_key: string,
  query: string | null,
  exclude: readonly string[],
  signal: AbortSignal | undefined,
): Promise<TextVectors> {
  if (!query) return noWords;
  const texts = [query, ...exclude];
  const { vectors, unknown_words, known_words, weak_words, parts, understood } = await textEmbedder.ask(
    'texts',
    { model_key, texts },
    now(signal),
  );
  const [unknown = [], ...excludedWords] = unknown_words;
  const d = vectors.length / texts.length;
  const rows = texts.map((_, row) => vectors.slice(row * d, (row + 1) * d));
  const excluded = rows.filter((_, row) => row > 0 && understood[row]);
  return {
    query: understood[0] ? rows[0]! : null,
    exclude: excluded.length > 0 ? joined(excluded) : null,
    known: known_words[0] ?? [],
    weak: weak_words?.[0] ?? [],
    parts: parts?.[0] ?? [],
    understoodExcluded: understood.slice(1),
    unknown,
    unknownExcluded: [...new Set(excludedWords.flat())].filter((word) => !unknown.includes(word)),
  };
}

/** One after the other, *copied*: k×d of rows of d, or of several each. */
export function joined(rows: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(rows.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const row of rows) {
    all.set(row, at);
    at += row.length;
  }
  return all;
}
