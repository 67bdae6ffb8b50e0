// What is wrong with a request is told to its sender, whatever is wrong with it: every route, every field.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { openTasks } from '../../actors/analysis/tasks/tasks.ts';
import { createExporter, createMediaExports } from '../../actors/exporter/exporter.ts';
import { createSidecars } from '../../actors/exporter/sidecars/sidecars.ts';
import { createSummaryDocuments } from '../../actors/exporter/summary/summary-documents.ts';
import { createTimelines } from '../../actors/exporter/timeline/timelines.ts';
import { definition } from '../../actors/index/actor.ts';
import { createLibrary } from '../../actors/library/library.ts';
import type { MomentLists } from '../../actors/library/lists/contract.ts';
import { ListFolder } from '../../actors/library/lists/lists.ts';
import { createPeople } from '../../actors/library/people/people.ts';
import { createModelLibrary } from '../../actors/models/library.ts';
import { createSummaries } from '../../actors/summarizer/stored/summaries.ts';
import { NewWatchFolder } from '../../actors/watcher/folders/contract.ts';
import { SearchService } from '../../events/searches/searches.ts';
import { createEventServer } from '../../events/server.ts';
import { WebhookService } from '../../events/webhooks/webhooks.ts';
import { granted } from '../../http/license/decision.ts';
import { createValidator } from '../../http/request/validation.ts';
import type { Method, Route } from '../../http/route.ts';
import { createRouter } from '../../http/router.ts';
import { routes as allRoutes } from '../../http/routes.ts';
import { createMediaLinks, settingsAnswer } from '../../http/service.ts';
import { resolveConfig } from '../../runtime/config.ts';
import { ownFiles } from '../../runtime/files/home-files.ts';
import type { FieldChoice } from '../../runtime/schema.ts';
import { settings } from '../../settings.ts';
import { world } from '../actors/analysis/fakes.ts';
import { expectFaceModel, noModels } from '../actors/analysis/no-models.ts';
import { callsOf, summarise } from '../actors/index/summaries/trees.ts';
import { noPaths, noRootsHere, onlyFootage } from '../actors/library/fake-roots.ts';
import { FakeIndex, fakeJob } from '../actors/library/people/fake-index.ts';
import { sampled } from '../shared.ts';
import { type Bad, badBodies, goodBody, textOf } from './bad-values.ts';
import { besidesIn, savedRequest } from './body-needs.ts';
import { fakeWatchFolders } from './fake-watch-folders.ts';
import { type Injected, inject, KEY, type Request } from './inject.ts';

/** /mcp says what is wrong as its protocol does: see mcp/route.test.ts. */
const routes = allRoutes.filter(({ path }) => path !== '/mcp');
const w = await world([
  { name: 'a.mp4', frames: 8 },
  { name: 'b.mp4', frames: 8 },
]);
await w.run();
await w.open();
/** The folder of the footage under another name, as if it had moved. */
const moved = join(w.folder, 'moved');
symlinkSync(w.folder, moved);
const cache_dir = join(w.folder, 'cache');
await w.search.transcripts.load(cache_dir);
const tasks = openTasks(join(w.folder, 'tasks'), {
  analysis: w.analysis,
  models: w.search.models,
  decode: 'exact',
  expectModelFor: expectFaceModel,
  summaryModel: async () => null,
  modelLibrary: noModels,
  roots: noRootsHere,
  clock: w.clock,
  log: w.log,
});
// What is begun here is over at once.
Object.assign(tasks, { begin: async () => ({ task_id: 'begun' }) });
const telling = { tells: true, subscribe: () => () => {} };
const home = { ...w, homeFiles: ownFiles, telling, tasks, now: () => 0 };
const searches = new SearchService({ ...home, folder: join(w.folder, 'searches') });
const { search_id } = await searches.save({ name: 'cars', request: savedRequest(cache_dir) });
const webhooks = new WebhookService({
  ...home,
  searches,
  folder: join(w.folder, 'webhooks'),
  hosts: [],
  watchFolders: { list: async () => ({ watch_folders: [], service_status: {} as never }) },
});
const hook = 'http://127.0.0.1:9/';
const { webhook_id } = (await webhooks.add({ url: hook, events: ['task.ended'] })).webhook;
webhooks.publish('task.ended', {});
const { delivery_id } = webhooks.deliveries(webhook_id, { offset: 0, limit: 1 }).deliveries[0]!;
const { task_id } = await tasks.start({ cache_dir, visual_media_paths: w.paths });
const real = createExporter(() => 0);
/** Whatever folder is asked for, what is written lies in that of the test. */
const inside = (path: string) => join(w.folder, 'out', path);
function placed<R extends object, A>(make: (request: R, signal: AbortSignal) => Promise<A>): typeof make {
  return (request, signal) => {
    const paths = Object.entries(request).filter(([name]) => /^output_(dir|path)$/.test(name));
    const within = Object.fromEntries(paths.map(([name, path]) => [name, inside(String(path))]));
    return make({ ...request, ...within, create_folders: true }, signal);
  };
}
const { clips: cutting, proxies } = createMediaExports({ ...w, clipWriters: [w.prober], proxies_gb: 1 });
const clips: typeof cutting = { ...cutting, export: placed(cutting.export) };
const exporter: typeof real = { ...real, transcript: placed(real.transcript) };
const writing = createSidecars({ ...w, roots: noRootsHere });
const sidecars: typeof writing = { ...writing, make: placed(writing.make) };
after(async () => {
  await Promise.all([timelines.close(), sidecars.close()]);
  await exporter.close();
  await tasks.stop();
  await w.end();
});

/** A clustering for every question: what one takes away is not missed by the next. */
const faces = new FakeIndex({
  look: (folder) => {
    const job = fakeJob('Family', { c1: 3, c2: 2 });
    faces.put(folder, { ...job, before: job.clusters });
  },
});

/** The same: it can be added, changed and removed again and again. */
const watched = fakeWatchFolders();
const footage: Record<string, unknown> = { folder_path: w.folder };
createValidator(NewWatchFolder)(footage);
const { id: watch_id } = await watched.add(footage as NewWatchFolder, new AbortController().signal);
const watchFolders: typeof watched = {
  ...watched,
  add: async (folder, signal) => {
    const added = await watched.add({ ...folder, folder_path: `${folder.folder_path}/again` }, signal);
    await watched.remove(added.id);
    return { ...added, folder_path: folder.folder_path };
  },
  remove: async (id) => (id === watch_id ? undefined : watched.remove(id)),
};

/** The same: every question finds the list as it was made, and none are left of the others. */
const keeping = { homeFiles: ownFiles, clock: w.clock, now: () => 0, newId: randomUUID, paths: noPaths };
const kept = new ListFolder({ folder: join(w.folder, 'lists'), ...keeping });
const never = new AbortController().signal;
const { list_id } = await kept.make({ name: 'Cut', items: [] }, never);
const lists: MomentLists = {
  list: (signal) => kept.list(signal),
  get: (id, signal) => kept.get(id, signal),
  make: async (list, signal) => {
    const made = await kept.make(list, signal);
    await kept.remove(made.list_id, signal);
    return made;
  },
  change: async (id, changes, signal) => {
    const { version } = await kept.get(id, signal);
    return kept.change(id, { ...changes, version }, signal);
  },
  remove: async (id, signal) => (id === list_id ? undefined : kept.remove(id, signal)),
};

/** Summaries lie in a folder of their own kind; what one question removes is there again for the next. */
const stored = await world([], { index: definition });
after(() => stored.end());
const summarised = () =>
  summarise(callsOf(stored.index), cache_dir, 'aa', { collection: { name: 'All', description: '' } });
let { collection_id } = await summarised();
const reading = createSummaries(stored);
const summaries: typeof reading = {
  ...reading,
  remove: async (request, signal) => {
    const one = request.collection_id === 'c1' ? { collection_id: collection_id! } : {};
    const answer = await reading.remove({ ...request, ...one }, signal);
    collection_id = (await summarised()).collection_id;
    return answer;
  },
};

const sequences = createTimelines({ prober: w.prober, index: stored.index, summaries });
const timelines: typeof sequences = { ...sequences, make: placed(sequences.make) };
const documents = createSummaryDocuments({ index: stored.index, summaries });
const summaryDocuments: typeof documents = { make: placed(documents.make) };

const call = inject(routes, {
  analysis: w.analysis,
  search: w.search,
  tasks,
  exporter,
  clips,
  proxies,
  timelines,
  sidecars,
  library: createLibrary({
    proxies,
    index: w.index,
    prober: w.prober,
    tasks: { unfinished: async () => null, list: () => tasks.list(), failures: async () => [] },
    roots: noRootsHere,
    modelsFolder: join(w.folder, 'models'),
  }),
  people: createPeople({ index: faces.ref, tasks: { start: async () => ({ task_id: 'recluster' }) } }),
  lists,
  roots: onlyFootage,
  watchFolders,
  summaries,
  summaryDocuments,
  states: () => [],
  models: createModelLibrary(join(w.folder, 'models'), { memoryBytes: 8e9, graphics: false }),
  stopping: () => false,
  metrics: { render: async () => '' },
  mediaLinks: createMediaLinks(Date.now, () => granted),
  webhooks,
  searches,
  events: createEventServer({ ...w, tasks, searches, isAllowedHost: () => true, origins: [] }),
  access: {
    makeTicket: () => ({ ticket: 'fht_t', expires: 1 }),
    openSession: () => ({ token: 'fhs_t', expires: 1, shared: false }),
    endSession: () => false,
    cacheDirOf: () => null,
  },
  pageAddress: () => 'http://localhost:6699/',
  settings: settingsAnswer(resolveConfig(settings, { flags: {}, env: {}, file: {} }), '1.0.0'),
});
const find = createRouter(routes);

/** What a schema cannot tell: things that are really there. */
const good = new Map<RegExp, unknown>([
  [/^(cache_dir|folder)$/, cache_dir],
  [/_path(s(\[0\])?)?$/, w.paths[0]],
  [/^hash_strs?(\[0\])?$/, 'amp4'],
  [/_time$/, '00:00:01'],
  [/(_|^items\[0\]\.)end_seconds$/, 2],
  [/^model_key$/, 'fake'],
  [/^cluster_job_name$/, 'Family'],
  [/^(name|people(\[0\])?)$/, 'c1'],
  [/(^|\.)(from_)?cluster_ids?$/, 'c1'],
  [/^output_dir$/, '/clips'],
  [/^url$/, hook],
  [/^segments$/, [[0, ' hello', 1]]],
]);
const known = (name: string) => [...good].find(([pattern]) => pattern.test(name))?.[1];

const besides = besidesIn(w.paths[0]!, w.folder, moved, cache_dir);
const goodFor = ({ body, id }: Route) => ({ ...goodBody(body!, known), ...besides[id] });

/** A task that a request before has resumed still runs: that is no fault of the body. */
const isAccepted = ({ status, body }: Injected) =>
  status < 300 || (body as { error?: string }).error === 'The task is running';

const isPathOfAnother = (path: string) =>
  routes.some((one) =>
    new RegExp(`^${one.path.replace(/\{\w+\}/g, '[^/]+').replace(/\{\+\w+\}/, '.+')}$`).test(path),
  );
const places = { task_id, search_id, webhook_id, delivery_id, list_id, id: watch_id, name: 'footage' };
const addressed = ({ path }: Route) =>
  path.replace(/\{(\w+)\}/, (all, name: string) => (places as Record<string, string>)[name] ?? all);
/** What a route cannot do without in its query. */
const queries: Readonly<Record<string, string>> = { faceClusters: `?${new URLSearchParams({ cache_dir })}` };
const send = (route: Route, body: unknown, request: Request = {}) =>
  call(addressed(route) + (queries[route.id] ?? ''), route.body || body !== undefined ? body : undefined, {
    method: route.method,
    ...request,
  });
const said = ({ body }: Injected) => JSON.stringify(body).slice(0, 120);
const named = ({ body }: Injected) => {
  const { error = '', message = '' } = body as { error?: string; message?: string };
  return `${error} ${message}`;
};
let linesRead = 0;
/** Internal errors since the last call. */
function faults(): number {
  const lines = call.lines.slice(linesRead);
  linesRead = call.lines.length;
  return lines.filter(({ message }) => message === 'internal error').length;
}

/** Null when the answer is as it has to be. */
async function fieldErrorsOf(route: Route, { field, what, body, must }: Bad): Promise<string | null> {
  faults();
  const answer = await send(route, textOf(body)).catch((error: Error) => error);
  const at = `${route.id}: ${field} ${what}`;
  if (answer instanceof Error) return `${at}: ${answer.message}`;
  if (faults() > 0 || answer.status === 500) return `${at}: ${answer.status} ${said(answer)}`;
  const { search: made } = answer.body as { search?: { search_id: string } };
  // There is room for so many at most.
  if (route.id === 'saveSearch' && made)
    await call(`/api/v1/searches/saved/${made.search_id}`, undefined, { method: 'DELETE' });
  if (must === 'survive') return null;
  // A bad clip fails by itself.
  if (field === 'clips[0].media_path' && /"succeeded":0,"failed":1/.test(JSON.stringify(answer.body)))
    return null;
  if (answer.status !== 400) return `${at}: ${answer.status} instead of 400, ${said(answer)}`;
  return named(answer).includes(field) ? null : `${at}: is not named by ${said(answer)}`;
}

/** Fields of which a request gives one. */
const chosen: Readonly<Record<string, unknown>> = {
  media_path: w.paths[0],
  hash_str: 'aa',
  path: w.paths[0],
  summary_ref: 'any',
  model_key: 'fake',
  model_keys: ['fake'],
  image_path: w.paths[0],
  image_data: 'AAAA',
  like: { hash_str: 'aa', time_seconds: 1 },
  cluster_id: 'c1',
  person_name: 'Ann',
};
const choicesOf = ({ body }: Route): FieldChoice[] => {
  const fields = Object.values(body?.properties ?? {}) as { choice?: FieldChoice }[];
  return [
    ...new Map(fields.flatMap(({ choice }) => (choice ? [[choice.fields.join(), choice]] : []))).values(),
  ];
};

test('a request gives as many fields of a choice as the API document says', async () => {
  const wrong: string[] = [];
  let choices = 0;
  for (const route of routes) {
    for (const { fields, least, most } of choicesOf(route)) {
      choices++;
      const others = Object.entries(goodFor(route)).filter(([name]) => !fields.includes(name));
      const given = (names: readonly string[]) => names.map((name) => [name, chosen[name]]);
      const bodies = [
        ...(least > 0 ? [[]] : []),
        ...(most === 1 ? [fields.slice(0, 2), fields.slice(-2)] : []),
      ];
      for (const names of bodies) {
        const answer = await send(route, Object.fromEntries([...others, ...given(names)]));
        const isSaid = answer.status === 400 && fields.some((name) => named(answer).includes(name));
        if (!isSaid) wrong.push(`${route.id} with ${names.join(' and ')}: ${answer.status} ${said(answer)}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(choices > 15, `${choices} choices`);
});

test('a saved search that could never run is refused', async () => {
  const save = (more: object) =>
    call('/api/v1/searches/saved', { name: 'a', request: { ...savedRequest(cache_dir), ...more } });
  const nobody = await save({ people_filter: [{}] });
  assert.deepEqual([nobody.status, /people_filter\[0\]/.test(named(nobody))], [400, true]);
  const both = await save({ like: { hash_str: 'aa', media_path: w.paths[0], time_seconds: 1 } });
  assert.deepEqual([both.status, /like\.media_path/.test(named(both))], [400, true]);
});

for (const route of routes.filter(({ body }) => body !== null)) {
  test(`${route.id}: every bad field is a 400 that names it, and no input is an internal error`, async () => {
    const bad = badBodies(route.body!, goodFor(route), known);
    assert.ok(bad.length > 0);
    const wrong: string[] = [];
    for (const row of sampled(bad, 3)) {
      const found = await fieldErrorsOf(route, row);
      if (found) wrong.push(found);
    }
    assert.deepEqual(wrong, []);
  });

  test(`${route.id}: what is no JSON object is a 400 that says so`, async () => {
    const bodies = `|{|{"a":}|[]|"text"|5|null|true|{}{}|{"__proto__":1}`.split('|');
    bodies.push('\ufeff{}', '\0');
    // A change of nothing is one.
    const needsNothing = isAccepted(await send(route, {}));
    const isEmpty = (text: string) => text === '' || text === '{"__proto__":1}';
    for (const text of bodies) {
      const answer = await send(route, text);
      if (needsNothing && isEmpty(text)) assert.ok(isAccepted(answer), said(answer));
      else assert.equal(answer.status, 400, `${text}: ${said(answer)}`);
    }
    const latin = Buffer.from('{"cache_dir":"/gr\xfcn"}', 'latin1');
    assert.match(said(await send(route, latin)), /not UTF-8/);
  });

  test(`${route.id}: fields it does not know mean nothing`, async () => {
    const body = goodFor(route);
    const plain = await send(route, body);
    assert.ok(isAccepted(plain), `a good body is refused, so nothing here proves anything: ${said(plain)}`);
    const more = await send(route, { ...body, no_such_field: { a: [1] }, constructor: 5, toString: null });
    assert.ok(isAccepted(more), said(more));
  });
}

for (const route of routes) {
  const query = (route.query as { properties?: Record<string, { type?: string }> }).properties ?? {};
  for (const [name, { type }] of Object.entries(query)) {
    test(`${route.id}: a bad ${name} in the query is a 400 that names it`, async () => {
      const values = ['', 'x', '1.5', '-1', 'true', '0x10', '1e3', 'NaN', ' 1', '9'.repeat(30), '%00', '[]'];
      for (const value of values) {
        const answer = await call(`${addressed(route)}?${name}=${encodeURIComponent(value)}`, undefined, {
          method: route.method,
        });
        if (type === 'integer') assert.equal(answer.status, 400, `${value}: ${said(answer)}`);
        assert.notEqual(answer.status, 500);
        if (answer.status === 400) assert.match(named(answer), new RegExp(name));
      }
    });
  }

  if (route.path.includes('{')) {
    test(`${route.id}: any placeholder is survived`, async () => {
      const odd = [
        'x',
        '%00',
        '..',
        '..%2f..%2fetc%2fpasswd',
        'x'.repeat(3000),
        '%E0%A4%A',
        '__proto__',
        '%20',
        '*',
      ];
      for (const value of odd) {
        const path = route.path.replace(/\{\+?\w+\}/, value);
        const answer = await call(path, route.body ? goodFor(route) : undefined, {
          method: route.method,
        });
        assert.ok([400, 404].includes(answer.status), `${value}: ${answer.status} ${said(answer)}`);
      }
    });
  }

  test(`${route.id}: other methods are 405 with what is allowed, other paths 404`, async () => {
    const path = addressed(route);
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      const found = find(method as Method, path);
      if (found && 'route' in found) continue;
      const answer = await call(path, undefined, { method });
      assert.equal(answer.status, 405, `${method}: ${said(answer)}`);
      assert.ok(answer.headers['allow']?.split(', ').includes(route.method), answer.headers['allow']);
    }
    for (const other of [
      `${path}/`,
      `${path}/x`,
      `/${path}`,
      path.toUpperCase(),
      `${path}%20`,
      `${path};a=1`,
    ]) {
      const found = find(route.method, other);
      if (found && 'route' in found) continue;
      const wanted = isPathOfAnother(other) ? 405 : 404;
      assert.equal((await call(other, undefined, { method: route.method })).status, wanted, other);
    }
  });

  test(`${route.id}: the key is asked for before anything is told, unless the route is open`, async () => {
    const keys = { none: {}, empty: { 'x-license-key': '' }, wrong: { 'x-license-key': 'another' } };
    const body = route.body ? '{"broken' : undefined;
    for (const [name, headers] of Object.entries(keys)) {
      const given = name === 'none' ? { 'x-license-key': '' } : headers;
      const { status } = await send(route, body, { headers: given });
      if (route.access === 'licensed') assert.equal(status, name === 'wrong' ? 403 : 401, name);
      else assert.ok(status !== 401 && status !== 403, `${name}: ${status}`);
    }
    if (route.access === 'open') return;
    for (const license_key of [5, null, {}, ['x'], true]) {
      const answer = await send(route, { license_key }, { headers: { 'x-license-key': '' } });
      assert.equal(answer.status, 401, said(answer));
      const keyed = await send(route, { license_key }, { headers: { 'x-license-key': KEY } });
      if (license_key !== null) assert.match(named(keyed), /license_key/);
    }
  });
}
