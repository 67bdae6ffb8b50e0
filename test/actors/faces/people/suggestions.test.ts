// Many questions for suggestions at the same time.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createPeople } from '../../../../actors/faces/people/people.ts';
import { OpenLoads } from '../../../../actors/index/numbered-work.ts';
import { engineErrors } from '../../../../runtime/errors.ts';

const steps = 3;
const request = {
  ...{ cache_dir: '/analysis', cluster_job_name: 'Cast', other_names: true },
  ...{ limit: 5, limit_per_cluster: 2 },
};

/** An index that keeps as many comparisons open as the real one, each of some steps. */
function world() {
  const open = new OpenLoads<{ left: number }>();
  const seen = { begun: 0, answered: 0 };
  const begin = () => {
    seen.begun++;
    return { left: steps };
  };
  const job = { name: 'Cast', model_key: 'a+b', eps: 0.5, face_storage_version: 2, clusters: [] };
  const ask = async (name: string, asked: { begun?: number }, { signal }: { signal?: AbortSignal }) => {
    if (signal?.aborted) throw engineErrors.CANCELLED();
    if (name === 'cluster_job') return { job };
    assert.equal(name, 'suggest_clusters');
    // One that never gets done is a failure, and not a test without an end.
    assert.ok(seen.answered++ < 2000, 'nobody gets an answer');
    const [comparison, load] = open.resume(asked.begun ?? null, () => true, begin);
    await new Promise((resolve) => setImmediate(resolve));
    const done = --load.left === 0;
    if (done) open.end(comparison);
    return { done, comparison, pairs: [], left_out: 0 };
  };
  return { people: createPeople({ index: { ask }, tasks: {} } as never), seen };
}

test('however many ask for suggestions at once, each comparison is made once', async () => {
  const { people, seen } = world();
  const answers = await Promise.all(Array.from({ length: 40 }, () => people.suggest(request)));
  assert.ok(answers.every(({ suggestions }) => suggestions.length === 0));
  assert.equal(seen.begun, answers.length);
});

test('whoever leaves while others are answered waits no longer, and begins nothing', async () => {
  const { people, seen } = world();
  const leaving = new AbortController();
  const others = Array.from({ length: 8 }, () => people.suggest(request));
  const left = people.suggest(request, leaving.signal);
  const rejected = assert.rejects(left, engineErrors.CANCELLED.is);
  leaving.abort();
  await rejected;
  await Promise.all(others);
  assert.equal(seen.begun, others.length);
});
