// What is left when forgetting ends before its end.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { HeldMedia } from '../../../actors/index/library/contract.ts';
import { remove } from '../../../actors/library/forget.ts';
import { engineErrors } from '../../../runtime/errors.ts';

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
