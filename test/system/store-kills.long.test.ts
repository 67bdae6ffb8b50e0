// A writer that is killed again and again, at any moment, loses nothing that it said it stored, and leaves
// nothing behind that no record names.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Store } from '../../actors/index/store/store.ts';
import { seeded } from '../actors/index/footage.ts';
import { openIn } from '../actors/index/handlers.ts';
import { modelKey } from '../actors/index/people/faces.ts';
import { nodeCommand } from '../node-command.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const program = join(import.meta.dirname, '../actors/index/store/mixed-process.ts');
const kills = 200;
const seed = 7;

/** What a writer says until it is killed, up to `ms` after it began. */
async function saidBefore(cache_dir: string, round: number, ms: number): Promise<string[]> {
  const [node, ...flags] = nodeCommand;
  const child = spawn(node, [...flags, program, cache_dir, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  await once(child.stdout, 'data');
  await delay(ms);
  child.kill('SIGKILL');
  await once(child, 'close');
  return said.split('\n').slice(0, -1);
}

/** Frames, or faces, of a content that can be read whole; null where none are stored. */
function read(store: Store, hash: string): number | null {
  if (hash.startsWith('e')) return store.people.faces.vectors(modelKey, hash) && facesOf(store, hash);
  const visual = store.visual.stage('model', hash);
  if (visual === null) return null;
  const rows = store.visual.rows(visual);
  const count = rows.frames.length;
  rows.read(0, count);
  rows.close();
  const shown = store.previews(hash, [...rows.frames]);
  assert.ok(
    shown.every((jpeg) => jpeg !== null),
    `previews of ${hash}`,
  );
  return count;
}

function facesOf(store: Store, hash: string): number | null {
  return store.people.faces.stored(modelKey, [hash])[0]?.count ?? null;
}

test(`${kills} kills at any moment lose nothing and leave nothing`, async (t) => {
  const cache_dir = temporaryFolder(t);
  const random = seeded(seed);
  const stored = new Map<string, number>();
  for (let round = 0; round < kills; round++) {
    let tried: string[] = [];
    for (const line of await saidBefore(cache_dir, round, random() * 400)) {
      const [what, list = ''] = line.split(' ');
      tried = what === 'try' ? list.split(',') : [];
      if (what === 'forgot') for (const hash of list.split(',')) stored.delete(hash);
      if (what !== 'stored') continue;
      for (const one of list.split(',')) stored.set(one.split(':')[0]!, Number(one.split(':')[1]));
    }
    const store = new Store(cache_dir);
    for (const hash of tried) {
      const count = read(store, hash);
      if (count === null) stored.delete(hash);
      else stored.set(hash, count);
    }
    for (const [hash, count] of stored) assert.equal(read(store, hash), count, `round ${round}: ${hash}`);
    for (const hash of store.visual.hashes('model')) assert.ok(stored.has(hash), `round ${round}: ${hash}`);
    await store.close();
  }
  const store = new Store(cache_dir);
  t.after(() => store.close());
  store.abort(store.begin('ffff', 'model', 32));
  while (!store.compactFaces(modelKey));
  const named = store.visual.hashes('model').flatMap((hash) => store.visual.stage('model', hash)?.file || []);
  const files = readdirSync(join(cache_dir, 'vectors'), { recursive: true }) as string[];
  const bundles = files.filter((name) => name.endsWith('.vectors')).map((name) => `vectors/${name}`);
  assert.deepEqual(bundles.toSorted(), named.toSorted());
  // What is kept of films that were interrupted is theirs to go on with.
  for (const file of openIn(cache_dir)) assert.match(file, /\/f[0-9a-f]+\.[0-9a-f]{16}-/);
});
