import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import { digest, digestBlock, digestBlocks } from '../../../../actors/decoder/probe/hash.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { draws } from '../../../shared.ts';

const folder = mkdtempSync(join(tmpdir(), 'framehound-digest-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const turn = { alive: () => {}, throwIfCancelled: () => {} };

async function whole(path: string): Promise<{ digest: string; parts: number }> {
  let [text, parts] = ['', 1];
  for (let part = 0; part < parts; part++) {
    const answer = await digest({ path, part, before: text }, turn);
    [text, parts] = [answer.digest, answer.parts];
  }
  return { digest: text, parts };
}

test('every byte of a file up to 256 MiB is in its digest, and of none more than 256 MiB', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 45 }), (size) => {
      const blocks = Array.from({ length: digestBlocks(size) }, (_, i) => digestBlock(size, i));
      const last = blocks.at(-1)!;
      assert.equal(blocks[0]!.start, 0);
      assert.equal(last.start + last.length, size);
      const read = blocks.reduce((sum, { length }) => sum + length, 0);
      assert.ok(size <= 2 ** 28 ? read === size : read === 2 ** 28, `${read} of ${size}`);
      for (const [i, { start }] of blocks.entries()) {
        const before = blocks[i - 1];
        assert.ok(before === undefined || start >= before.start + before.length);
      }
    }),
    { numRuns: draws(50) },
  );
});

test('a copy has the same digest, and one byte anywhere makes another', async () => {
  const bytes = Buffer.alloc(17 * 2 ** 20, 7);
  const [a, b] = [join(folder, 'a'), join(folder, 'b')];
  writeFileSync(a, bytes);
  writeFileSync(b, bytes);
  const first = await whole(a);
  assert.deepEqual(await whole(b), first);
  assert.equal(first.parts, 2);
  for (const at of [0, 5 * 2 ** 20 + 3, bytes.length - 1]) {
    const file = await open(b, 'r+');
    await file.write(Buffer.from([8]), 0, 1, at);
    await file.close();
    assert.notEqual((await whole(b)).digest, first.digest);
    writeFileSync(b, bytes);
  }
});

test('a part of a file of 60 GB reads 16 MiB, lives and can be cancelled', async () => {
  const large = join(folder, 'large');
  writeFileSync(large, 'x');
  await truncate(large, 60 * 10 ** 9);
  let signs = 0;
  const answer = await digest({ path: large, part: 3, before: '' }, { ...turn, alive: () => signs++ });
  assert.equal(answer.parts, 16);
  assert.ok(signs > 10);
  const cancelled = {
    ...turn,
    throwIfCancelled: () => {
      throw engineErrors.CANCELLED();
    },
  };
  await assert.rejects(digest({ path: large, part: 0, before: '' }, cancelled), engineErrors.CANCELLED.is);
  await assert.rejects(
    digest({ path: join(folder, 'none'), part: 0, before: '' }, turn),
    mediaErrors.FILE_NOT_FOUND.is,
  );
});
