// Whoever gives up a search of moments leaves nothing behind that goes on.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { MomentsRequest } from '../../../../actors/search/moments/contract.ts';
import { createMoments } from '../../../../actors/search/moments/moments.ts';
import { engineErrors } from '../../../../runtime/errors.ts';

const request: MomentsRequest = {
  ...{ cache_dir: '/analysis', query: 'Ann says red', picture: null, exclude: [], text_weight: 1 },
  ...{ media_paths: [], search_all: true, segments_to_frame_indices: {}, metadata_filter_request: null },
  ...{ kinds: null, limit: 10 },
};

type Asked = (name: string, signal: AbortSignal | undefined) => unknown;

/** Everything is loaded; what the index is asked is answered by `asked`. */
function moments(asked: Asked) {
  const within = async (_: unknown, work: () => unknown) => work();
  const loaded = {
    within,
    settled: async () => {},
    require: async () => {},
    isLoaded: () => true,
    damaged: [],
  };
  const ask = async (name: string, _: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    asked(name, signal);
  const state = { model_key: 'model', fallback_from: null };
  const open = async () => ({ model_key: 'model', dimensions: 4 });
  return createMoments({
    index: { ask },
    textEmbedder: {
      ask: async (_: string, __: unknown, { signal }: { signal?: AbortSignal }) => asked('texts', signal),
    },
    models: { state, active: () => 'model', open },
    visual: loaded,
    transcripts: loaded,
    people: loaded,
  } as never);
}

test('a search that is given up ends every question that it asked', async () => {
  const leaving = new AbortController();
  const going = new Set<string>();
  const all = new Set<string>();
  const { promise: underWay, resolve } = Promise.withResolvers<void>();
  const asked: Asked = (name, signal) => {
    if (name === 'people_named') {
      return {
        people: [{ name: 'Ann', clusters: [{ cluster_job_name: 'Cast', cluster_id: 'c1' }] }],
        rest: 'red',
      };
    }
    assert.ok(signal, `${name} can be given up`);
    going.add(name);
    all.add(name);
    if (all.size === 3) resolve();
    return new Promise((_, reject) => {
      const end = () => {
        going.delete(name);
        reject(engineErrors.CANCELLED());
      };
      signal.addEventListener('abort', end, { once: true });
    });
  };
  const search = moments(asked).search(request, leaving.signal);
  await Promise.race([underWay, search]);
  assert.equal(going.size, 3, [...all].join());
  leaving.abort();
  await assert.rejects(search, engineErrors.CANCELLED.is);
  assert.deepEqual([...going], []);
});

test('one kind that fails ends the questions of the others', async () => {
  const going = new Set<string>();
  const { promise: broken, reject: fail } = Promise.withResolvers<never>();
  const asked: Asked = (name, signal) => {
    if (name === 'people_named') return { people: [], rest: 'red' };
    if (name === 'search_said') return broken;
    going.add(name);
    queueMicrotask(() => fail(new Error('broken')));
    return new Promise((_, reject) => {
      const end = () => {
        going.delete(name);
        reject(engineErrors.CANCELLED());
      };
      signal?.addEventListener('abort', end, { once: true });
    });
  };
  await assert.rejects(moments(asked).search(request, new AbortController().signal), /broken/);
  assert.deepEqual([...going], []);
});
