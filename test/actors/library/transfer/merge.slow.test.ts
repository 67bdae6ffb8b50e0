// A library that comes again, after both it and the folder it came to have grown.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { LibraryTransfer } from '../../../../actors/library/transfer/contract.ts';
import { exportLibrary } from '../../../../actors/library/transfer/export.ts';
import { importLibrary } from '../../../../actors/library/transfer/import.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord } from '../../index/footage.ts';
import { type Harness, indexActor } from '../../index/handlers.ts';
import { cluster, people, storeFaces } from '../../index/people/faces.ts';
import { readNode, summarise, sweep } from '../../index/summaries/trees.ts';
import { link, namesOf, spoken, turn } from '../../index/voices/spoken.ts';

/** A library with two media, and a folder to which it came. */
async function setUp(t: TestContext) {
  const base = temporaryFolder(t);
  const [here, there, home] = [join(base, 'here'), join(base, 'there'), join(base, 'home')];
  const index = await indexActor(t);
  const other = await indexActor(t);
  const carry = async () => {
    const places = { cacheDir: here, folder: join(base, 'carried'), home, roots: join(home, 'roots.json') };
    const transfer: LibraryTransfer = { ...places, progress: () => {}, signal: new AbortController().signal };
    await exportLibrary(transfer);
    return (await importLibrary({ ...transfer, cacheDir: there })).merged;
  };
  const grow = async (hash: string) => {
    await storeFaces(index, here, hash, [[1], [1, 2]]);
    await spoken(index, here, hash, [turn(0, 0, 5)], { SPEAKER_00: 1 }, { path: `/footage/${hash}.mp4` });
    await summarise(index, here, hash, { collection: { name: 'All', description: '' } });
  };
  await grow('aa');
  await grow('bb');
  await link(index, here, ['aa 0', 'bb 0'], { name: 'Ann' });
  await carry();
  return { index, other, here, there, carry, grow };
}

/** Faces of all clusters that can be read and shown. */
async function facesOf(index: Harness, cache_dir: string, hashes: readonly string[]): Promise<number> {
  await cluster(index, cache_dir, hashes);
  const { clusters } = await people(index, cache_dir);
  return clusters.reduce((sum, { shown }) => sum + shown.length, 0);
}

test('both keep all of their faces when both have found more since', async (t) => {
  const { other, there, carry, grow } = await setUp(t);
  await storeFaces(other, there, 'dd', [[2], [2]]);
  await grow('cc');
  assert.deepEqual(await carry(), { imported: 1, known: 2, different: [], clusterings: [] });
  assert.equal(await facesOf(other, there, ['aa', 'bb', 'cc', 'dd']), 11);
  await other.call('remove_media', { cache_dir: there, hashes: ['cc'] });
  assert.equal(await facesOf(other, there, ['aa', 'bb', 'dd']), 8);
});

test('summaries that were there stay whole', async (t) => {
  const { index, other, here, there, carry, grow } = await setUp(t);
  await grow('cc');
  await carry();
  await sweep(other, there);
  for (const hash of ['aa', 'bb', 'cc']) {
    const node = (at: Harness, cache_dir: string) => readNode(at, cache_dir, hash, '1', null, true);
    assert.deepEqual(await node(other, there), await node(index, here), hash);
  }
});

test('a person whose voice is in what is new is still one', async (t) => {
  const { index, other, here, there, carry, grow } = await setUp(t);
  await grow('cc');
  await link(index, here, ['aa 0', 'cc 0']);
  await carry();
  const assignments = [{ speaker: 'SPEAKER_00', name: 'Anna' }];
  await other.call('name_speakers', { cache_dir: there, hash_str: 'aa', assignments });
  const anna = { SPEAKER_00: 'Anna' };
  assert.deepEqual(await namesOf(other, there, 'aa', 'bb', 'cc'), [anna, anna, anna]);
});

test('what was only looked at there gets the analysis of the library, and keeps its place', async (t) => {
  const { other, there, carry, grow } = await setUp(t);
  const media = mediaRecord('cc', '/elsewhere/cc.mp4');
  await other.call('remember', { cache_dir: there, media });
  await grow('cc');
  assert.equal((await carry())?.imported, 1);
  const { by_hash } = await other.call('find', { cache_dir: there, paths: [], hashes: ['cc'] });
  assert.equal(by_hash[0]?.path, '/elsewhere/cc.mp4');
  assert.equal(await facesOf(other, there, ['aa', 'bb', 'cc']), 9);
});
