import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import test from 'node:test';
import { analysisErrors } from '../../actors/analysis/contract.ts';
import { findMedia } from '../../cli/find-media.ts';
import { engineErrors } from '../../runtime/errors.ts';

function tree(files: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-walk-'));
  for (const file of files) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), '');
  }
  return folder;
}

test('folders give their media in order, hidden files and the analysis folder left out', async () => {
  const odd = ['it\'s "b".mov', 'new\nline.mp4', 'grün 映画.MKV'];
  const folder = tree([
    'z.mp4',
    'a/1.jpg',
    'a/notes.txt',
    '.hidden/x.mp4',
    '.x.mp4',
    'cache/data.mp4',
    ...odd,
  ]);
  const { files, failures } = await findMedia([folder], join(folder, 'cache'));
  assert.deepEqual(
    files.map((file) => relative(folder, file)),
    ['a/1.jpg', ...odd, 'z.mp4'].sort(),
  );
  assert.deepEqual(failures, []);
  rmSync(folder, { recursive: true });
});

test('folders of the system and partial files are left out as by watching, unless they are named', async () => {
  const system = ['#recycle', '$RECYCLE.BIN', 'lost+found', '@eaDir'];
  const folder = tree([...system.map((name) => `${name}/x.mp4`), 'recycle/y.mp4', 'z.temp.mp4']);
  const { files, failures } = await findMedia([folder], '/nowhere');
  assert.deepEqual(
    files.map((file) => relative(folder, file)),
    ['recycle/y.mp4'],
  );
  assert.deepEqual(failures, []);
  const named = await findMedia([join(folder, '#recycle')], '/nowhere');
  assert.deepEqual(named.files, [join(folder, '#recycle', 'x.mp4')]);
  rmSync(folder, { recursive: true });
});

test('a file named outright is taken whatever its ending, and once', async () => {
  const folder = tree(['odd.bin', 'a.mp4']);
  symlinkSync(join(folder, 'a.mp4'), join(folder, 'again.mp4'));
  const { files } = await findMedia([join(folder, 'odd.bin'), folder], '/nowhere');
  assert.deepEqual(
    files.map((file) => relative(folder, file)),
    ['odd.bin', 'a.mp4'],
  );
  rmSync(folder, { recursive: true });
});

test('a link that leads back, a dangling link and a missing path are reported, not followed', async () => {
  const folder = tree(['deep/a.mp4']);
  symlinkSync(folder, join(folder, 'deep', 'loop'));
  symlinkSync(join(folder, 'nothing'), join(folder, 'dangling.mp4'));
  const missing = join(folder, 'missing.mp4');
  const { files, failures } = await findMedia([folder, missing], '/nowhere');
  assert.deepEqual(
    files.map((file) => relative(folder, file)),
    ['deep/a.mp4'],
  );
  assert.deepEqual(failures.map(({ error }) => error.code).sort(), [
    'FILE_NOT_FOUND',
    'FILE_NOT_FOUND',
    'LINK_LOOP',
  ]);
  rmSync(folder, { recursive: true });
});

test('links that watching does not follow are reported, and links to other folders are followed', async () => {
  const above = tree(['named/a.mp4', 'beside/b.mp4']);
  const folder = join(above, 'named');
  for (const [name, to] of Object.entries({
    above,
    beside: join(above, 'beside'),
    machine: '/',
    system: '/proc',
  }))
    symlinkSync(to, join(folder, name));
  const { files, failures } = await findMedia([folder], '/nowhere');
  assert.deepEqual(
    files.map((file) => relative(folder, file)),
    ['a.mp4', 'beside/b.mp4'],
  );
  const refused = process.platform === 'linux' ? ['above', 'machine', 'system'] : ['above', 'machine'];
  assert.deepEqual(
    failures
      .filter(({ error }) => analysisErrors.LINK_LOOP.is(error))
      .map(({ path }) => relative(folder, path)),
    refused,
  );
  // A link that is named outright is meant.
  assert.deepEqual((await findMedia([join(folder, 'above')], '/nowhere')).files.length, 2);
  rmSync(above, { recursive: true });
});

test('a walk can be cancelled', async () => {
  await assert.rejects(findMedia(['/'], '/nowhere', AbortSignal.abort()), engineErrors.CANCELLED.is);
});

test('names that are not UTF-8 are refused for that, in a folder and named outright', {
  skip: process.platform === 'linux' ? false : 'file names are always text here',
}, async () => {
  const folder = tree(['good.mp4', 'a\ufffdb.mp4']);
  const bytes = (name: string) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
  for (const name of ['caf\xe9.mp4', 'caf\xe9.txt']) writeFileSync(bytes(name), '');
  mkdirSync(bytes('\xff'));
  writeFileSync(bytes('\xff/in.mp4'), '');
  const walked = await findMedia([folder], '/nowhere');
  // A name that holds the sign for what cannot be read is a name.
  assert.deepEqual(
    walked.files.map((file) => relative(folder, file)),
    ['a\ufffdb.mp4', 'good.mp4'],
  );
  assert.deepEqual(
    walked.failures.map(({ path, error }) => [relative(folder, path), error.code]),
    [
      ['caf\ufffd.mp4', 'NAME_NOT_UTF8'],
      ['\ufffd', 'NAME_NOT_UTF8'],
    ],
  );
  // As Node hands over an argument of these bytes.
  const named = ['caf\ufffd.mp4', '\ufffd/in.mp4', 'no\ufffd.mp4'].map((name) => join(folder, name));
  const { failures } = await findMedia(named, '/nowhere');
  assert.deepEqual(
    failures.map(({ error }) => error.code),
    ['NAME_NOT_UTF8', 'NAME_NOT_UTF8', 'FILE_NOT_FOUND'],
  );
  rmSync(folder, { recursive: true });
});
