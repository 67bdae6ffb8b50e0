import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { saveNew } from '../../../runtime/files/save-new.ts';

const folder = await mkdtemp(join(tmpdir(), 'save-'));
after(() => rm(folder, { recursive: true, force: true }));

test('documents saved at the same time get different names, and all are complete', async () => {
  const place = join(folder, 'at-once');
  const texts = Array.from({ length: 8 }, (_, i) => `text ${i}`);
  const paths = await Promise.all(texts.map((text) => saveNew(place, 'a.txt', Buffer.from(text))));
  assert.equal(new Set(paths).size, 8);
  assert.deepEqual(await Promise.all(paths.map((path) => readFile(path, 'utf8'))), texts);
});
