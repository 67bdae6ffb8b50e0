import assert from 'node:assert/strict';
import test from 'node:test';
import { clusterErrors } from '../../../actors/cluster/contract.ts';
import { Together } from '../../../actors/cluster/writes.ts';

test('what comes while a round is at work is the next one, in its order', async () => {
  const rounds: string[][] = [];
  const first = Promise.withResolvers<void>();
  const together = new Together(async (texts) => {
    rounds.push([...texts]);
    if (rounds.length === 1) await first.promise;
  });
  const all = ['a', 'b', 'c'].map((text) => together.add(text));
  first.resolve();
  await Promise.all(all);
  await together.add('d');
  assert.deepEqual(rounds, [['a'], ['b', 'c'], ['d']]);
  rounds.length = 1;
  await Promise.all(['e', 'x'.repeat(2 << 20), 'f'].map((text) => together.add(text)));
  assert.deepEqual(
    rounds.slice(1).map((round) => round.map((text) => text[0])),
    [['e'], ['x'], ['f']],
    'a long one is alone',
  );
});

test('one that the database does not take keeps no other one out', async () => {
  const taken: string[] = [];
  let isAway = false;
  const together = new Together(async (texts) => {
    if (isAway) throw clusterErrors.DATABASE_AWAY();
    if (texts.includes('bad')) throw clusterErrors.DATABASE_REFUSED();
    taken.push(...texts);
  });
  const ends = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((text) => together.add(text)));
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(taken, ['a', 'b', 'c']);
  isAway = true;
  const away = await Promise.allSettled(['d', 'e', 'f'].map((text) => together.add(text)));
  assert.deepEqual(new Set(away.map(({ status }) => status)), new Set(['rejected']));
  isAway = false;
  await together.add('g');
  assert.deepEqual(taken.at(-1), 'g');
});
