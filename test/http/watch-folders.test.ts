import assert from 'node:assert/strict';
import test from 'node:test';
import type { WatchFolder, WatchFolderList, WatchStatus } from '../../actors/watcher/folders/contract.ts';
import { watchErrors } from '../../actors/watcher/folders/contract.ts';
import { type Client, createClient } from '../../http/client/client.ts';
import { watchFolderRoutes } from '../../http/routes/watch-folders.ts';
import { usualSettings } from '../actors/watcher/folders/usual-settings.ts';
import { emptyStatus, type FakeWatchOptions, fakeWatchFolders } from './fake-watch-folders.ts';
import { inject } from './inject.ts';

interface Said {
  readonly message: string;
  readonly error?: string;
  readonly watch_folder: WatchFolder;
  readonly service_status: WatchStatus;
}

const home = '/api/v1/watch-folders';

function served(options: FakeWatchOptions = {}) {
  const folders = fakeWatchFolders(options);
  const call = inject(watchFolderRoutes, { watchFolders: folders });
  const ask = async (method: string, path = '', body?: object) => {
    const answer = await call(home + path, body, { method });
    return { status: answer.status, said: answer.body as Said, retry: answer.headers['retry-after'] };
  };
  const refused = async (method: string, path: string, body?: object) => {
    const { status, said, retry } = await ask(method, path, body);
    return [status, said.error, ...(retry === undefined ? [] : [retry])];
  };
  const list = async () => (await call(home)).body as WatchFolderList;
  const added = async (more: object = {}) =>
    (await ask('POST', '', { folder_path: '/footage', ...more })).said.watch_folder;
  return { folders, call, ask, refused, list, added };
}

test('a watch folder has the defaults of the interface, and is listed with the state of the service', async () => {
  const { ask, list } = served();
  const { status, said } = await ask('POST', '', { folder_path: '/media/../footage//' });
  assert.deepEqual([status, said.message], [200, 'Watch folder added']);
  const { id, created_at, ...folder } = said.watch_folder;
  assert.ok(id.length > 0 && created_at > 0);
  assert.deepEqual(folder, {
    folder_path: '/footage',
    ...usualSettings,
    last_poll_time: 0,
    files_analyzed_count: 0,
  });
  const { watch_folders, service_status } = await list();
  assert.deepEqual([watch_folders.length, service_status], [1, emptyStatus()]);
});

test('a filter on a facet that no longer exists is said to be ignored', async () => {
  const { ask } = served();
  const filters = [{ facet_id: 'camera.movement', values: ['fixed'] }];
  const { status, said } = await ask('POST', '', {
    folder_path: '/footage',
    metadata_filter_request: filters,
  });
  const ignored = 'Filters were ignored, because their facets no longer exist: camera.movement';
  assert.deepEqual([status, said.message], [200, `Watch folder added. ${ignored}`]);
});

test('null in a new folder is the same as leaving out, and what is not declared is never handed on', async () => {
  const { folders, added } = served();
  const nulls = {
    enabled: null,
    audio_language: null,
    excluded_extensions: null,
    channels: null,
    cache_dir: null,
  };
  await added({ ...nulls, license_key: 'a-good-key', no_such: 1, id: 'mine', files_analyzed_count: 9 });
  await added({ folder_path: '/other' });
  const [first, second] = folders.asked.map(([, folder]) => folder as object);
  assert.deepEqual({ ...first, folder_path: '' }, { ...second, folder_path: '' });
});

test('paths are absolute and plain, and every bad field of a new folder is named', async () => {
  const { refused, ask } = served({ isThere: (path) => !path.includes('away') });
  for (const [field, value] of [
    ['folder_path', 'footage'],
    ['folder_path', '/a\0'],
    ['folder_path', '/away'],
    ['cache_dir', 'analysis'],
    ['cache_dir', '/away'],
    ['face_eps', 2.1],
    ['face_min_samples', 0],
    ['cluster_job_name', ' '],
    ['enabled', 'yes'],
    ['audio_language', ' '],
    ['speaker_count', 9],
    ['metadata_filter_request', 'none'],
  ] as const) {
    const body = { folder_path: '/footage', [field]: value };
    assert.deepEqual(await refused('POST', '', body), [400, `Invalid ${field}`], JSON.stringify(body));
  }
  assert.deepEqual(await refused('POST', '', {}), [400, 'Missing folder_path']);
  const faces = { folder_path: '/footage', enable_face_analysis: true };
  assert.deepEqual(await refused('POST', '', faces), [400, 'Invalid cluster_job_name']);
  const { said } = await ask('POST', '', { folder_path: '/footage', cache_dir: '/x/./cache/' });
  assert.equal(said.watch_folder.cache_dir, '/x/cache');
});

test('a folder that is watched already is a 409 that no second try helps', async () => {
  const { refused, added } = served();
  await added();
  assert.deepEqual(await refused('POST', '', { folder_path: '/footage' }), [
    409,
    'The folder is already being watched',
  ]);
  await added({ cache_dir: '/another' });
});

test('a change is of what is given alone; null clears what can be cleared and nothing else', async () => {
  const { folders, ask, added } = served();
  const { id } = await added({
    cache_dir: '/cache',
    cluster_job_name: 'Family',
    channels: [1],
    audio_language: 'german',
    metadata_filter_request: [{ facet_id: 'technical.orientation', values: ['portrait'] }],
  });
  const before = folders.folders.get(id)!;
  assert.deepEqual(before.metadata_filter_request, {
    filters: [{ facet_id: 'technical.orientation', operator: 'is_any_of', values: ['portrait'] }],
  });
  const { status, said } = await ask('PUT', `/${id}`, { enabled: false });
  assert.deepEqual([status, said.message], [200, 'Watch folder changed']);
  assert.deepEqual(said.watch_folder, { ...before, enabled: false });
  const cleared = { cache_dir: null, cluster_job_name: null, channels: null, metadata_filter_request: null };
  const others = { enabled: null, audio_language: null, face_eps: null, excluded_extensions: null };
  const after = (await ask('PUT', `/${id}`, { ...cleared, ...others })).said.watch_folder;
  assert.deepEqual(after, { ...before, enabled: false, ...cleared });
  assert.deepEqual(folders.asked.at(-1), ['change', id, cleared]);
});

test('the filters of a change may be a list, or an object whose scope means nothing', async () => {
  const { ask, added } = served();
  const { id } = await added();
  const filters = [{ facet_id: 'technical.hdr', operator: 'is_not', values: ['yes'] }];
  const scope = { mode: 'paths', media_paths: ['/a'] };
  for (const [given, kept] of [
    [filters, { filters }],
    [{ filters, scope }, { filters }],
    [{ scope }, null],
    [[], null],
  ] as const) {
    const { said } = await ask('PUT', `/${id}`, { metadata_filter_request: given });
    assert.deepEqual(said.watch_folder.metadata_filter_request, kept);
  }
});

test('the path of a folder cannot be changed, and saying it again changes nothing', async () => {
  const { folders, ask, refused, added } = served();
  const { id } = await added();
  assert.equal((await ask('PUT', `/${id}`, { folder_path: '/footage/', enabled: false })).status, 200);
  assert.deepEqual(folders.asked.at(-1), ['change', id, { enabled: false }]);
  for (const folder_path of ['/other', 'footage'])
    assert.deepEqual(await refused('PUT', `/${id}`, { folder_path, enabled: true }), [
      400,
      'Invalid folder_path',
    ]);
  assert.equal(folders.folders.get(id)?.enabled, false);
  assert.equal((await ask('PUT', `/${id}`, { folder_path: null })).status, 200);
});

test('an id that is not known is a 404 for every change', async () => {
  const { refused } = served();
  const unknown = [404, 'Watch folder not found'];
  for (const id of ['none', 'service', '%2e%2e', encodeURIComponent('/footage')]) {
    assert.deepEqual(await refused('PUT', `/${id}`, { enabled: true }), unknown);
    assert.deepEqual(await refused('PUT', `/${id}`, { folder_path: '/footage' }), unknown);
    assert.deepEqual(await refused('DELETE', `/${id}`), unknown);
  }
});

test('a folder is removed once, and the answer tells how the service stands', async () => {
  const { refused, ask, added, list } = served();
  const { id } = await added();
  const { status, said } = await ask('DELETE', `/${id}`);
  assert.deepEqual([status, said.service_status], [200, emptyStatus()]);
  assert.deepEqual((await list()).watch_folders, []);
  assert.deepEqual(await refused('DELETE', `/${id}`), [404, 'Watch folder not found']);
});

test('the service starts, stops and says how it stands', async () => {
  const { folders, call, ask } = served();
  const state = async () => ((await call(`${home}/service/status`)).body as WatchStatus).state;
  const told = async (what: string) => {
    const { status, said } = await ask('POST', `/service/${what}`);
    return [status, said.service_status.state, said.message];
  };
  assert.equal(await state(), 'stopped');
  assert.deepEqual(await told('start'), [200, 'waiting', 'The watch-folder service is running']);
  assert.equal(await state(), 'waiting');
  folders.standing = emptyStatus({ state: 'running', current_file: '/footage/a.mp4', task_id: 't' });
  const stopping = 'The watch-folder service will stop when the files in progress are finished';
  assert.deepEqual(await told('stop'), [200, 'stopping', stopping]);
  folders.standing = emptyStatus();
  assert.deepEqual(await told('stop'), [200, 'stopped', 'The watch-folder service is stopped']);
});

test('no second try helps while another process watches, nor with an engine that serves nobody', async () => {
  const { refused, folders } = served({ serves: false });
  const lasting = [409, 'Folders are watched only by a running service'];
  assert.deepEqual(await refused('POST', '/service/start'), lasting);
  assert.deepEqual(await refused('POST', '/service/stop'), lasting);
  folders.start = () => Promise.reject(watchErrors.WATCHED_ELSEWHERE('process 7 watches'));
  assert.deepEqual(await refused('POST', '/service/start'), [
    409,
    'Another process is already watching the folders',
  ]);
  folders.list = () => Promise.reject(watchErrors.WATCH_FOLDERS_DAMAGED('watch-folders.json'));
  assert.deepEqual(await refused('GET', ''), [500, 'The configuration of the watch folders cannot be read']);
});

test('the typed client adds, changes, starts and removes', async () => {
  const { call } = served();
  const through = async (url: unknown, { method, body }: RequestInit = {}) => {
    const path = String(url).replace('http://localhost', '');
    const { status, bytes } = await call(path, body ?? undefined, { method: method! });
    return new Response(Buffer.from(bytes), { status, headers: { 'Content-Type': 'application/json' } });
  };
  const client: Client = createClient({ url: 'http://localhost', key: 'k', fetch: through as typeof fetch });
  const { watch_folder } = await client.addWatchFolder({
    folder_path: '/footage',
    excluded_extensions: ['.mxf'],
  });
  const { id } = watch_folder;
  const changed = await client.changeWatchFolder({ id, cache_dir: null, enabled: false });
  assert.equal(changed.watch_folder.enabled, false);
  assert.equal((await client.startWatching()).service_status.state, 'waiting');
  assert.equal((await client.watchStatus()).state, 'waiting');
  assert.equal((await client.stopWatching()).service_status.state, 'stopped');
  await client.removeWatchFolder({ id });
  assert.deepEqual((await client.listWatchFolders()).watch_folders, []);
  await assert.rejects(client.removeWatchFolder({ id }), { status: 404 });
});
