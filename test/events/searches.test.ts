// Saved searches over a search that a test answers: when they are run, and what of an answer counts.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { WorkResult } from '../../actors/analysis/contract.ts';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import { tellingOf } from '../../actors/cluster/contract.ts';
import type { Moment, MomentsAnswer, MomentsRequest, Reason } from '../../actors/search/moments/contract.ts';
import { type Note, note } from '../../actors/search/notes/contract.ts';
import type { SavedSearch, SearchHit } from '../../events/searches/contract.ts';
import { hitsOf } from '../../events/searches/following.ts';
import { SearchService } from '../../events/searches/searches.ts';
import { ownFiles } from '../../runtime/files/home-files.ts';
import { createLog } from '../../runtime/log.ts';
import { savedRequest } from '../http/body-needs.ts';
import { manualClock } from '../runtime/manual-clock.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { detailOf, fakeTasks } from './fake-tasks.ts';
import { end, ending, failure } from './task-events.ts';

const said = (text: string): Reason => ({
  ...{ kind: 'said', rank: 1, text, start_seconds: 3, end_seconds: 5 },
  ...{ speaker: '', speaker_name: '' },
});
const person = (name: string): Reason => ({
  ...{ kind: 'person', rank: 1, name, cluster_id: 'c1', cluster_job_name: 'all' },
});
const seen = (part: 'text' | 'picture' | 'things'): Reason => ({
  ...{ kind: 'seen', rank: 1 },
  explanation: { band: 'likely', parts: [{ part, band: 'likely' }] } as never,
});

function momentOf(media_path: string, ...reasons: Reason[]): Moment {
  return {
    ...{ moment_id: `${media_path}@3`, hash_str: media_path, media_path, kind: 'video' },
    ...{ time_seconds: 3, start_seconds: 3, end_seconds: 5, reasons },
  } as Moment;
}

function answerOf(moments: Moment[], notes: Note[] = []): MomentsAnswer {
  const counts = { seen: 0, said: 0, person: 0, written: 0, name: 0 };
  return { moments, counts, ...(notes.length > 0 && { notes }) };
}

function searchFor(query: string): SavedSearch {
  const request = { ...savedRequest('/c'), query };
  return { search_id: 's', name: 'n', request, created_at: 0 };
}

test('what answers the whole query counts, and free words alone are not sure', () => {
  const rows: [string, Reason[], 'sure' | 'not sure' | 'nothing'][] = [
    ['red car', [seen('text')], 'not sure'],
    ['red car', [seen('things')], 'sure'],
    ['red car', [seen('text'), said('A red car.')], 'sure'],
    ['red car', [said('That red cart')], 'sure'],
    ['red car', [said('The car is here')], 'nothing'],
    ['red car', [seen('text'), said('The car is here')], 'not sure'],
    ['Ann', [person('Ann')], 'sure'],
    ['Ann and Bob', [person('Ann'), person('Bob')], 'sure'],
    ['Ann with a red car', [person('Ann')], 'nothing'],
    ['Ann with a red car', [person('Ann'), seen('text')], 'sure'],
    ['', [seen('picture')], 'sure'],
    // Filters alone.
    ['', [], 'sure'],
    ['', [person('Ann')], 'sure'],
  ];
  for (const [query, reasons, what] of rows) {
    const [hit, ...others] = hitsOf(searchFor(query), answerOf([momentOf('/a', ...reasons)]), new Set());
    assert.deepEqual(others, []);
    const found = hit === undefined ? 'nothing' : hit.sure ? 'sure' : 'not sure';
    assert.equal(found, what, `${query}: ${JSON.stringify(reasons)}`);
  }
});

test('a moment is told once for each kind of reason', () => {
  const told = new Set<string>();
  const search = searchFor('red car');
  const find = (...reasons: Reason[]) => hitsOf(search, answerOf([momentOf('/a', ...reasons)]), told).length;
  assert.deepEqual(
    [find(seen('text')), find(seen('text')), find(seen('text'), said('red car')), find(said('red car'))],
    [1, 0, 1, 0],
  );
});

function world(t: TestContext, answer: (request: MomentsRequest) => MomentsAnswer) {
  const folder = temporaryFolder(t);
  const tasks = fakeTasks();
  tasks.records.set('t', detailOf('t'));
  const asked: MomentsRequest[] = [];
  const state = { loaded: null as { cache_dir: string } | null, media: [] as string[] };
  const searches = new SearchService({
    ...{ folder, homeFiles: ownFiles, telling: tellingOf(tasks), tasks, clock: manualClock(), now: () => 7 },
    log: createLog('searches', () => {}),
    search: {
      get loaded() {
        return state.loaded;
      },
      onLoaded: () => {},
      loadMedia: async (_: string, paths: readonly string[]) => void state.media.push(...paths),
      transcripts: { load: async () => {} },
      moments: {
        search: async (request: MomentsRequest) => {
          asked.push(request);
          return answer(request);
        },
      },
    } as never,
  });
  t.after(() => searches.close());
  const hits: SearchHit[] = [];
  searches.subscribe((hit) => void hits.push(hit));
  return { folder, tasks, searches, asked, hits, state };
}

test('files that end are searched together, each with the scope of the search, and hits are kept', async (t) => {
  const { tasks, searches, asked, hits, state, folder } = world(t, ({ media_paths }) =>
    answerOf(media_paths.map((path) => momentOf(path, said('red car')))),
  );
  const { search_id } = await searches.save({ name: 'cars', request: savedRequest('/c') });
  await searches.save({ name: 'elsewhere', request: savedRequest('/other') });
  tasks.emit('t', ending('/a.mp4'));
  tasks.emit('t', ending('/b.mp4'));
  tasks.emit('t', ending('/stored.mp4', 'stored'));
  tasks.emit('t', failure('/bad.mp4'));
  tasks.emit('t', end('completed'));
  await until(() => hits.length === 2);
  assert.equal(asked.length, 1);
  const { media_paths, search_all, min_band, query } = asked[0]!;
  assert.deepEqual(
    [media_paths, search_all, min_band, query],
    [['/a.mp4', '/b.mp4'], false, 'likely', 'red car'],
  );
  assert.deepEqual(state.media, ['/a.mp4', '/b.mp4']);
  assert.deepEqual(
    searches.hits(search_id).map(({ media_path }) => media_path),
    ['/b.mp4', '/a.mp4'],
  );
  const standing = () => searches.list().map(({ name, hits, new_hits }) => [name, hits, new_hits]);
  assert.deepEqual(standing(), [
    ['cars', 2, 2],
    ['elsewhere', 0, 0],
  ]);
  searches.markSeen(search_id);
  await searches.change(search_id, { name: 'red cars' });
  assert.deepEqual(standing()[0], ['red cars', 2, 0]);
  await searches.remove(search_id);
  assert.equal(searches.has(search_id), false);
  assert.throws(() => searches.hits(search_id), { code: 'SEARCH_UNKNOWN' });
  for (const query of ['', '  '])
    await assert.rejects(searches.save({ name: 'n', request: { ...savedRequest('/c'), query } }), {
      code: 'SEARCH_INVALID',
    });
  writeFileSync(join(folder, 'searches.json'), '{');
  assert.throws(() => searches.list(), { code: 'SEARCHES_DAMAGED' });
});

test('files with faces are searched again when they were clustered, whoever analysed them', async (t) => {
  const { tasks, searches, asked } = world(t, () => answerOf([]));
  await searches.save({ name: 'Ann', request: savedRequest('/c') });
  const results = (['analyzed', 'stored', 'failed'] as const).map((outcome, at) => ({
    ...{ path: `/${at}.mp4`, type: 'faces', outcome },
  })) as unknown as TaskDetail['results'];
  tasks.records.set('t', detailOf('t', { results, total_results: results.length }));
  const { result } = ending('cast', 'analyzed', 'faces') as { readonly result: WorkResult };
  tasks.emit('t', { type: 'result', result: { ...result, closing: true } });
  await until(() => asked.length === 1);
  assert.deepEqual(asked[0]!.media_paths, ['/0.mp4']);
});

test('a search that was not run completely says why', async (t) => {
  const refused = { reason: 'SUMMARY_RUNNING', message: 'a summary is being generated' };
  const warning = 'Pictures were not searched: a summary is being generated';
  const notes = [note('NO_PREVIEW', { count: 1 }), note('PICTURES_NOT_SEARCHED', refused)];
  const { tasks, searches, state } = world(t, () => answerOf([], notes));
  await searches.save({ name: 'cars', request: savedRequest('/c') });
  const problem = () => searches.list()[0]?.problem;
  tasks.emit('t', ending('/a.mp4'));
  await until(() => problem() === warning);
  state.loaded = { cache_dir: '/other' };
  tasks.emit('t', ending('/b.mp4'));
  await until(() => problem() === 'another folder is loaded: /other');
});

test('filters on facets that no longer exist are ignored; where nothing else is asked for, nothing is found', async (t) => {
  const withdrawn = { facet_id: 'camera.movement', operator: 'is_any_of' as const, values: ['fixed'] };
  const metadata_filter_request = { filters: [withdrawn] };
  const ignored = note('FILTER_IGNORED', { names: ['camera.movement'], count: 1 });
  const { folder, tasks, searches, asked } = world(t, () => answerOf([], [ignored]));
  await searches.save({ name: 'cars', request: { ...savedRequest('/c'), metadata_filter_request } });
  const alone = { ...savedRequest('/c'), query: '', metadata_filter_request };
  await assert.rejects(searches.save({ name: 'fixed', request: alone }), { code: 'SEARCH_INVALID' });
  // An earlier version stored such searches.
  const path = join(folder, 'searches.json');
  const { version, records } = JSON.parse(readFileSync(path, 'utf8')) as {
    version: 1;
    records: SavedSearch[];
  };
  const fixed = { ...records[0]!, search_id: randomUUID(), request: alone };
  writeFileSync(path, JSON.stringify({ version, records: [...records, fixed] }));
  tasks.emit('t', ending('/a.mp4'));
  const problems = () => searches.list().map(({ problem }) => problem);
  await until(() => problems()[1] !== null);
  assert.deepEqual(problems(), [
    ignored.text,
    'It only has filters whose facets no longer exist; change or remove it',
  ]);
  assert.deepEqual(
    asked.map(({ query }) => query),
    [savedRequest('/c').query],
  );
});
