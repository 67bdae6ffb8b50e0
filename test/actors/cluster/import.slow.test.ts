// An existing library that joins a cluster is on every machine, and never on one alone.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { importForAll } from '../../../actors/cluster/import.ts';
import type { LibraryTransfer } from '../../../actors/library/transfer/contract.ts';
import { exportLibrary } from '../../../actors/library/transfer/export.ts';
import { importLibrary } from '../../../actors/library/transfer/import.ts';
import { skipWithoutPostgres } from '../../system/postgres.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { until } from '../../until.ts';
import { footage } from '../index/footage.ts';
import { indexActor, store } from '../index/handlers.ts';
import { spoken, turn } from '../index/voices/spoken.ts';
import { clusterNodes, type Replica } from './replicas.ts';

const signal = new AbortController().signal;
const path = '/footage/said.mp4';

test('a library that is imported is on every machine, with what people have named', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const nodes = await clusterNodes(t);
  const base = temporaryFolder(t);
  const [old, exported] = [join(base, 'old'), join(base, 'exported')];
  const index = await indexActor(t);
  await store(index, old, 'a1', footage(4, 32, 2, 0.1, 1));
  await store(index, old, 'b2', footage(4, 32, 2, 0.1, 2));
  await spoken(index, old, 'c3', [turn(0, 0, 2)], { SPEAKER_00: 1 }, { path });
  const assignments = [{ speaker: 'SPEAKER_00', name: 'Ada' }];
  await index.call('name_speakers', { cache_dir: old, hash_str: 'c3', assignments });
  await index.close();
  const transfer: LibraryTransfer = {
    ...{ cacheDir: old, folder: exported, home: join(base, 'home'), roots: join(base, 'roots.json') },
    ...{ progress: () => {}, signal },
  };
  await exportLibrary(transfer);

  await nodes.found((made, at) => store(made, at, 'b2', footage(4, 32, 2, 0.1, 2)));
  const [running, later] = [await nodes.join('/footage'), await nodes.join('/footage')];
  running.begin();
  await running.caughtUp();
  // Its data are loaded already.
  assert.deepEqual(await heldBy(running), ['b2']);
  await assert.rejects(importLibrary({ ...transfer, cacheDir: running.cacheDir }), {
    code: 'FOLLOWS_CLUSTER',
    message: /set FRAMEHOUND_CLUSTER/,
  });
  const { files } = await importForAll(nodes.database, nodes.shared, transfer);
  assert.ok(files.length > 0);
  later.begin();
  for (const node of [running, later]) {
    await node.caughtUp();
    assert.deepEqual(await heldBy(node), ['a1', 'b2', 'c3']);
    const request = { cache_dir: node.cacheDir, hashes: ['c3'] };
    const { transcripts } = await node.index.call('transcripts', request);
    assert.deepEqual(transcripts[0]?.names, { SPEAKER_00: 'Ada' });
  }
  await nodes.found((made, at) => store(made, at, 'd4', footage(5, 32, 2, 0.1, 3)));
  await until(async () => (await heldBy(running)).includes('d4'));
});

async function heldBy({ index, cacheDir: cache_dir }: Replica): Promise<string[]> {
  const { media } = await index.call('held_media', { cache_dir, under: null, offset: 0, limit: 100 });
  const { missing, unreadable } = await index.load({ cache_dir, model_key: 'model', hashes: null });
  assert.deepEqual([missing, unreadable], [[], []]);
  return media.map(({ hash_str }) => hash_str).toSorted();
}
