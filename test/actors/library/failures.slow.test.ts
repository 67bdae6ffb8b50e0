// How many failures are held, and of which tasks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileResult, TaskSnapshot } from '../../../actors/analysis/tasks/contract.ts';
import type { HeldMedia } from '../../../actors/index/library/contract.ts';
import { remove } from '../../../actors/library/forget.ts';
import { FailedWork } from '../../../actors/library/listing/list-folder.ts';
import { engineErrors } from '../../../runtime/errors.ts';

const never = new AbortController().signal;

function task(task_id: string, ended: number, failed: number): TaskSnapshot {
  const request = { cache_dir: '/analysis', types: ['video'] };
  const state = 'completed';
  return { task_id, state, started: 1, ended, counts: { failed, done: failed }, request } as never;
}

test('when a task with very many failures is removed, those of an older one are told whole', async () => {
  const [old, large] = [task('old', 1000, 150_000), task('large', 2000, 100_000)];
  let tasks = [large, old];
  const all = (of: TaskSnapshot) => {
    const error = { code: 'DECODE_FAILED', message: of.task_id };
    return Array.from({ length: of.counts.failed }, (_, at) => {
      return { path: `/${of.task_id}/${at}`, type: 'video', error } as FileResult;
    });
  };
  const results = new Map([old, large].map((of) => [of.task_id, all(of)]));
  const read: string[] = [];
  const failures = async (id: string, most: number) => {
    read.push(id);
    return results.get(id)!.slice(0, most);
  };
  const failed = new FailedWork({ list: async () => tasks, failures } as never, () => 3_000_000);
  assert.equal((await failed.of('/analysis', never)).size, 200_000);
  tasks = [old];
  const left = await failed.of('/analysis', never);
  assert.equal(left.size, 150_000);
  assert.ok(left.has('/old/149999') && !left.has('/large/0'));
  await failed.of('/analysis', never);
  assert.deepEqual(read, ['large', 'old', 'old'], 'what was read whole is not read again');
});

// What is left when forgetting ends before its end.

test('when forgetting is cancelled between two transactions, the proxies of what went are gone as well', async () => {
  const leaving = new AbortController();
  const forgotten: string[] = [];
  const unproxied: string[] = [];
  const index = {
    ask: async (_: string, { hashes }: { hashes: string[] }, { signal }: { signal: AbortSignal }) => {
      if (signal.aborted) throw engineErrors.CANCELLED();
      forgotten.push(...hashes);
      leaving.abort();
      return { removed: [], clusterings: [] };
    },
  };
  const proxies = { remove: async (_: string, hashes: string[]) => void unproxied.push(...hashes) };
  const held = (at: number): [string, HeldMedia[]] => [`a-${at}`, []];
  const contents = new Map(Array.from({ length: 100 }, (_, at) => held(at)));
  const removed = remove({ index, proxies } as never, '/analysis', contents, false, leaving.signal);
  await assert.rejects(removed, engineErrors.CANCELLED.is);
  assert.ok(forgotten.length > 0 && forgotten.length < contents.size);
  assert.deepEqual(unproxied, forgotten);
});
