import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { NameOrder } from '../../../../actors/exporter/clips/clips.ts';
import type { ClipSpec } from '../../../../actors/exporter/clips/contract.ts';

const wish = (output_name: string): ClipSpec => ({
  media_path: '/film.mp4',
  start_seconds: 1,
  end_seconds: 2,
  output_name,
});

test('a name is given to the clips that want it in their order, also behind one that fails', async () => {
  const order = new NameOrder();
  const first = Promise.withResolvers<void>();
  const named: string[] = [];
  const clip = (name: string, as: string, cut: Promise<void>) =>
    order.next(wish(name), async (before) => {
      await cut;
      await before;
      named.push(as);
    });
  const failure = Promise.reject(new Error('no media'));
  const work = [
    clip('shot', 'first', first.promise),
    clip('Shot.mov', 'failed', failure),
    clip('SHOT', 'third', Promise.resolve()),
    clip('other', 'other', Promise.resolve()),
  ];
  const ends = Promise.allSettled(work);
  await turn();
  assert.deepEqual(named, ['other']);
  first.resolve();
  assert.deepEqual(
    (await ends).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual(named, ['other', 'first', 'third']);
});
