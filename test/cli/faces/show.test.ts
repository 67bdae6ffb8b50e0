import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { removeSheet, saveSheet } from '../../../cli/faces/show.ts';
import { fakeHome } from '../fake-context.ts';

test('the page of one cluster lies beside that of all, and both go with the clustering', async (t) => {
  const { home } = fakeHome(t);
  const all = await saveSheet(home, 'family', 'index.html', 'all');
  const one = await saveSheet(home, 'family', 'cluster.html', 'one');
  assert.equal(all, join(home, 'found', 'faces.family', 'index.html'));
  assert.deepEqual([readFileSync(all, 'utf8'), readFileSync(one, 'utf8')], ['all', 'one']);
  await removeSheet(home, 'family');
  assert.deepEqual([existsSync(all), existsSync(one)], [false, false]);
});

test('clusterings whose names a file system takes for one have pages of their own', async (t) => {
  const { home } = fakeHome(t);
  const long = 'x'.repeat(60);
  const names = [
    'family',
    'Family',
    'family!',
    'a b',
    'a-b',
    '🎬',
    '🎉',
    'search',
    `${long}1`,
    `${long}2`,
    '../family',
  ];
  const pages: string[] = [];
  for (const name of names) pages.push(await saveSheet(home, name, 'index.html', name));
  const folders = pages.map((page) => dirname(page).toLowerCase());
  assert.equal(new Set(folders).size, names.length, folders.join());
  for (const folder of folders) assert.equal(dirname(folder), join(home, 'found').toLowerCase());
  await removeSheet(home, '🎬');
  assert.deepEqual(
    pages.map((page) => existsSync(page)),
    names.map((name) => name !== '🎬'),
  );
});
