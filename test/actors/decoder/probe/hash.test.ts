import assert from 'node:assert/strict';
import { appendFile, copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { hashedRanges } from '../../../../actors/decoder/probe/hash.ts';
import { askIdentity } from '../ask-decoder.ts';
import { clips } from '../footage/clips.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'framehound-hash-'));
});
after(() => rm(folder, { recursive: true, force: true }));

test('the hashed ranges lie inside the file and begin and end with it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 45 }), (size) => {
      const ranges = hashedRanges(size);
      assert.equal(ranges[0]!.start, 0);
      assert.equal(ranges.at(-1)!.start + ranges.at(-1)!.length, size);
      for (const { start, length } of ranges) assert.ok(start >= 0 && start + length <= size);
      assert.equal(ranges.length, size < 3 * 2 ** 20 ? 1 : 3);
    }),
  );
});

test('the content hash survives renaming and differs for other content', async () => {
  const path = join(folder, 'one.mp4');
  await copyFile(await clips[0]!.make(), path);
  const first = await askIdentity(path);
  const second = join(folder, 'other name.mp4');
  await rename(path, second);
  assert.equal((await askIdentity(second)).hash_str, first.hash_str);
  await appendFile(second, 'x');
  assert.notEqual((await askIdentity(second)).hash_str, first.hash_str);
});
