import assert from 'node:assert/strict';
import test from 'node:test';
import { PathMap } from '../../../../actors/index/store/path-map.ts';

const root = (name: string, prefix: string, folder = prefix) => ({ name, prefix, folder, volume: null });

/** As it is stored under one map, and read by another. */
function read(path: string, by: PathMap, later: PathMap): string {
  return later.shown(by.stored(path));
}

test('paths outside every root are stored as they are', () => {
  const map = new PathMap([root('footage', '/mnt/a')]);
  assert.equal(map.stored('/home/x.mp4'), '/home/x.mp4');
  assert.equal(map.stored('/mnt/a2/x.mp4'), '/mnt/a2/x.mp4');
  assert.equal(map.shown('/mnt/a2/x.mp4'), '/mnt/a2/x.mp4');
});

test('a root that moves takes along what is stored below it', () => {
  const before = new PathMap([root('footage', '/mnt/a')]);
  const after = new PathMap([root('footage', '/mnt/a', '/media/b')]);
  assert.equal(before.stored('/mnt/a/day 1/x.mp4'), '/mnt/a/day 1/x.mp4');
  assert.equal(after.shown('/mnt/a/day 1/x.mp4'), '/media/b/day 1/x.mp4');
  assert.equal(after.stored('/media/b/day 1/x.mp4'), '/mnt/a/day 1/x.mp4');
  assert.equal(after.rootOf('/media/b/x.mp4')?.name, 'footage');
  assert.equal(after.rootOf('/mnt/a/x.mp4'), null);
});

test('what lies later where a root was is another file', () => {
  const after = new PathMap([root('footage', '/mnt/a', '/media/b')]);
  const stored = after.stored('/mnt/a/x.mp4');
  assert.notEqual(stored, after.stored('/media/b/x.mp4'));
  assert.equal(after.shown(stored), '/mnt/a/x.mp4');
  const again = new PathMap([root('footage', '/mnt/a', '/media/c')]);
  assert.equal(again.shown(stored), '/mnt/a/x.mp4');
});

test('of nested roots the innermost holds a file, wherever each of them goes', () => {
  const before = new PathMap([root('all', '/mnt/a'), root('films', '/mnt/a/films')]);
  const apart = new PathMap([root('all', '/mnt/a', '/m2'), root('films', '/mnt/a/films')]);
  assert.equal(read('/mnt/a/films/x.mp4', before, apart), '/mnt/a/films/x.mp4');
  assert.equal(read('/mnt/a/y.mp4', before, apart), '/m2/y.mp4');
  // A new folder of that name below the outer one is of the outer one.
  const later = new PathMap([root('all', '/mnt/a', '/m3'), root('films', '/mnt/a/films', '/f')]);
  assert.equal(read('/m2/films/x.mp4', apart, later), '/m3/films/x.mp4');
  assert.equal(read('/mnt/a/films/x.mp4', apart, later), '/f/x.mp4');
});

test('drives with letters become folders, and back', () => {
  const windows = new PathMap([root('footage', 'D:\\')]);
  const linux = new PathMap([root('footage', 'D:\\', '/data')]);
  assert.equal(windows.stored('D:\\day 1\\x.mp4'), 'D:\\day 1\\x.mp4');
  assert.equal(linux.shown('D:\\day 1\\x.mp4'), '/data/day 1/x.mp4');
  assert.equal(linux.stored('/data/day 2/y.mp4'), 'D:\\day 2\\y.mp4');
  assert.equal(read('/data/a\\b.mp4', linux, linux), '/data/a\\b.mp4');
});

test('a path has the same form in every map that reads it, and every form is read as the path', () => {
  const roots = [root('all', '/a', '/b'), root('in', '/a/x', '/c'), root('last', '/b/y', '/a')];
  const map = new PathMap(roots);
  for (const path of ['/a', '/a/f', '/a/x/f', '/b/f', '/b/y/f', '/b/x/f', '/c/f', '/d/f', '/a/y/f']) {
    const forms = map.forms(path);
    assert.ok(forms.length > 0, path);
    for (const form of forms) assert.equal(map.shown(form), path, form);
  }
  const all = ['/a/f', '/a/x/f', '/b/f', '/b/y/f', '/b/x/f', '/c/f', '/d/f'];
  assert.equal(new Set(all.map((path) => map.stored(path))).size, all.length);
});

test('what is stored of a root that is not known here stays readable', () => {
  const map = new PathMap([]);
  assert.equal(map.shown('/mnt/a/x.mp4'), '/mnt/a/x.mp4');
  assert.equal(map.shown('root:footage/x.mp4'), 'root:footage/x.mp4');
  assert.equal(map.shown('path:/mnt/a/x.mp4'), '/mnt/a/x.mp4');
});

test('below a root of Windows a path is stored as the root is spelled', () => {
  const map = new PathMap([root('footage', 'C:\\Footage', 'D:\\Footage')]);
  assert.equal(map.stored('d:\\FOOTAGE\\Day 1\\a.mp4'), 'C:\\Footage\\Day 1\\a.mp4');
  assert.equal(map.shown('c:\\footage\\Day 1\\a.mp4'), 'D:\\Footage\\Day 1\\a.mp4');
  assert.equal(map.rootOf('D:\\Footage2\\a.mp4'), null);
});
