import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { columnsOf, packTranscript } from '../../../../actors/index/store/transcripts.ts';
import { ShardBuilder } from '../../../../actors/index/text/build.ts';
import { phrasesOf, spokenForm } from '../../../../actors/index/text/spoken.ts';
import {
  inOrder,
  type LoadedTranscript,
  LoadedTranscripts,
  loadedTranscript,
} from '../../../../actors/index/transcripts/loaded.ts';
import { draws } from '../../../shared.ts';
import { mark, segments } from './speech.ts';

const everything = { hashes: null, ranges: new Map(), speaker: null };
const texts = fc.array(fc.string({ unit: fc.constantFrom(...'aB c') }), { maxLength: 8 });
const one = fc.record({ hash: fc.constantFrom(...'abcdefgh'), texts, version: fc.nat() });
type One = { readonly hash: string; readonly texts: readonly string[]; readonly version: number };

function transcriptOf({ hash, texts, version }: One) {
  const columns = columnsOf(packTranscript(hash, mark, segments(texts)));
  return loadedTranscript(columns, { path: `/m/${hash}`, version, names: {} });
}

/** Rows in which the query begins, wherever it ends. */
function rowsWith(texts: readonly string[], query: string): number[] {
  const forms = texts.map(spokenForm);
  return [...forms.keys()].filter((row) => {
    const start = forms[row]!.length;
    const whole = forms
      .slice(row)
      .filter((form) => form !== '')
      .join(' ');
    return whole.slice(0, start + query.length - 1).includes(query);
  });
}

test('the first matches are the first of all, whichever shards they lie in, and enough of them are counted', () => {
  const step = fc.oneof(one, fc.uniqueArray(one, { selector: ({ hash }) => hash, minLength: 1 }));
  fc.assert(
    fc.property(
      fc.array(step),
      fc.constantFrom('b', 'a', 'a c', 'abc', 'b a b', 'c c'),
      fc.integer({ min: 1, max: 9 }),
      fc.nat(12),
      (steps, query, most, counted) => {
        const loaded = new LoadedTranscripts({ folder: '/f', identity: '' });
        const builder = new ShardBuilder<LoadedTranscript>();
        const now = new Map<string, readonly string[]>();
        for (const step of steps) {
          const several = Array.isArray(step) ? step : [step];
          for (const { hash, texts } of several) now.set(hash, texts);
          if (Array.isArray(step)) {
            for (const one of step.map(transcriptOf).sort(inOrder)) builder.add(one);
            loaded.add(builder.finish());
          } else loaded.put(transcriptOf(step));
        }
        const all = [...now.keys()]
          .sort()
          .flatMap((hash) => rowsWith(now.get(hash) ?? [], query).map((row) => `${hash}:${row}`));
        const { first, total } = loaded.find(phrasesOf(query), everything, most, counted, () => {});
        assert.deepEqual(
          first.map(({ transcript, segment }) => `${transcript.hash}:${segment}`),
          all.slice(0, most),
        );
        assert.ok(
          total <= all.length && total >= Math.min(all.length, Math.max(most, counted)),
          `${total} of ${all.length}`,
        );
        assert.equal(loaded.segments, [...now.values()].flat().length);
      },
    ),
    { numRuns: draws(40) },
  );
});
