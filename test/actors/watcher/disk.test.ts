import assert from 'node:assert/strict';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { systemDisk, type WatchedDisk, walk } from '../../../actors/watcher/disk.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { put } from './start.ts';

interface Seen {
  readonly files: string[];
  readonly unknown: string[];
  readonly unreadable: string[];
  /** Nothing visible is in the root. */
  readonly isEmpty: boolean;
}

function failing(code: string): Error {
  return Object.assign(new Error(`${code}: no`), { code, syscall: 'stat' });
}

/** Names below the root, sorted. */
function list(
  root: string,
  {
    disk = {},
    skip = [],
    leaves = [],
  }: { disk?: Partial<WatchedDisk>; skip?: string[]; leaves?: string[] } = {},
): Seen {
  const files: string[] = [];
  const unknown: string[] = [];
  const unreadable: string[] = [];
  const steps = walk({
    disk: { ...systemDisk, ...disk },
    root,
    exclusions: {
      leavesOutFile: (name) => leaves.includes(name),
      leavesOutFolder: (relative) => leaves.includes(relative),
    },
    skip: skip.map((path) => realpathSync(path)),
  });
  let isEmpty = true;
  for (const step of steps) {
    if (step?.kind === 'content') isEmpty = false;
    else if (step?.kind === 'unknown file') unknown.push(step.path);
    else if (step?.kind === 'unreadable') unreadable.push(`${step.path}: ${step.message}`);
    else if (step) {
      assert.deepEqual(step.stat.mtimeNs, statSync(join(root, step.path), { bigint: true }).mtimeNs);
      files.push(step.path);
    }
  }
  return { files: files.sort(), unknown, unreadable, isEmpty };
}

test('media of all folders are found, and nothing else', (t) => {
  const root = temporaryFolder(t);
  for (const name of [
    'a.mp4',
    'b/c.MOV',
    'b/d/e.jpg',
    'b/notes.txt',
    '.hidden.mp4',
    '.git/x.mp4',
    'empty.wav',
  ])
    put(root, name, name === 'empty.wav' ? '' : 'x');
  for (const name of ['f.mp4.part', 'g.mp4.download/f.mp4', '~$h.mp4', '@eaDir/thumb.jpg']) put(root, name);
  mkdirSync(join(root, 'folder.mp4'));
  put(root, 'folder.mp4/inside.mp4');
  const { files, unreadable } = list(root);
  assert.deepEqual(files, ['a.mp4', 'b/c.MOV', 'b/d/e.jpg', 'empty.wav', 'folder.mp4/inside.mp4']);
  assert.deepEqual(unreadable, []);
});

test('what is excluded and what is to be skipped is left, however the path leads there', (t) => {
  const root = temporaryFolder(t);
  for (const name of ['a.mp4', 'b.mp4', 'c/a.mp4', 'c/d/a.mp4', 'cache/x.mp4', 'e/y.mp4']) put(root, name);
  assert.deepEqual(list(root, { leaves: ['b.mp4', 'c/d'] }).files, [
    'a.mp4',
    'c/a.mp4',
    'cache/x.mp4',
    'e/y.mp4',
  ]);
  symlinkSync(join(root, 'cache'), join(root, 'to-cache'));
  const { files } = list(root, { skip: [join(root, 'cache'), join(root, 'e')] });
  assert.deepEqual(files, ['a.mp4', 'b.mp4', 'c/a.mp4', 'c/d/a.mp4']);
});

test('links are followed, each folder is entered once, and links that go round or nowhere end', (t) => {
  const root = temporaryFolder(t);
  const outside = temporaryFolder(t);
  put(outside, 'far/film.mp4');
  put(root, 'a/film.mp4');
  symlinkSync(root, join(root, 'a', 'loop'));
  symlinkSync('self', join(root, 'self'));
  symlinkSync('self.mp4', join(root, 'self.mp4'));
  symlinkSync('nowhere.mp4', join(root, 'broken.mp4'));
  symlinkSync(join(outside, 'far'), join(root, 'z-far'));
  symlinkSync(join(outside, 'far'), join(root, 'z-far-again'));
  symlinkSync(join(outside, 'far', 'film.mp4'), join(root, 'linked.mp4'));
  symlinkSync(join(root, 'a'), join(root, '0-to-a'));
  symlinkSync(join(root, 'a', 'film.mp4'), join(root, 'notes.txt'));
  const { files, unreadable, unknown } = list(root);
  assert.equal(files.filter((name) => /^z-far(-again)?\/film.mp4$/.test(name)).length, 1);
  // The folder goes by its own name, whichever is listed first.
  assert.deepEqual(
    files.filter((name) => !name.startsWith('z-far')),
    ['a/film.mp4', 'linked.mp4'],
  );
  assert.deepEqual([unreadable, unknown], [[], []]);
});

test('a link to a folder above, or to what is mounted elsewhere, is not followed', (t) => {
  const above = temporaryFolder(t);
  const root = join(above, 'watched');
  const elsewhere = temporaryFolder(t);
  put(root, 'a.mp4');
  put(above, 'beside/b.mp4');
  put(elsewhere, 'volume/c.mp4');
  for (const [i, to] of [above, '/', join(elsewhere, 'volume'), join(above, 'beside')].entries())
    symlinkSync(to, join(root, `link-${i}`));
  const volume = realpathSync(join(elsewhere, 'volume'));
  const disk: Partial<WatchedDisk> = {
    stat: (path) => {
      const stat = systemDisk.stat(path);
      return realpathSync(path) === volume ? Object.assign(stat, { dev: stat.dev + 1n }) : stat;
    },
  };
  assert.deepEqual(list(root, { disk }).files, ['a.mp4', 'link-3/b.mp4']);
});

test('what the system makes up is not listed, and what lies beside it is', {
  skip: process.platform !== 'linux' && 'there is no /proc',
}, (t) => {
  const root = temporaryFolder(t);
  put(root, 'a.mp4');
  const made = ['/proc/self', '/proc/sys/kernel', '/sys/class', '/dev', '/dev/pts'];
  for (const [i, folder] of made.entries()) symlinkSync(folder, join(root, `link-${i}`));
  const listed: string[] = [];
  const disk: Partial<WatchedDisk> = {
    list: (folder) => {
      listed.push(folder);
      return systemDisk.list(folder);
    },
  };
  assert.deepEqual(list(root, { disk }).files, ['a.mp4']);
  assert.deepEqual(listed, [`${root}/`]);
});

test('two names of one file are two files', (t) => {
  const root = temporaryFolder(t);
  linkSync(put(root, 'a.mp4'), join(root, 'b.mp4'));
  assert.deepEqual(list(root).files, ['a.mp4', 'b.mp4']);
});

test('composed and decomposed names are found as they are written', (t) => {
  const root = temporaryFolder(t);
  const names = ['ä'.normalize('NFC'), 'ä'.normalize('NFD')];
  for (const name of names) put(root, `${name}/${name}.mp4`);
  const there = readdirSync(root).map((name) => `${name}/${readdirSync(join(root, name))[0]}`);
  assert.deepEqual(list(root).files, there.sort());
});

test('a name that is not UTF-8 is told, and one with the sign for that is a name', {
  skip: notBytes(),
}, (t) => {
  const root = temporaryFolder(t);
  const bytes = (name: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
  writeFileSync(bytes('caf\xe9.mp4'), 'x');
  writeFileSync(bytes('caf\xe9.txt'), 'x');
  mkdirSync(bytes('\xe9t\xe9'));
  put(root, 'real\ufffd.mp4');
  const { files, unreadable, unknown } = list(root);
  assert.deepEqual(files, ['real\ufffd.mp4']);
  assert.deepEqual(unreadable.sort(), [
    'caf\ufffd.mp4: The name is not UTF-8',
    '\ufffdt\ufffd: The name is not UTF-8',
  ]);
  assert.deepEqual(unknown, []);
});

function notBytes(): string | false {
  return process.platform === 'linux' ? false : 'names are text on this system';
}

test('a file that goes after its folder was listed is no error, and one that becomes a folder is no file', (t) => {
  const root = temporaryFolder(t);
  for (const name of ['a.mp4', 'b.mp4', 'c.mp4', 'd/x.mp4']) put(root, name);
  const disk: Partial<WatchedDisk> = {
    list: (folder) => {
      const entries = systemDisk.list(folder);
      rmSync(join(root, 'a.mp4'), { force: true });
      rmSync(join(root, 'd'), { recursive: true, force: true });
      rmSync(join(root, 'c.mp4'), { recursive: true, force: true });
      mkdirSync(join(root, 'c.mp4'));
      return entries;
    },
  };
  assert.deepEqual(list(root, { disk }), {
    files: ['b.mp4'],
    unknown: [],
    unreadable: [],
    isEmpty: false,
  });
});

test('a folder and a file that cannot be looked at are told, and the others are found', (t) => {
  const root = temporaryFolder(t);
  for (const name of ['a/x.mp4', 'b/y.mp4', 'c/z.mp4', 'ok.mp4', 'bad.mp4']) put(root, name);
  symlinkSync(join(root, 'ok.mp4'), join(root, 'bad-link.mp4'));
  const disk: Partial<WatchedDisk> = {
    list: (folder) => {
      if (folder === join(root, 'a/') || folder === join(root, 'b/')) throw failing('EACCES');
      return systemDisk.list(folder);
    },
    stat: (path) => {
      if (path.includes('bad')) throw failing('EIO');
      return systemDisk.stat(path);
    },
  };
  const seen = list(root, { disk });
  assert.deepEqual(seen.files, ['c/z.mp4', 'ok.mp4']);
  assert.deepEqual(seen.unknown.sort(), ['bad-link.mp4', 'bad.mp4']);
  assert.deepEqual(seen.unreadable.sort(), ['a: EACCES: no', 'b: EACCES: no']);
});

test('a root that cannot be listed is an error of the walk', (t) => {
  const root = temporaryFolder(t);
  const list2 = () => {
    throw failing('EIO');
  };
  assert.throws(() => list(root, { disk: { list: list2 } }), /EIO/);
});

test('a root with hidden names only counts as empty', (t) => {
  const root = temporaryFolder(t);
  assert.ok(list(root).isEmpty);
  put(root, '.mounted');
  assert.ok(list(root).isEmpty);
  mkdirSync(join(root, 'new'));
  assert.ok(!list(root).isEmpty);
});
