import assert from 'node:assert/strict';
import fs, { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Type } from 'typebox';
import {
  createFile,
  privateFile,
  replaceFile,
  type WriteOptions,
} from '../../../runtime/files/atomic-write.ts';
import { readJson, readJsonNow } from '../../../runtime/files/json-file.ts';
import { saveAs, saveNew } from '../../../runtime/files/save-new.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const flushed: WriteOptions = { flush: true };

/** Makes every call of one function of the file system fail. */
function failing(t: TestContext, name: 'linkSync' | 'fsyncSync' | 'renameSync', code: string): () => void {
  const fail = t.mock.method(fs, name, () => {
    throw Object.assign(new Error(code), { code });
  });
  const restore = () => {
    fail.mock.restore();
    syncBuiltinESMExports();
  };
  syncBuiltinESMExports();
  t.after(restore);
  return restore;
}

test('a file is replaced as a whole, by text and by bytes', (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'file');
  for (const data of ['first', Buffer.from('second'), '']) {
    for (const flush of [true, false]) replaceFile(path, data, { flush });
    assert.equal(readFileSync(path, 'utf8'), String(data));
  }
  assert.deepEqual(readdirSync(folder), ['file']);
});

test('a private file and the folders made for it are the owner’s alone', {
  skip: process.platform === 'win32',
}, (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'a', 'b', 'file');
  replaceFile(path, 'first', privateFile);
  replaceFile(path, 'second', privateFile);
  assert.deepEqual(readdirSync(join(folder, 'a', 'b')), ['file']);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(join(folder, 'a')).mode & 0o777, 0o700);
  createFile(join(folder, 'c', 'file'), 'text', privateFile);
  assert.equal(statSync(join(folder, 'c', 'file')).mode & 0o777, 0o600);
});

test('without a folder mode a missing folder is an error', (t) => {
  const path = join(temporaryFolder(t), 'missing', 'file');
  for (const write of [replaceFile, createFile])
    assert.throws(() => write(path, 'text', flushed), { code: 'ENOENT' });
});

test('a folder that cannot be made is an error at once', (t) => {
  const folder = temporaryFolder(t);
  symlinkSync(join(folder, 'gone'), join(folder, 'home'));
  assert.throws(() => replaceFile(join(folder, 'home', 'licenses', 'file'), 'text', privateFile), {
    code: /^(ENOENT|EEXIST)$/,
  });
});

test('of several writers the first creates the file, also on a file system without links', (t) => {
  const folder = temporaryFolder(t);
  const check = (name: string) => {
    const path = join(folder, name);
    const created = ['first', 'second'].map((text) => createFile(path, text, flushed));
    assert.deepEqual(created, [true, false]);
    assert.equal(readFileSync(path, 'utf8'), 'first');
  };
  check('linked');
  // What Linux, macOS and Windows say.
  for (const code of ['EPERM', 'ENOTSUP', 'EISDIR']) {
    const restore = failing(t, 'linkSync', code);
    check(code);
    restore();
  }
  assert.deepEqual(readdirSync(folder).sort(), ['EISDIR', 'ENOTSUP', 'EPERM', 'linked']);
});

test('a name that was reserved and could not be used is free again', (t) => {
  const folder = temporaryFolder(t);
  failing(t, 'linkSync', 'EPERM');
  failing(t, 'renameSync', 'EIO');
  assert.throws(() => createFile(join(folder, 'file'), 'text', flushed), { code: 'EIO' });
  assert.deepEqual(readdirSync(folder), []);
});

test('a write that fails leaves the old file and nothing else', (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'file');
  replaceFile(path, 'old', flushed);
  mkdirSync(join(folder, 'taken'));
  assert.throws(() => replaceFile(join(folder, 'taken'), 'new', flushed));
  failing(t, 'fsyncSync', 'ENOSPC');
  for (const write of [replaceFile, createFile])
    assert.throws(() => write(path, 'new', flushed), { code: 'ENOSPC' });
  assert.equal(readFileSync(path, 'utf8'), 'old');
  assert.deepEqual(readdirSync(folder).sort(), ['file', 'taken']);
});

test('file and folder are flushed when that is asked for, and only then', (t) => {
  const folder = temporaryFolder(t);
  const fsync = t.mock.method(fs, 'fsyncSync');
  syncBuiltinESMExports();
  t.after(() => {
    fsync.mock.restore();
    syncBuiltinESMExports();
  });
  const calls = process.platform === 'win32' ? 1 : 2;
  for (const [flush, expected] of [
    [false, 0],
    [true, calls],
  ] as const) {
    fsync.mock.resetCalls();
    replaceFile(join(folder, 'file'), 'text', { flush });
    assert.equal(fsync.mock.callCount(), expected);
  }
});

const folder = temporaryFolder();

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

const Key = Type.Object({ version: Type.Literal(1), name: Type.String() });

test('a file is read whole and checked; what is wrong is said without its text', async (t) => {
  const folder = temporaryFolder(t);
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
