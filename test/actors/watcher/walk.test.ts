import assert from 'node:assert/strict';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { type Disk, systemDisk } from '../../../actors/watcher/disk.ts';
import { type Hash64, hashOf } from '../../../actors/watcher/hash.ts';
import { identityOf, walk } from '../../../actors/watcher/walk.ts';
import { put, temporaryFolder } from './start.ts';

interface Seen {
  readonly files: string[];
  readonly unknown: string[];
  readonly unreadable: string[];
  readonly unread: string[];
  readonly isRootEmpty: boolean;
}

function failing(code: string): Error {
  return Object.assign(new Error(`${code}: no`), { code, syscall: 'stat' });
}

/** Names below the root, sorted. */
function list(
  root: string,
  { disk = {}, skip = [], leaves = [] }: { disk?: Partial<Disk>; skip?: string[]; leaves?: string[] } = {},
): Seen {
  const below = (path: string) => path.slice(root.length + 1);
  const files: string[] = [];
  const unknown: string[] = [];
  const unreadable: string[] = [];
  const steps = walk({
    disk: { ...systemDisk, ...disk },
    root,
    rootStat: statSync(root, { bigint: true }),
    exclusions: {
      leavesOutFile: (name) => leaves.includes(name),
      leavesOutFolder: (relative) => leaves.includes(relative),
    },
    skip: new Set(skip),
    visitor: {
      file: (key: Hash64, mark: Hash64, isEmpty: boolean, path: string) => {
        const { size, mtimeNs } = statSync(path, { bigint: true });
        assert.deepEqual(key, hashOf(below(path)));
        assert.deepEqual(mark, hashOf(`${size}-${mtimeNs}`));
        assert.equal(isEmpty, size === 0n);
        files.push(below(path));
      },
      unknownFile: (key, path) => {
        assert.deepEqual(key, hashOf(below(path)));
        unknown.push(below(path));
      },
      unreadable: (path, message) => unreadable.push(`${below(path)}: ${message}`),
    },
  });
  for (let step = steps.next(); ; step = steps.next()) {
    if (!step.done) continue;
    const { unread, isRootEmpty } = step.value;
    return { files: files.sort(), unknown, unreadable, unread: [...unread.values()], isRootEmpty };
  }
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
  const cache = identityOf(statSync(join(root, 'cache'), { bigint: true }));
  symlinkSync(join(root, 'cache'), join(root, 'to-cache'));
  const { files } = list(root, { skip: [cache, join(root, 'e')] });
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

test('what the system makes up is not listed, and what lies beside it is', {
  skip: process.platform !== 'linux' && 'there is no /proc',
}, (t) => {
  const root = temporaryFolder(t);
  put(root, 'a.mp4');
  const made = ['/proc/self', '/proc/sys/kernel', '/sys/class', '/dev', '/dev/pts'];
  for (const [i, folder] of made.entries()) symlinkSync(folder, join(root, `link-${i}`));
  const listed: string[] = [];
  const disk: Partial<Disk> = {
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
  const { files, unreadable, unread, unknown } = list(root);
  assert.deepEqual(files, ['real\ufffd.mp4']);
  assert.deepEqual(unreadable.sort(), [
    'caf\ufffd.mp4: The name is not UTF-8',
    '\ufffdt\ufffd: The name is not UTF-8',
  ]);
  assert.deepEqual([unread, unknown], [[], []]);
});

function notBytes(): string | false {
  return process.platform === 'linux' ? false : 'names are text on this system';
}

test('a file that goes after its folder was listed is no error, and one that becomes a folder is no file', (t) => {
  const root = temporaryFolder(t);
  for (const name of ['a.mp4', 'b.mp4', 'c.mp4', 'd/x.mp4']) put(root, name);
  const disk: Partial<Disk> = {
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
    unread: [],
    isRootEmpty: false,
  });
});

test('a folder and a file that cannot be looked at are told, and the others are found', (t) => {
  const root = temporaryFolder(t);
  for (const name of ['a/x.mp4', 'b/y.mp4', 'c/z.mp4', 'ok.mp4', 'bad.mp4']) put(root, name);
  symlinkSync(join(root, 'ok.mp4'), join(root, 'bad-link.mp4'));
  const disk: Partial<Disk> = {
    list: (folder) => {
      if (folder === join(root, 'a/')) throw failing('EACCES');
      return systemDisk.list(folder);
    },
    stat: (path) => {
      if (path === join(root, 'b')) throw failing('EIO');
      if (path.includes('bad')) throw failing('EIO');
      return systemDisk.stat(path);
    },
  };
  const seen = list(root, { disk });
  assert.deepEqual(seen.files, ['c/z.mp4', 'ok.mp4']);
  assert.deepEqual(seen.unknown.sort(), ['bad-link.mp4', 'bad.mp4']);
  assert.deepEqual(seen.unreadable.sort(), ['a: EACCES: no', 'b: EIO: no']);
  assert.deepEqual(seen.unread.sort(), ['EACCES', 'EIO']);
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
  assert.ok(list(root).isRootEmpty);
  put(root, '.mounted');
  assert.ok(list(root).isRootEmpty);
  mkdirSync(join(root, 'new'));
  assert.ok(!list(root).isRootEmpty);
});

test('where the system numbers nothing, links end by their real paths', (t) => {
  const root = temporaryFolder(t);
  put(root, 'a/b/film.mp4');
  symlinkSync(root, join(root, 'a', 'loop'));
  const disk: Partial<Disk> = {
    stat: (path) => {
      const stat = systemDisk.stat(path);
      return stat && Object.assign(stat, { ino: 0n });
    },
  };
  // The root is known by its number here: it is entered once more, by the link.
  const { files } = list(root, { disk });
  assert.deepEqual(files, ['a/b/film.mp4']);
});

test('a folder that is renamed has the same identity', (t) => {
  const root = temporaryFolder(t);
  mkdirSync(join(root, 'a'));
  const before = identityOf(statSync(join(root, 'a'), { bigint: true }));
  renameSync(join(root, 'a'), join(root, 'b'));
  assert.equal(identityOf(statSync(join(root, 'b'), { bigint: true })), before);
});
