import assert from 'node:assert/strict';
import test from 'node:test';
import { moduleUrl } from '../../../runtime/process/program.ts';

test('a module has the extension of its caller, in a checkout and in a package', () => {
  const table: [path: string, from: string, url: string][] = [
    ['./entry', 'file:///house/runtime/thread.ts', 'file:///house/runtime/entry.ts'],
    ['./entry', 'file:///pkg/dist/runtime/thread.js', 'file:///pkg/dist/runtime/entry.js'],
    ['./actors/index/actor', 'file:///a.b/main.js', 'file:///a.b/actors/index/actor.js'],
  ];
  for (const [path, from, url] of table) assert.equal(moduleUrl(path, from).href, url);
});
