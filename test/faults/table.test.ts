import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { seeded } from './fault.ts';
import { faults } from './table.ts';

const root = dirname(dirname(import.meta.dirname));

test('every fault can still be seeded, and the tests that notice it are there', () => {
  for (const fault of faults) {
    const { name, file, tests } = fault;
    const source = readFileSync(join(root, file), 'utf8');
    const wrong = seeded(source, fault);
    assert.ok(wrong !== null, `${name}: its text does not stand once in ${file}; write the fault anew`);
    assert.notEqual(wrong, source, name);
    assert.ok(tests.length > 0, name);
    for (const path of tests) assert.ok(existsSync(join(root, path)), `${name}: there is no ${path}`);
  }
  assert.equal(new Set(faults.map(({ name }) => name)).size, faults.length, 'names are different');
});

test('a fault is seeded where its text stands once, and nowhere else', () => {
  assert.equal(seeded('a + b', { text: '+', fault: '-' }), 'a - b');
  assert.equal(seeded('a + b + c', { text: '+', fault: '-' }), null);
  assert.equal(seeded('a', { text: '+', fault: '-' }), null);
});

test('every room has a fault', () => {
  const isFolder = (entry: { isDirectory(): boolean }) => entry.isDirectory();
  const actors = readdirSync(join(root, 'actors'), { withFileTypes: true }).filter(isFolder);
  const rooms = [
    ...actors.map(({ name }) => `actors/${name}`),
    'runtime',
    'http',
    'http/page',
    'events',
    'cli',
  ];
  // Pictures and sounds that are drawn to be looked at.
  const without = rooms.filter((room) => !faults.some(({ file }) => file.startsWith(`${room}/`)));
  assert.deepEqual(without, ['actors/samples']);
});
