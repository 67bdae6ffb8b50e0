// Moments that are found by names.
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import test from 'node:test';
import type { Moment } from '../../../actors/search/moments/contract.ts';
import { momentWorld, told } from './moment-world.ts';

const { w, b, cache_dir, ask, found } = await momentWorld();
await w.search.transcripts.load(cache_dir);
await w.search.load(cache_dir);
await w.search.loadPeople(cache_dir);

test('people are found by a part of their name, the rest is searched where they are, and others are excluded', async () => {
  const ray = await found({ query: 'ray', kinds: ['person', 'seen'] });
  assert.deepEqual(told(ray.moments), ['bb@1 person1']);
  // Ann is seen in both films, Bob in one scene of the other.
  const red = await found({ query: 'Bob in red', kinds: ['person', 'seen'] });
  assert.deepEqual(new Set(red.moments.map(({ hash_str }) => hash_str)), new Set(['bb']));
  assert.ok(red.counts.seen >= 1, JSON.stringify(red.counts));
  const both = await found({ query: 'Ann', kinds: ['person'] });
  assert.deepEqual(new Set(both.moments.map(({ hash_str }) => hash_str)), new Set(['aa', 'bb']));
  const bobAt = (await found({ query: 'Bob', kinds: ['person'] })).moments[0]!;
  for (const excluding of [{ query: 'Ann, not Bob' }, { query: 'Ann', exclude: ['ray'] }]) {
    const { moments } = await found({ ...excluding, kinds: ['person'] });
    const isWithBob = (one: Moment) =>
      one.hash_str === 'bb' && one.start_seconds < bobAt.end_seconds && bobAt.start_seconds < one.end_seconds;
    assert.deepEqual(
      moments.map((one) => told([one])[0]),
      both.moments.filter((one) => !isWithBob(one)).map((one) => told([one])[0]),
    );
  }
  const nobody = await ask({ query: 'not Bob' });
  assert.deepEqual(
    [nobody.status, nobody.body.message],
    [400, 'query: only excludes people; say what to find'],
  );
  const { moments: named, counts } = await found({ query: 'bob', kinds: ['name'] });
  assert.deepEqual(
    named.flatMap(({ reasons }) => reasons),
    [{ kind: 'name', rank: 1, of: 'person', name: 'Bob Ray' }],
  );
  assert.deepEqual(counts, { seen: 0, said: 0, person: 0, written: 0, name: 1 });
});

test('speakers, lists and files are found by their names, before what is only weak', async () => {
  const carl = await found({ query: 'Carl', kinds: ['name'] });
  assert.deepEqual(told(carl.moments), ['aa@0 name1']);
  assert.deepEqual(carl.moments[0]!.reasons, [{ kind: 'name', rank: 1, of: 'speaker', name: 'Carl' }]);
  const lists = await found({ query: 'rough cut', kinds: ['name'] });
  assert.deepEqual(told(lists.moments), ['bb@3 name1']);
  assert.deepEqual(lists.moments[0]!.reasons, [{ kind: 'name', rank: 1, of: 'list', name: 'Rough cut' }]);
  const filtered = { segments_to_frame_indices: { [b]: [5, 8] }, media_paths: [b] };
  assert.deepEqual((await found({ query: 'rough cut', kinds: ['name'], ...filtered })).moments, []);
  // The folder that holds all of them tells none of them from the others.
  assert.deepEqual((await found({ query: basename(w.folder), kinds: ['name'] })).moments, []);
  const { moments } = await found({ query: 'Carl four', explain: true });
  const isWeak = ({ reasons }: Moment) =>
    reasons.every((one) => one.kind === 'seen' && one.explanation?.band === 'weak');
  const places = moments.map(isWeak);
  assert.deepEqual(places, places.toSorted(), JSON.stringify(told(moments)));
  assert.deepEqual((await found({ query: 'nobody at all', kinds: ['name'] })).moments, []);
});
