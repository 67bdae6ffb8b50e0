import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { seeded } from '../actors/index/footage.ts';
import { indexActor } from '../actors/index/handlers.ts';
import { Ids, makeChange, seen } from '../actors/index/people/changes.ts';
import { nodeCommand } from '../node-command.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const program = join(import.meta.dirname, '../actors/index/people/changing-process.ts');
const numberOf = (name: string, usual: number) => Number(process.env[`FRAMEHOUND_PEOPLE_${name}`] ?? usual);
const changes = numberOf('CHANGES', 60);
const deaths = numberOf('DEATHS', 10);

/**
 * Changes people from a number on until it is killed: by itself at a moment of writing, or for 0 when it has
 * said that the first change is done. Answers the change that it said last.
 */
async function killed(cache_dir: string, from: number, moment: number): Promise<number> {
  const [node, ...flags] = nodeCommand;
  const args = [program, cache_dir, String(from), String(changes), String(moment)];
  const child = spawn(node, [...flags, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let last = from - 1;
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    last = Number(line);
    if (moment === 0) child.kill('SIGKILL');
  });
  await Promise.all([once(lines, 'close'), once(child, 'exit')]);
  return last;
}

test('a process that is killed at any moment leaves people as they were before a change or after it', async (t) => {
  const ids = new Ids();
  const twin = await indexActor(t, { newId: ids.next });
  const own = temporaryFolder(t);
  const cache_dir = temporaryFolder(t);
  const expected: string[] = [await seen(twin, own)];
  for (let change = 0; change < changes; change++) {
    await makeChange(twin, own, ids, change);
    expected.push(await seen(twin, own));
  }
  const random = seeded(numberOf('SEED', 5));
  let next = 0;
  for (let death = 0; death < deaths && next < changes; death++) {
    const moment = random() < 0.3 ? 0 : 1 + Math.floor(random() * 60);
    const done = (await killed(cache_dir, next, moment)) + 1;
    const index = await indexActor(t);
    const now = await seen(index, cache_dir);
    // A change that shows nothing is made again.
    const stands = [done, done + 1].find((change) => expected[change] === now);
    assert.notEqual(stands, undefined, `${now} is neither before change ${done} nor after it`);
    next = stands as number;
    await index.close();
  }
  const index = await indexActor(t, { newId: ids.next });
  for (let change = next; change < changes; change++) await makeChange(index, cache_dir, ids, change);
  assert.equal(await seen(index, cache_dir), expected.at(-1));
  const { jobs } = await index.call('cluster_jobs', { cache_dir });
  const files = readdirSync(join(cache_dir, 'people')).filter((name) => name.endsWith('.columns'));
  assert.ok(files.length <= 2 * jobs.length, `${files} of ${jobs.length} clusterings`);
});
