import assert from 'node:assert/strict';
import test from 'node:test';
import { analysisErrors, type Page } from '../../actors/analysis/contract.ts';
import type { Engine } from '../../actors/engine.ts';
import type { NewWatchFolder } from '../../actors/watcher/folders/contract.ts';
import { ApiError } from '../../http/client/error.ts';
import { directClient } from '../../http/direct-client.ts';

const noEvents = async function* () {};
const clientOf = (engine: object) => directClient(engine as Engine, noEvents);

test('a request is checked and completed as one over a socket', async () => {
  const asked: [string, Page][] = [];
  const tasks = {
    get: async (task_id: string, page: Page) => {
      asked.push([task_id, page]);
      return {};
    },
  };
  const client = clientOf({ tasks });
  await client.getTask({ task_id: 'a/b', offset: 3 });
  assert.deepEqual(asked, [['a/b', { offset: 3, limit: 1000 }]]);
  const wrong = client.getTask({ task_id: 'a', offset: -1 });
  await assert.rejects(wrong, /offset must be a whole number/);
  await assert.rejects(client.listLibrary({ cache_dir: 'relative' }), /cache_dir/);
});

test('what is undefined is left out, and what the caller gave stays as it is', async () => {
  const added: NewWatchFolder[] = [];
  const watchFolders = {
    add: async (folder: NewWatchFolder) => {
      added.push(folder);
      return folder;
    },
    list: async () => ({ watch_folders: [], service_status: {} }),
  };
  const given = { folder_path: '/footage', cache_dir: undefined };
  await clientOf({ watchFolders }).addWatchFolder(given);
  assert.deepEqual(Object.keys(given), ['folder_path', 'cache_dir']);
  assert.equal(added[0]!.cache_dir, null);
  assert.equal(added[0]!.enabled, true);
});

test('errors of the engine are thrown as they are, and answers that are errors as of a service', async () => {
  const unknown = analysisErrors.TASK_UNKNOWN('there is no task x');
  const tasks = { get: () => Promise.reject(unknown), busy: false };
  await assert.rejects(clientOf({ tasks }).getTask({ task_id: 'x' }), (error) => error === unknown);
  const state = { model_key: 'small', is_loading: false, error: 'damaged' };
  const models = { current: (key: string) => key, state, load: async () => state };
  const library = {
    list: async () => ({ models: [{ row: { key: 'big', kind: 'visual' }, downloaded: true }] }),
  };
  const refused = clientOf({ tasks, search: { models }, models: library }).loadModel({ model_key: 'big' });
  await assert.rejects(
    refused,
    (error) =>
      error instanceof ApiError && error.status === 500 && /damaged; small is used/.test(error.message),
  );
});

test('a call that is cancelled ends with the reason, before and while it is answered', async () => {
  const stop = new AbortController();
  const tasks = {
    start: (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  };
  const client = clientOf({ tasks });
  const request = { cache_dir: '/c', visual_media_paths: ['/a.mp4'] };
  const started = client.analyze(request, { signal: stop.signal });
  stop.abort(new Error('left'));
  await assert.rejects(started, /left/);
  await assert.rejects(client.analyze(request, { signal: stop.signal }), /left/);
});
