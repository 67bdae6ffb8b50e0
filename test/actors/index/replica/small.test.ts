// Small changes of the log are flushed together, and come to what each would come to by itself.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { indexContract } from '../../../../actors/index/contract.ts';
import type { ReplicaAnswer } from '../../../../actors/index/replica/contract.ts';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import type { Request } from '../../../../runtime/contract.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { type Harness, indexActor } from '../handlers.ts';
import { spoken, turn } from '../voices/spoken.ts';

const library = 'a library';

/** Two replicas in which two people speak in two files each. */
async function setUp(t: TestContext) {
  const base = temporaryFolder(t);
  const replicaIn = async (name: string) => {
    const cache_dir = join(base, name);
    const index = await indexActor(t);
    await index.call('follow', { cache_dir, library });
    for (const [at, hash] of ['aa', 'bb'].entries()) {
      const made = join(base, `${name}-${hash}`);
      const worker = await indexActor(t);
      const turns = [turn(0, 0, 2), turn(1, 2, 4)];
      await spoken(
        worker,
        made,
        hash,
        turns,
        { SPEAKER_00: 1, SPEAKER_01: 2 },
        { path: `/footage/${hash}.mp4` },
      );
      await worker.close();
      await index.call('apply', { cache_dir, library, seq: at + 1, at_ms: 1, from: made, write: null });
    }
    const held = async () => {
      const { transcripts } = await index.call('transcripts', { cache_dir, hashes: ['aa', 'bb'] });
      const page = { cache_dir, under: null, offset: 0, limit: 10 };
      const { media } = await index.call('held_media', page);
      return JSON.stringify([transcripts, media.map(({ path }) => path)]);
    };
    return { index, cache_dir, held };
  };
  return [await replicaIn('one'), await replicaIn('other')] as const;
}

/** As a follower does it: those that were not applied are sent again. */
async function applied(
  index: Harness,
  cache_dir: string,
  changes: Request<typeof indexContract, 'apply_small'>['changes'],
): Promise<ReplicaAnswer[]> {
  const { written } = await index.call('apply_small', { cache_dir, library, changes });
  const rest = changes.slice(written.length);
  return rest.length === 0 ? written : [...written, ...(await applied(index, cache_dir, rest))];
}

const naming = (hash_str: string, speaker: string, name: string) => ({
  name: 'name_speakers',
  request: { hash_str, assignments: [{ speaker, name }] },
});
const writes = [
  naming('aa', 'SPEAKER_00', 'Ada'),
  naming('aa', 'SPEAKER_09', 'nobody'),
  null,
  naming('bb', 'SPEAKER_01', 'Grace'),
  {
    name: 'move_paths',
    request: { moves: [{ from: '/footage/aa.mp4', to: '/footage/new.mp4', volume: null }] },
  },
  naming('aa', 'SPEAKER_00', 'Ada Lovelace'),
  {
    name: 'name_clusters',
    request: { cluster_job_name: 'none', assignments: [{ cluster_id: 'c1', name: 'Ada' }] },
  },
];
const changes = writes.map((write, at) => ({ seq: at + 3, at_ms: 1000 * at, write }));

test('together they come to the same as one by one', async (t) => {
  const [one, other] = await setUp(t);
  const alone: unknown[] = [];
  for (const { write, ...change } of changes) {
    const { cache_dir } = one;
    const own = write && [write];
    alone.push(await one.index.call('apply', { ...change, cache_dir, library, from: null, write: own }));
  }
  const { cache_dir, index } = other;
  const written = await applied(index, cache_dir, changes);
  const plain = (all: readonly unknown[]) =>
    JSON.stringify(all, (key, value) => (key === 'stack' ? '' : value));
  assert.equal(plain(written), plain(alone));
  const refusals = [written[1], written[6]].map((one) => one?.refusal?.code);
  assert.deepEqual(refusals, ['UNKNOWN_SPEAKER', 'UNKNOWN_CLUSTER_JOB']);
  assert.equal(await other.held(), await one.held());
  assert.match(await other.held(), /Ada Lovelace.*new\.mp4/);
  assert.deepEqual(await index.call('followed', { cache_dir }), { library, seq: 9, at_ms: 6000 });
  const again = await applied(index, cache_dir, changes);
  assert.ok(again.every(({ answer, refusal }) => answer === null && refusal === null));
  assert.equal(await other.held(), await one.held(), 'and twice is the same as once');
});

test('when one cannot be applied now, none of them took place', async (t) => {
  const [{ index, cache_dir, held }] = await setUp(t);
  const before = await held();
  // Both are of one turn, however slow the machine is.
  t.mock.method(performance, 'now', () => 0);
  let isFull = true;
  const full = {
    name: 'name_speakers',
    request: {
      hash_str: 'bb',
      get assignments() {
        if (isFull) throw storeErrors.STORE_FULL('No space left');
        return [{ speaker: 'SPEAKER_00', name: 'Alan' }];
      },
    },
  };
  const some = [...changes.slice(0, 1), { seq: 8, at_ms: 1, write: full }];
  await assert.rejects(index.call('apply_small', { cache_dir, library, changes: some }), (error: unknown) =>
    storeErrors.STORE_FULL.is(error),
  );
  assert.equal(await held(), before);
  assert.deepEqual(await index.call('followed', { cache_dir }), { library, seq: 2, at_ms: 1 });
  isFull = false;
  await applied(index, cache_dir, some);
  assert.match(await held(), /Ada.*Alan/);
  await assert.rejects(
    index.call('apply_small', { cache_dir, library: 'another', changes }),
    (error: unknown) => storeErrors.OTHER_LIBRARY.is(error),
  );
});
