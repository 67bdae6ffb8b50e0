import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { Type } from 'typebox';
import { readJson, readJsonNow } from '../../../runtime/files/json-file.ts';

const Key = Type.Object({ version: Type.Literal(1), name: Type.String() });

test('a file is read whole and checked; what is wrong is said without its text', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'key.json');
  const withVersion = (value: object) => ({ version: 1, ...value });
  assert.equal(readJsonNow(Key, path), undefined);
  assert.equal(await readJson(Key, join(path, 'below')), undefined);
  writeFileSync(path, '{"name":"a","colour":"red"}');
  assert.equal(await readJson(Key, join(path, 'below')), undefined, 'below a file there is none');
  const value = { version: 1, name: 'a', colour: 'red' };
  assert.deepEqual(readJsonNow(Key, path, withVersion), value);
  assert.deepEqual(await readJson(Key, path, withVersion), value);
  const wrong: [string, string][] = [
    ['{"name": secret', 'is not JSON'],
    ['', 'is not JSON'],
    ['["secret"]', 'is not a JSON object'],
    ['null', 'is not a JSON object'],
    ['{"version":1,"name":["secret"]}', 'has unexpected contents: /name must be a string'],
  ];
  for (const [text, message] of wrong) {
    writeFileSync(path, text);
    assert.throws(() => readJsonNow(Key, path), { message });
    await assert.rejects(readJson(Key, path), { message });
  }
  mkdirSync(join(folder, 'folder'));
  assert.throws(() => readJsonNow(Key, join(folder, 'folder')), {
    message: 'cannot be read (EISDIR)',
    code: 'EISDIR',
  });
});
