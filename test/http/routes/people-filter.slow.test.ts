import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { definition } from '../../../actors/index/actor.ts';
import type { LoadedContext } from '../../../actors/search/contract.ts';
import { analysisDataRoutes } from '../../../http/routes/library.ts';
import { facetRoutes, searchRoutes } from '../../../http/routes/search.ts';
import { world } from '../../actors/analysis/fakes.ts';
import { FakeClusterings } from '../../actors/index/people/clusterings.ts';
import { inject } from '../inject.ts';

const clusterings = new FakeClusterings();
const index: typeof definition = {
  ...definition,
  create: (parts) => definition.create({ ...parts, settings: { clusterings: () => clusterings } }),
};
const w = await world(
  [
    { name: 'a.mp4', frames: 8, content: 'aa' },
    { name: 'b.mp4', frames: 8, content: 'bb' },
  ],
  { index },
);
await w.run();
await w.search.models.load('fake');
after(() => w.end());
const [a, b] = w.paths as [string, string];
const cache_dir = join(w.folder, 'cache');
clusterings.store(
  'cast',
  [
    ['aa', 2, 'c1'],
    ['aa', 5, 'c1'],
    ['aa', 5, 'c2'],
    ['bb', 7, 'c2'],
  ],
  { c1: 'Anna', c2: 'Ben' },
);
const call = inject([...searchRoutes, ...analysisDataRoutes, ...facetRoutes], { search: w.search });
const load = () => call('/api/v1/analysis-data/load', { cache_dir });
const anna = { cluster_job_name: 'cast', person_name: 'Anna' };
const ben = { cluster_job_name: 'cast', cluster_id: 'c2' };

interface Body {
  readonly error?: string;
  readonly message?: string;
  readonly toast_warning?: string;
  readonly matches?: readonly { readonly hash_str: string; readonly frame_idx: string }[];
}
const kinds = {
  text: { query: 'four' },
  image: { image_path: a },
  frame: { media_path: a, time_seconds: 1 },
};
async function ask(kind: keyof typeof kinds, more: Record<string, unknown>) {
  const { status, body } = await call(`/api/v1/search/${kind}`, { cache_dir, ...kinds[kind], ...more });
  const { matches = [], ...rest } = body as Body;
  return { status, ...rest, found: matches.map((one) => `${one.hash_str} ${one.frame_idx}`).sort() };
}
const contexts: LoadedContext[] = [];
w.search.onLoaded((context) => contexts.push(context));

test('before people are loaded a search by people is a 400 that says what to call', async () => {
  await w.search.load(cache_dir);
  const { status, error, message } = await ask('text', { people_filter: [anna] });
  assert.deepEqual([status, error], [400, 'Invalid people_filter']);
  assert.match(message ?? '', /load them first \(POST \/analysis-data\/load\)/);
});

test('load-for-media loads people where none are, and load says how many there are', async () => {
  const some = { cache_dir, media_paths: [a] };
  assert.equal((await call('/api/v1/analysis-data/load-for-media', some)).status, 200);
  assert.deepEqual(clusterings.reads, ['cast']);
  assert.equal((await ask('text', { people_filter: [anna, ben] })).status, 200);
  const { body } = await load();
  const { message, ...loaded } = body as { message: string; people: number; face_clusterings: number };
  assert.match(message, /2 people of 1 face clusterings are loaded, 2 with a name$/);
  assert.deepEqual([loaded.people, loaded.face_clusterings], [2, 1]);
  assert.deepEqual(contexts.at(-1)?.people, { cache_dir });
});

test('every visual search shows only frames with the people, and with files and ranges', async () => {
  for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
    assert.deepEqual((await ask(kind, { people_filter: [anna, ben] })).found, ['aa 5'], kind);
    const either = await ask(kind, {
      people_filter: [anna, ben],
      people_filter_mode: 'or',
      media_paths: [b],
    });
    assert.deepEqual(either.found, ['bb 7'], kind);
    const ranges = { segments_to_frame_indices: { [a]: [0, 5] } };
    assert.deepEqual((await ask(kind, { people_filter: [anna], ...ranges })).found, ['aa 2'], kind);
    const facet = { facet_id: 'people.cast', operator: 'exclude_any_of', values: ['Anna'] };
    const filters = { metadata_filter_request: { filters: [facet] } };
    assert.deepEqual((await ask(kind, { people_filter: [ben], ...filters })).found, ['bb 7'], kind);
  }
});

test('one person is not two: nothing matches, and the answer says why', async () => {
  const { status, found, toast_warning } = await ask('text', { people_filter: [anna, { cluster_id: 'c1' }] });
  assert.deepEqual([status, found], [200, []]);
  assert.match(toast_warning ?? '', /The same person is required twice in one picture.*: Anna/);
});

const wrong: readonly (readonly [Record<string, unknown>, string, RegExp])[] = [
  [{ ...anna, person_name: 'Ana' }, '[1].person_name', /Ana .* did you mean Anna\?/],
  [{ ...anna, cluster_job_name: 'cats' }, '[1].cluster_job_name', /cats; did you mean cast\?/],
  [{ ...ben, cluster_id: 'c9' }, '[1].cluster_id', /no cluster c9/],
  [{ cluster_job_name: 'cast' }, '[1]', /exactly one of/],
  [{ ...anna, cluster_id: 'c1' }, '[1]', /exactly one of/],
  [{ person_name: '' }, '[1]', /exactly one of/],
];
for (const [person, field, text] of wrong) {
  test(`${JSON.stringify(person)} is a 400 that names people_filter${field}, also where no word is understood`, async () => {
    for (const query of ['four', 'xyzzy']) {
      const { status, error, message } = await ask('text', { query, people_filter: [anna, person] });
      assert.deepEqual([status, error], [400, `Invalid people_filter${field}`], query);
      assert.match(message ?? '', text);
    }
  });
}

test('an index that starts again is told the people again by the next search', async () => {
  // Another folder takes their place behind the back of the coordinator, as a crash of the index does.
  for (let [number, isDone]: [number | null, boolean] = [null, false]; !isDone; )
    ({ load: number, done: isDone } = await w.index.ask('load_people', {
      cache_dir: w.folder,
      load: number,
    }));
  assert.deepEqual((await ask('text', { people_filter: [anna, ben] })).found, ['aa 5']);
});

test('people are among what another engine loads again', async () => {
  const kept = contexts.at(-1)!;
  const next = await world([], { index });
  await next.search.models.load('fake');
  await next.search.restore(kept, Promise.resolve());
  const again = inject(searchRoutes, { search: next.search });
  const { status } = await again('/api/v1/search/text', { cache_dir, ...kinds.text, people_filter: [anna] });
  assert.equal(status, 200);
  await next.end();
});

test('facets list the people, and name a clustering that cannot be read', async () => {
  clusterings.store('bad', [['aa', 0, 'x']]);
  clusterings.damage('bad');
  const { body } = await call('/api/v1/metadata/facets', { cache_dir, search_all: true });
  const { facets, warning } = body as { facets: { id: string; options: unknown[] }[]; warning: string };
  assert.equal(facets.find(({ id }) => id === 'people.cast')?.options.length, 2);
  assert.match(warning, /Damaged face clusterings; cluster these again: bad/);
  const { body: loaded } = await load();
  assert.deepEqual((loaded as { unreadable_face_clusterings: string[] }).unreadable_face_clusterings, [
    'bad',
  ]);
});
