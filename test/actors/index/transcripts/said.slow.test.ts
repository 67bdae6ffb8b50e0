import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { columnsOf, packTranscript } from '../../../../actors/index/store/transcripts.ts';
import { ShardBuilder } from '../../../../actors/index/text/build.ts';
import { findSpoken } from '../../../../actors/index/transcripts/handlers.ts';
import {
  inOrder,
  type LoadedTranscript,
  LoadedTranscripts,
  loadedTranscript,
} from '../../../../actors/index/transcripts/loaded.ts';
import { draws } from '../../../shared.ts';
import { mark, segments } from './speech.ts';

const everything = { hashes: null, ranges: new Map(), speaker: null };
const builder = new ShardBuilder<LoadedTranscript>();

/** `shard`: in which it lies; the last one takes what is stored one by one. */
type Film = { readonly texts: readonly string[]; readonly shard: number };
const one = 0;
const last = 3;

function loadedAs(films: readonly Film[]): LoadedTranscripts {
  const loaded = new LoadedTranscripts({ folder: '/f', identity: '' });
  const made = films.map(({ texts, shard }, i) => {
    const hash = String.fromCharCode(97 + i);
    const columns = columnsOf(packTranscript(hash, mark, segments(texts)));
    return { shard, transcript: loadedTranscript(columns, { path: `/${hash}`, version: 0, names: {} }) };
  });
  for (const [shard, own] of Map.groupBy(made, ({ shard }) => shard)) {
    if (shard === last) for (const { transcript } of own) loaded.put(transcript);
    else {
      for (const { transcript } of own.toSorted((a, b) => inOrder(a.transcript, b.transcript)))
        builder.add(transcript);
      loaded.add(builder.finish());
    }
  }
  return loaded;
}

test('where too many rows hold a word, what is found does not depend on how they lie in memory', () => {
  const text = fc
    .array(fc.constantFrom('budget', 'tax', 'taxes', 'green'), { minLength: 1, maxLength: 3 })
    .map((words) => words.join(' '));
  const film = fc.record({
    texts: fc.array(text, { maxLength: 5 }),
    shard: fc.integer({ min: one, max: last }),
  });
  fc.assert(
    fc.property(
      fc.array(film, { minLength: 1, maxLength: 12 }),
      fc.constantFrom('tax', 'budget tax', 'who says green, tax and budget'),
      fc.integer({ min: 1, max: 12 }),
      (films, query, looked) => {
        const told = (loaded: LoadedTranscripts) => {
          const { hits, words } = findSpoken(loaded, query, everything, 50, () => {}, looked);
          return [words, hits.map(({ transcript, segment }) => `${transcript.hash}${segment}`)];
        };
        assert.deepEqual(
          told(loadedAs(films)),
          told(loadedAs(films.map(({ texts }) => ({ texts, shard: one })))),
        );
      },
    ),
    { numRuns: draws(100) },
  );
});
