import assert from 'node:assert/strict';
import test from 'node:test';
import type { Reason } from '../../../../actors/search/moments/contract.ts';
import type { ListHit } from '../../../../actors/search/moments/fuse.ts';
import type { KindFound } from '../../../../actors/search/moments/lists.ts';
import { joinNames } from '../../../../actors/search/moments/names.ts';
import { note } from '../../../../actors/search/notes/contract.ts';

const scope = { missing: [], unloaded: [], requested: new Map() };
const hit = (kind: 'seen' | 'name', hash: string, time = 0): ListHit<Reason> => ({
  ...{ kind, hash, path: `/${hash}`, time, start: time, end: time + 1, scene: null },
  ...(kind === 'name' && { isFile: true }),
  reason: (rank) =>
    kind === 'seen' ? { kind, rank } : { kind, rank, of: 'file' as const, name: `${hash}.mp4` },
});
const found = (...hits: ListHit<Reason>[]): KindFound => ({ lists: [hits], notes: [], scope });
const unknown = (...words: string[]): KindFound => ({
  ...found(),
  notes: [
    note('NOT_UNDERSTOOD', { model_key: 'm', names: words, count: words.length, commands: [] }),
    note('NOTHING_READ', {}),
  ],
  not_understood: { words, model_keys: [], advice: null },
});
const never = () => assert.fail('is not asked');

test('words that are a name need not be understood in pictures', async () => {
  const { seen, name } = await joinNames(
    { seen: unknown('kakadu'), name: found(hit('name', 'aa')) },
    never,
    never,
    'Kakadu',
  );
  assert.deepEqual([seen.not_understood, seen.notes.length, name.lists[0]?.length], [undefined, 1, 1]);
});

test('a word that is excluded is said to be not understood, though the others are a name', async () => {
  const both = { seen: unknown('kakadu', 'xyzzy'), name: found(hit('name', 'aa')) };
  const { seen } = await joinNames(both, never, never, 'Kakadu');
  const names = seen.notes.flatMap((one) => (one ? (one.values.names ?? []) : []));
  assert.deepEqual(names, ['xyzzy']);
});

test('the words beside a name that no model understands are searched in its files, which come in that order', async () => {
  const asked: unknown[] = [];
  const named = async (words: string) => {
    asked.push(words);
    return found(hit('name', 'aa'), hit('name', 'bb'), hit('name', 'cc'));
  };
  const seenOf = async (query: string, within: object) => {
    asked.push(query, Object.keys(within));
    return found(hit('seen', 'cc', 4), hit('seen', 'bb', 2), hit('seen', 'cc', 9));
  };
  const both = { seen: unknown('kakadu'), name: found() };
  const { seen, name } = await joinNames(both, named, seenOf, 'Kakadu at night');
  assert.deepEqual(asked, ['kakadu', 'at night', ['aa', 'bb', 'cc']]);
  assert.deepEqual([seen.lists[0]?.length, seen.not_understood], [3, undefined]);
  assert.deepEqual(
    name.lists[0]?.map(({ hash }) => hash),
    ['cc', 'bb', 'aa'],
  );
  const nothing = await joinNames(both, async () => found(), never, 'Kakadu at night');
  assert.equal(nothing.seen, both.seen);
});
