import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { reasonOf } from '../../../runtime/errors.ts';
import { replaceFile } from '../../../runtime/files/atomic-write.ts';
import { makeExportFolder, makeFolder } from '../../../runtime/files/folder.ts';
import {
  asStarted,
  closeToOthers,
  keepFromOthers,
  openToOthers,
  type SharedWith,
} from '../../../runtime/files/permissions.ts';
import { placeNew, saveNew } from '../../../runtime/files/save-new.ts';

const skip = process.platform === 'win32' && 'Windows has no permissions of this kind';

/** A program that was started with the umask 027. */
function started(t: TestContext, sharedWith: SharedWith): string {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  const before = process.umask(0o027);
  keepFromOthers(sharedWith);
  t.after(() => {
    process.umask(before);
    delete process.env['FRAMEHOUND_STARTED_UMASK'];
    rmSync(folder, { recursive: true });
  });
  return folder;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('what is kept is for its person alone, or for the group when it is shared', { skip }, (t) => {
  for (const [sharedWith, folderMode, fileMode] of [
    ['nobody', '700', '600'],
    ['group', '770', '660'],
  ] as const) {
    const folder = join(started(t, sharedWith), sharedWith, 'deep');
    makeFolder(folder);
    replaceFile(join(folder, 'a'), 'x', { flush: false });
    assert.deepEqual([modeOf(join(folder, '..')), modeOf(join(folder, 'a'))], [folderMode, fileMode]);
  }
});

test('what is exported has the permissions that other programs give', { skip }, async (t) => {
  const folder = join(started(t, 'nobody'), 'exports', 'deep');
  makeExportFolder(folder);
  const saved = await saveNew(join(folder, 'new'), 'a.txt', Buffer.from('x'));
  const part = join(folder, 'part');
  writeFileSync(part, 'x');
  const placed = await placeNew(part, 'clip.mp4');
  const replaced = join(folder, 'page.html');
  replaceFile(replaced, 'x', { flush: false, isExport: true });
  assert.deepEqual([saved, placed, replaced].map(modeOf), ['640', '640', '640']);
  assert.deepEqual([folder, join(folder, '..'), join(folder, 'new')].map(modeOf), ['750', '750', '750']);
});

test('a program of somebody else is started as this one was, and threads know how that was', {
  skip,
}, (t) => {
  started(t, 'nobody');
  assert.equal(
    asStarted(() => process.umask()),
    0o027,
  );
  assert.equal(process.umask(), 0o077);
  // As in a child of this process.
  keepFromOthers('nobody');
  assert.equal(
    asStarted(() => process.umask()),
    0o027,
  );
});

test('what others can use is found and closed, and what a link leads to is left', { skip }, (t) => {
  const folder = started(t, 'nobody');
  const [open, closed, shared, link] = ['open', 'closed', 'shared', 'link'].map((name) => join(folder, name));
  for (const path of [open!, closed!, shared!]) mkdirSync(path);
  chmodSync(open!, 0o755);
  chmodSync(shared!, 0o750);
  symlinkSync(shared!, link!);
  const paths = [open!, closed!, link!, join(folder, 'gone')];
  assert.deepEqual(openToOthers(paths, 'nobody'), [open]);
  assert.deepEqual(openToOthers([shared!], 'group'), []);
  closeToOthers(open!, 'nobody');
  assert.deepEqual([modeOf(open!), modeOf(shared!)], ['700', '750']);
});

test('a folder is made with those above it, and one that is there is left as it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  const deep = join(folder, 'a', 'b', 'c');
  makeFolder(deep);
  makeFolder(deep);
  assert.ok(statSync(deep).isDirectory());
  rmSync(folder, { recursive: true });
});

test('where no folder can be made that is said at once, not tried for ever', () => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  writeFileSync(join(folder, 'file'), '');
  symlinkSync(join(folder, 'gone'), join(folder, 'dangling'));
  const places = ['file', 'file/a', 'file/a/b', 'dangling', 'dangling/a'].map((name) => join(folder, name));
  const proc = existsSync('/proc/self') ? ['/proc/framehound', '/proc/framehound/a/b'] : [];
  for (const place of [...places, ...proc]) {
    assert.throws(() => makeFolder(place), { code: /^(ENOENT|ENOTDIR|EEXIST)$/ }, place);
  }
  rmSync(folder, { recursive: true });
});

const errorOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

test('the reason of a file system error names neither its path nor its call', () => {
  const missing = join(tmpdir(), "it's, open, nowhere");
  for (const [work, said] of [
    [() => readFileSync(missing), 'no such file or directory'],
    [() => renameSync(missing, `${missing}-2`), 'no such file or directory'],
    [() => readdirSync(import.meta.filename), 'not a directory'],
    [() => readFileSync(tmpdir()), 'illegal operation on a directory'],
  ] as const)
    assert.equal(reasonOf(errorOf(work)), said);
  assert.equal(reasonOf(new Error('not JSON')), 'not JSON');
  assert.equal(reasonOf('odd'), 'odd');
});
