import assert from 'node:assert/strict';
import test from 'node:test';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord } from '../footage.ts';
import { indexActor, someFootage, store } from '../handlers.ts';

test('whose stages were made of previews is told by model, until they are stored again', async (t) => {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  await store(index, cache_dir, 'aa', someFootage(4, 1));
  await store(index, cache_dir, 'bb', someFootage(4, 2));
  const told = async (model_key: string | null) => {
    const { stored, from_previews } = await index.call('stored', {
      cache_dir,
      model_key,
      hashes: ['aa', 'bb', 'cc'],
    });
    return [stored, from_previews];
  };
  const [yes, no] = [true, false];
  assert.deepEqual(await told('model'), [
    [yes, yes, no],
    [no, no, no],
  ]);
  const again = async (from_previews: boolean) => {
    const begun = { cache_dir, hash_str: 'aa', model_key: 'new', dimensions: 2 };
    const { stage } = await index.call('begin', begun);
    const jpeg = Uint8Array.of(0xff, 0xd8, 1);
    await index.call('append', { stage, frames: [0], vectors: Float32Array.of(1, 0), previews: [jpeg] });
    await index.call('commit', { stage, media: mediaRecord('aa'), from_previews });
  };
  await again(true);
  assert.deepEqual(await told('new'), [
    [yes, no, no],
    [yes, no, no],
  ]);
  assert.deepEqual(await told('model'), [
    [yes, yes, no],
    [no, no, no],
  ]);
  assert.deepEqual(await told(null), [
    [yes, yes, no],
    [no, no, no],
  ]);
  await again(false);
  assert.deepEqual(await told('new'), [
    [yes, no, no],
    [no, no, no],
  ]);
});
