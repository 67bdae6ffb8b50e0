import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { saveAs, saveNew } from '../../../runtime/files/save-new.ts';

const folder = await mkdtemp(join(tmpdir(), 'save-'));
after(() => rm(folder, { recursive: true, force: true }));

test('documents saved at the same time get different names, and all are complete', async () => {
  const place = join(folder, 'at-once');
  const texts = Array.from({ length: 8 }, (_, i) => `text ${i}`);
  const paths = await Promise.all(texts.map((text) => saveNew(place, 'a.txt', Buffer.from(text))));
  assert.equal(new Set(paths).size, 8);
  assert.deepEqual(await Promise.all(paths.map((path) => readFile(path, 'utf8'))), texts);
});

test('a document takes the place of one that may be replaced, and of no other', async () => {
  const path = join(folder, 'exact', 'a.txt');
  const asked: string[] = [];
  const save = (text: string, may: boolean) =>
    saveAs(path, Buffer.from(text), async (there) => {
      asked.push(await readFile(there, 'utf8'));
      return may;
    });
  assert.equal(await save('first', false), true);
  assert.equal(await save('second', true), true);
  assert.equal(await readFile(path, 'utf8'), 'second');
  await writeFile(path, 'of another');
  assert.equal(await save('third', false), false);
  assert.equal(await readFile(path, 'utf8'), 'of another');
  assert.deepEqual(asked, ['first', 'of another']);
  assert.deepEqual(await readdir(join(folder, 'exact')), ['a.txt']);
});
