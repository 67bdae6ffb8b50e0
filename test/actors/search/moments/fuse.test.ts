import assert from 'node:assert/strict';
import test from 'node:test';
import {
  fewPerMedia,
  fuse as fusing,
  type HitKind,
  type ListHit,
  longScene,
  mostReasons,
} from '../../../../actors/search/moments/fuse.ts';
import { atOnce } from '../../../../runtime/sync/checkpoint.ts';
import { draws } from '../../../shared.ts';
import { seeded } from '../../index/footage.ts';

const fuse = <R>(lists: readonly (readonly ListHit<R>[])[]) => atOnce(fusing(lists));

type Reason = { readonly kind: HitKind; readonly rank: number; readonly name: string };
type At = {
  readonly hash?: string;
  readonly end?: number;
  readonly scene?: readonly [number, number] | null;
};

function hit(
  kind: HitKind,
  time: number,
  { hash = 'aa', end = time, scene = null }: At = {},
  name = '',
): ListHit<Reason> {
  const reason = (rank: number) => ({ kind, rank, name });
  return { kind, hash, path: `/${hash}`, time, start: time, end, scene, reason };
}
const told = (moments: ReturnType<typeof fuse<Reason>>) =>
  moments.map(
    ({ hash, time, reasons }) =>
      `${hash}@${time} ${reasons.map(({ kind, rank }) => kind[0] + kind[1]! + rank).join(' ')}`,
  );

test('hits in one scene are one moment with several reasons, and worth more than each alone', () => {
  const scene = [0, 20] as const;
  const seen = [hit('seen', 50), hit('seen', 3, { scene })];
  const said = [hit('said', 80, { end: 82 }), hit('said', 15, { end: 18, scene })];
  assert.deepEqual(told(fuse([seen, said])), ['aa@3 se2 sa2', 'aa@50 se1', 'aa@80 sa1']);
});

test('hits within two seconds are one moment, those further apart are two', () => {
  assert.deepEqual(told(fuse([[hit('seen', 10)], [hit('said', 12, { end: 15 })]])), ['aa@10 se1 sa1']);
  assert.deepEqual(told(fuse([[hit('seen', 10)], [hit('said', 12.1, { end: 15 })]])), [
    'aa@10 se1',
    'aa@12.1 sa1',
  ]);
  assert.equal(fuse([[hit('seen', 10)], [hit('said', 10, { hash: 'bb' })]]).length, 2);
});

test('pictures on both sides of a cut stay two moments, however near', () => {
  const both = [hit('seen', 9, { scene: [0, 10] }), hit('seen', 10, { scene: [10, 20] })];
  assert.equal(fuse([both]).length, 2);
});

test('of a long scene the half minutes count, and a moment is no longer than that', () => {
  const scene = [0, 600] as const;
  const said = [100, 105, 400].map((time) => hit('said', time, { end: time + 2, scene }));
  const moments = fuse([said]);
  assert.deepEqual(
    moments.map(({ start, end, reasons }) => [start, end, reasons.length]),
    [
      [90, 120, 2],
      [390, 420, 1],
    ],
  );
  const short = fuse([[hit('said', 5, { end: 7, scene: [0, longScene] })]]);
  assert.deepEqual([short[0]!.start, short[0]!.end], [0, longScene]);
});

test('a chain of hits, each near the next, is not one endless moment', () => {
  const said = Array.from({ length: 100 }, (_, i) => hit('said', i * 1.5, { end: i * 1.5 + 1 }));
  const moments = fuse([said]);
  assert.ok(moments.length > 20, `${moments.length}`);
  assert.ok(moments.every(({ reasons }) => reasons.length < 8));
});

test('very many reasons of one moment are cut, the best stay', () => {
  const said = Array.from({ length: 50 }, (_, i) => hit('said', i / 2, { end: i / 2 + 0.4, scene: [0, 30] }));
  const [moment] = fuse([said]);
  assert.deepEqual(
    moment!.reasons.map(({ rank }) => rank),
    Array.from({ length: mostReasons }, (_, i) => i + 1),
  );
});

/** Lists as searches make them: what is seen once a scene, words and people anywhere. */
function someLists(seed: number) {
  const random = seeded(seed);
  const pick = (most: number) => Math.floor(random() * most);
  const hash = () => 'abcd'[pick(4)]!;
  const sceneOf = (time: number): [number, number] => [
    Math.floor(time / 8) * 8,
    Math.floor(time / 8) * 8 + 8,
  ];
  const make = (kind: HitKind, list: number) => {
    const taken = new Set<string>();
    return Array.from({ length: 60 }, () => {
      const time = kind === 'said' ? pick(2000) / 10 : pick(200);
      const of = hash();
      // What nobody looked at has no scenes.
      const scene = of < 'c' ? sceneOf(time) : null;
      return hit(kind, time, { hash: of, scene, end: kind === 'seen' ? time : time + pick(4) }, `${list}`);
    }).filter((one) => {
      const key = kind === 'seen' ? `${one.hash} ${one.scene?.[0] ?? one.time}` : `${one.hash} ${one.time}`;
      return taken.size < taken.add(key).size;
    });
  };
  return (['seen', 'said', 'person', 'person'] as const).map(make);
}

test('property: the order of the lists changes nothing', () => {
  for (let seed = 1; seed <= draws(30); seed++) {
    const [a, b, c, d] = someLists(seed) as [
      ListHit<Reason>[],
      ListHit<Reason>[],
      ListHit<Reason>[],
      ListHit<Reason>[],
    ];
    const expected = fuse([a, b, c, d]);
    for (const lists of [
      [d, c, b, a],
      [b, d, a, c],
    ])
      assert.deepEqual(fuse(lists), expected, `${seed}`);
    assert.deepEqual(fuse([a, [], b, c, d]), expected);
  }
});

test('property: every hit is the reason of one moment, each moment has another second, best worth first', () => {
  for (let seed = 1; seed <= draws(30); seed++) {
    const lists = someLists(seed);
    const moments = fuse(lists);
    const reasons = moments.reduce((sum, one) => sum + one.reasons.length, 0);
    assert.equal(reasons, lists.flat().length);
    const ids = new Set(moments.map(({ hash, time }) => `${hash}@${Math.floor(time)}`));
    assert.equal(ids.size, moments.length, `${seed}`);
    // With one list a moment is worth its best rank.
    const alone = fuse([lists[0]!]).map(({ reasons }) => reasons[0]!.rank);
    assert.deepEqual(
      alone,
      alone.toSorted((a, b) => a - b),
    );
  }
});

test('property: a hit of one more list never makes a moment worth less', () => {
  for (let seed = 1; seed <= draws(30); seed++) {
    const [seen] = someLists(seed) as [ListHit<Reason>[]];
    const moments = fuse([seen]);
    const { hash, time } = moments[moments.length >> 1]!;
    const one = seen.find((hit) => hit.hash === hash && hit.time === time)!;
    const place = (lists: ListHit<Reason>[][]) =>
      fuse(lists).findIndex(({ hash, time }) => hash === one.hash && time === one.time);
    const person = {
      ...one,
      kind: 'person' as const,
      reason: (rank: number) => ({ kind: 'person' as const, rank, name: '' }),
    };
    assert.ok(place([seen, [person]]) <= place([seen]));
    assert.equal(
      place([seen, [person]]),
      0,
      'the first of one list and in the other is before all of one list',
    );
  }
});

test('a file that is found by its name is a reason of its best moment, or a moment of its own', () => {
  const file = (hash: string) => ({
    ...hit('name', 0, { hash, end: Number.POSITIVE_INFINITY }),
    isFile: true,
  });
  const seen = [hit('seen', 40), hit('seen', 10), hit('seen', 10, { hash: 'cc' })];
  assert.deepEqual(told(fuse([seen, [file('bb'), file('aa')]])), [
    'aa@40 se1 na2',
    'bb@0 na1',
    'aa@10 se2',
    'cc@10 se3',
  ]);
});

test('a few of each media, the best ones', () => {
  const all = ['a', 'a', 'b', 'a', 'b', 'c'].map((hash, i) => ({ hash, i }));
  assert.deepEqual(
    fewPerMedia(all, 1).map(({ i }) => i),
    [0, 2, 5],
  );
  assert.deepEqual(
    fewPerMedia(all, 2).map(({ i }) => i),
    [0, 1, 2, 4, 5],
  );
});

test('long lists are fused in steps, between which others come in', () => {
  const kinds = ['seen', 'said', 'person'] as const;
  const lists = kinds.map((kind) => Array.from({ length: 5000 }, (_, at) => hit(kind, at * 10)));
  const steps = fusing(lists);
  let pauses = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) pauses++;
  assert.ok(pauses > 15, `${pauses}`);
  assert.deepEqual(step.value, fuse(lists));
});
