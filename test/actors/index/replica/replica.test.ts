// A folder that follows the library of a cluster takes what other engines found, and nothing else.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { footage, mediaRecord } from '../footage.ts';
import { bundlesOf, indexActor, openIn, store } from '../handlers.ts';
import { spoken, turn } from '../voices/spoken.ts';

const library = 'a library';

async function setUp(t: TestContext) {
  const base = temporaryFolder(t);
  const replica = join(base, 'replica');
  const index = await indexActor(t);
  await index.call('follow', { cache_dir: replica, library });
  return { base, replica, index };
}

/** In an engine of its own, which has ended. */
async function elsewhere(
  t: TestContext,
  cache_dir: string,
  work: (index: Awaited<ReturnType<typeof indexActor>>) => Promise<unknown>,
): Promise<string> {
  const index = await indexActor(t);
  await work(index);
  await index.close();
  return cache_dir;
}

test('what was found elsewhere takes its place stage by stage', async (t) => {
  const { base, replica, index } = await setUp(t);
  const vectors = footage(4, 32, 2, 0.1, 1);
  const adopt = (seq: number, from: string | null, at_ms = 1000 * seq) =>
    index.call('apply', { cache_dir: replica, library, seq, at_ms, from, write: null });
  const pictures = await elsewhere(t, join(base, 'pictures'), (at) =>
    store(at, join(base, 'pictures'), 'aa', vectors),
  );
  await adopt(1, pictures);
  const speech = await elsewhere(t, join(base, 'speech'), (at) =>
    spoken(at, join(base, 'speech'), 'aa', [turn(0, 0, 2)], { SPEAKER_00: 1 }, { path: '/footage/aa.mp4' }),
  );
  await adopt(2, speech);
  const held = await index.call('held_media', { cache_dir: replica, under: null, offset: 0, limit: 10 });
  assert.equal(held.total, 1);
  const [media] = held.media;
  assert.deepEqual(
    media?.results.flatMap(({ type, count, stored_ms }) =>
      stored_ms === null ? [] : [[type, count, stored_ms]],
    ),
    [
      ['video', 4, 1000],
      ['speech', 1, 2000],
    ],
    'both stages, each with the time of its change',
  );
  assert.deepEqual(await index.load({ cache_dir: replica, model_key: 'model', hashes: null }), {
    ...{ media: 1, vectors: 4 },
    ...{ missing: [], unreadable: [] },
  });
  const again = await elsewhere(t, join(base, 'again'), (at) =>
    store(at, join(base, 'again'), 'aa', footage(6, 32, 2, 0.1, 2)),
  );
  await adopt(3, again);
  assert.equal(bundlesOf(replica, 'aa').length, 1, 'the vectors before are removed');
  assert.deepEqual(openIn(replica), []);
  assert.deepEqual(await index.call('followed', { cache_dir: replica }), { library, seq: 3, at_ms: 3000 });
});

test('a change that was cut short is applied again, and one that is known is not', async (t) => {
  const { base, replica, index } = await setUp(t);
  const made = join(base, 'made');
  await elsewhere(t, made, (at) => store(at, made, 'aa', footage(4, 32, 2, 0.1, 1)));
  // As a crash leaves it between the move of a bundle and the transaction.
  const [bundle = ''] = bundlesOf(made, 'aa');
  mkdirSync(join(replica, 'open'), { recursive: true });
  renameSync(bundle, join(replica, 'open', basename(bundle)));
  const change = { cache_dir: replica, library, seq: 1, at_ms: 1, from: made, write: null };
  await index.call('apply', change);
  await index.call('apply', { ...change, from: join(base, 'never') });
  const { vectors } = await index.load({ cache_dir: replica, model_key: 'model', hashes: null });
  assert.equal(vectors, 4);
});

test('nothing else is written there, and a folder with analyses follows nothing', async (t) => {
  const { base, replica, index } = await setUp(t);
  const refused = (name: string) => (error: unknown) =>
    storeErrors.FOLLOWS_CLUSTER.is(error) || assert.fail(name);
  await assert.rejects(
    index.call('remember', { cache_dir: replica, media: mediaRecord('aa') }),
    refused('remember'),
  );
  await assert.rejects(store(index, replica, 'aa', footage(4, 32, 2, 0.1, 1)), refused('begin'));
  await assert.rejects(index.call('remove_media', { cache_dir: replica, hashes: ['aa'] }), refused('remove'));
  const own = join(base, 'own');
  await store(index, own, 'aa', footage(4, 32, 2, 0.1, 1));
  const isOther = (error: unknown) => storeErrors.OTHER_LIBRARY.is(error);
  await assert.rejects(index.call('follow', { cache_dir: own, library }), isOther);
  await assert.rejects(index.call('follow', { cache_dir: replica, library: 'another' }), isOther);
});
