import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sampledRows } from '../../../../actors/index/visual/background.ts';
import { everything } from '../../../../actors/index/visual/catalog.ts';
import { standing } from '../../../../actors/index/visual/handlers.ts';
import { ScaleCache } from '../../../../actors/index/visual/scale-cache.ts';
import { near, randomVector, seeded } from '../footage.ts';
import { type Film, Library } from './library.ts';

const d = 32;

/** Films of up to `most` seconds of random looks. */
function films(count: number, most: number): Film[] {
  const random = seeded(count + most);
  return Array.from({ length: count }, (_, film) => ({
    hash: `${film}f${film * 7}`,
    vectors: Array.from({ length: 1 + Math.floor((random() + 0.5) * most) }, () => randomVector(d, random)),
  }));
}

/** Loaded in this order. */
function loaded(list: readonly Film[]): Library {
  const at = new Library(d);
  for (const film of list) at.add([film]);
  return at;
}

const query = { pictures: [], textWeight: 1, exclude: [], words: [] };

test('the same frames stand for a library, whichever order it was loaded in', () => {
  for (const list of [films(5, 100), films(40, 300)]) {
    const total = list.reduce((sum, { vectors }) => sum + vectors.length, 0);
    const of = (order: readonly Film[]) => {
      const picks = loaded(order).catalog.picks(everything);
      return [...sampledRows(picks)]
        .map((row) => {
          const { run } = picks.findLast((pick) => pick.row <= row)!;
          return `${run.media.hash}@${run.position + row - run.row}`;
        })
        .sort();
    };
    const rows = of(list);
    assert.equal(new Set(rows).size, rows.length);
    assert.ok(total <= 2048 ? rows.length === total : Math.abs(rows.length - 2048) < 50, `${rows.length}`);
    assert.deepEqual(of(list.toReversed()), rows);
  }
});

test('property: loading in another order changes no standing; excluding something only takes', () => {
  const list = films(12, 300);
  const random = seeded(3);
  const text = near(list[3]!.vectors[0]!, 0.7, random);
  const picture = near(list[5]!.vectors[0]!, 0.9, random);
  const excluded = near(list[3]!.vectors[0]!, 0.6, random);
  const moments = list.map(({ hash }) => ({ hash_str: hash, frame_index: 0 }));
  const request = { ...query, text, pictures: [picture], words: [picture] };
  const of = (order: readonly Film[], exclude: Float32Array[]) =>
    standing(loaded(order), new ScaleCache(), { ...request, exclude }, moments);
  const plain = of(list, []);
  fc.assert(
    fc.property(fc.shuffledSubarray(list, { minLength: list.length }), (order) => {
      assert.deepEqual(of(order, []), plain);
    }),
    { numRuns: 8 },
  );
  const less = of(list, [excluded]);
  assert.deepEqual(less.background, plain.background);
  for (const [i, found] of less.scores.entries()) {
    const { lost, lowered, ...scores } = found!;
    const { lost: _, lowered: __, ...before } = plain.scores[i]!;
    assert.deepEqual(scores, before);
    assert.ok(lost >= 0);
    assert.deepEqual(lowered, [lost > 0]);
  }
  assert.deepEqual(less.scores[3]!.lowered, [true]);
});

test('a moment that is not loaded has no standing, and words that weigh nothing have no say', () => {
  const list = films(2, 9);
  const at = loaded(list);
  const text = randomVector(d, seeded(1));
  const moments = [
    { hash_str: 'gone', frame_index: 0 },
    { hash_str: list[0]!.hash, frame_index: 999 },
    { hash_str: list[0]!.hash, frame_index: 0 },
  ];
  const { scores } = standing(
    at,
    new ScaleCache(),
    { ...query, text, pictures: [text], textWeight: 0 },
    moments,
  );
  assert.deepEqual(scores.slice(0, 2), [null, null]);
  assert.equal(scores[2]!.text, null);
});
