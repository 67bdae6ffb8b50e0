import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { Engine } from '../../../actors/engine.ts';
import type { WatchBackend } from '../../../cli/backend.ts';
import { localWatch } from '../../../cli/local-watch.ts';
import { remoteWatch } from '../../../cli/remote-watch.ts';
import { newFolder } from '../../../cli/watch/folder-options.ts';
import { createClient } from '../../../http/client/client.ts';
import { watchFolderRoutes } from '../../../http/routes/watch-folders.ts';
import { fakeWatchFolders } from '../../http/fake-watch-folders.ts';
import { inject } from '../../http/inject.ts';
import { fakeHome } from '../fake-context.ts';
import { noOptions } from './world.ts';

/** An engine of its own, or a service with the same one behind it. */
function backendOf(t: TestContext, served: boolean): WatchBackend {
  const watchFolders = fakeWatchFolders();
  const { signal } = fakeHome(t).context();
  if (!served) return localWatch({ watchFolders } as unknown as Engine, signal);
  const call = inject(watchFolderRoutes, { watchFolders });
  const fetched = async (url: string, { method = 'GET', body }: RequestInit) => {
    const { pathname, search } = new URL(url);
    const sent = typeof body === 'string' ? (JSON.parse(body) as object) : undefined;
    const answer = await call(pathname + search, sent, { method });
    return Response.json(answer.body, { status: answer.status });
  };
  const client = createClient({ url: 'http://service', fetch: fetched as typeof fetch });
  return remoteWatch(client, (work) => work, signal);
}

const filter = ['technical.hdr is_not sdr'];
const folder = newFolder('/footage', '/cache', { ...noOptions, speech: true, channels: '1,2', filter });

const questions: Readonly<Record<string, (watch: WatchBackend) => Promise<unknown>>> = {
  list: (watch) => watch.list(),
  change: async (watch) => {
    const { id } = (await watch.list()).watch_folders[0]!;
    await watch.change(id, { cache_dir: null, channels: null, enabled: false });
    await watch.change(id, { metadata_filter_request: null });
    return watch.change(id, {});
  },
  remove: async (watch) => {
    const { id } = (await watch.list()).watch_folders[0]!;
    return [await watch.remove(id), await watch.list()];
  },
  start: (watch) => watch.start(),
  stop: (watch) => watch.stop(),
};

for (const [what, ask] of Object.entries(questions)) {
  test(`${what}: a service answers what an engine of its own does`, async (t) => {
    const answers: unknown[] = [];
    for (const served of [false, true]) {
      const backend = backendOf(t, served);
      answers.push([await backend.add(folder), await ask(backend)]);
    }
    assert.deepEqual(answers[1], answers[0]);
  });
}
