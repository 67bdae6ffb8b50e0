import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ShardBuilder } from '../../../../actors/index/text/build.ts';
import { fold, foldRows } from '../../../../actors/index/text/fold.ts';
import { firstRows, type Shard, type TextDocument } from '../../../../actors/index/text/shard.ts';
import { draws } from '../../../shared.ts';

test('all apostrophes are folded alike, and to a sign of its own', () => {
  for (const sign of ['’', '‘', 'ʼ', '´', '′', '＇', '‛']) {
    assert.equal(fold(`Don${sign}t`), "don't", sign);
    const bytes = Buffer.from(`Über don${sign}t`);
    const { bytes: folded } = foldRows(bytes, Uint32Array.of(bytes.length));
    assert.equal(fold(Buffer.from(folded).toString()), "über don't", sign);
  }
});

interface Named extends TextDocument {
  readonly name: string;
  readonly texts: readonly string[];
}

function named(name: string, texts: readonly string[], gone: boolean): Named {
  const encoded = texts.map((text) => Buffer.from(text));
  let end = 0;
  const ends = Uint32Array.from(encoded, ({ length }) => {
    end += length;
    return end;
  });
  return { name, texts, gone, folded: foldRows(Buffer.concat(encoded), ends) };
}

const byName = (a: Named, b: Named) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
const builder = new ShardBuilder<Named>();

test('the first rows of all are the same, whichever shards hold them in whichever order', () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom(...'aB c') }), { maxLength: 6 });
  const one = fc.record({ texts, shard: fc.nat(4), gone: fc.boolean(), place: fc.nat() });
  fc.assert(
    fc.property(
      fc.array(one, { maxLength: 26 }),
      fc.constantFrom(['b'], ['a', 'b'], [' c'], ['abc']),
      fc.integer({ min: 1, max: 12 }),
      (drawn, words, most) => {
        const documents = drawn.map(({ texts, gone, ...at }, i) => ({
          ...at,
          document: named(String.fromCharCode(97 + i), texts, gone),
        }));
        const shards: Shard<Named>[] = [];
        for (const own of Map.groupBy(documents, ({ shard }) => shard).values()) {
          for (const { document } of own.toSorted((a, b) => a.place - b.place)) builder.add(document);
          shards.push(builder.finish());
        }
        const isPicked = ({ name }: Named) => name !== 'c';
        const all = documents.flatMap(({ document }) =>
          document.texts.flatMap((text, row) => {
            const isFound = words.every((word) => fold(text).includes(word));
            return isFound && isPicked(document) && !document.gone ? [`${document.name}${row}`] : [];
          }),
        );
        const needles = words.map((word) => Buffer.from(word));
        const found = firstRows(shards, byName, { needles, pickOf: isPicked, most, pause: () => {} });
        assert.deepEqual(
          found.map(({ document, row }) => `${document.name}${row}`),
          all.slice(0, most),
        );
      },
    ),
    { numRuns: draws(100) },
  );
});
