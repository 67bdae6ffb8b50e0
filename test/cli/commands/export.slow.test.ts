import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, type TestContext } from 'node:test';
import { createTimelines } from '../../../actors/exporter/timeline/timelines.ts';
import { definition } from '../../../actors/index/actor.ts';
import type { Match } from '../../../actors/search/contract.ts';
import { createSummaries } from '../../../actors/summarizer/stored/summaries.ts';
import { exporting } from '../../../cli/commands/export.ts';
import { search } from '../../../cli/commands/search.ts';
import { usageErrors } from '../../../cli/context.ts';
import { sceneItems } from '../../../cli/timeline-file.ts';
import { world } from '../../actors/analysis/fakes.ts';
import { callsOf, summarise, tree } from '../../actors/index/summaries/trees.ts';
import { fakeEngine, fakeHome } from '../fake-context.ts';

const w = await world([
  { name: 'a.mp4', frames: 8 },
  { name: 'b.wav', frames: 5, kind: 'audio' },
]);
const timelines = createTimelines({ ...w, summaries: createSummaries(w) });
after(async () => {
  await timelines.close();
  await w.end();
});

const match = (more: Partial<Match>): Match => ({
  frame_idx: '2',
  timestamp: '00:00:02',
  image: '',
  scene_start_timestamp: '00:00:01',
  scene_end_timestamp: '00:00:03',
  original_index: 0,
  hash_str: 'h',
  video_path: w.paths[0]!,
  ...more,
});

function commands(t: TestContext, matches: readonly Match[] = []) {
  const home = fakeHome(t);
  const loaded = { media: 1, vectors: 1, missing: [], unreadable: [] };
  const models = { current: () => 'fake', state: { model_key: 'fake' } };
  const people = async () => ({ jobs: 0, people: 0, named: 0, unreadable: [] });
  const transcripts = { load: async () => ({ media: 0, segments: 0, unreadable: [] }) };
  const text = async () => ({ matches });
  const found = { models, load: async () => loaded, loadPeople: people, transcripts, text };
  const startEngine = async () => fakeEngine({ timelines, search: found });
  const run = async (command: typeof search, ...args: string[]) => {
    const context = home.context({ startEngine });
    const code = await command(args, context);
    return { code, ...context.said() };
  };
  return { run, home: home.home };
}

test('a list of scenes is printed as a timeline, or written where it was asked for and never over another', async (t) => {
  const { run, home } = commands(t);
  const list = join(w.folder, 'scenes.json');
  const items = [{ media_path: 'a.mp4', source_start_seconds: 1, source_end_seconds: 3, track: 'video' }];
  writeFileSync(list, JSON.stringify(items));
  const printed = await run(exporting, 'timeline', list);
  assert.match(printed.out, /<!DOCTYPE xmeml>/);
  assert.match(printed.err, /note: .*a\.mp4: its frame rate is unknown/);
  const out = join(home, 'cut.edl');
  const first = await run(exporting, 'timeline', list, '--out', out);
  assert.equal(first.out, `${out}\n`);
  assert.match(readFileSync(out, 'utf8'), /^TITLE: Sequence\nFCM: NON-DROP FRAME\n\n001 {2}A {8}V /);
  const named = await run(exporting, 'timeline', list, '--out', out, '--format', 'otio', '--json');
  const saved = JSON.parse(named.out) as { output_path: string; total_duration_seconds: number };
  assert.deepEqual([saved.output_path, saved.total_duration_seconds], [join(home, 'cut-2.edl'), 2]);
});

test('sidecars are asked for by pages of the library, and their paths and failures are told', async (t) => {
  const home = fakeHome(t);
  const asked: unknown[] = [];
  const media = Array.from({ length: 201 }, (_, i) => ({ media_path: `/f/${i}.jpg` }));
  const list = async ({ under, offset, limit }: { under?: string; offset: number; limit: number }) => {
    const all = under === undefined ? media : media.filter(({ media_path }) => media_path === under);
    return { total: all.length, offset, limit, media: all.slice(offset, offset + limit) };
  };
  const make = async ({ media_paths, ...rest }: { media_paths: string[] }) => {
    asked.push({ ...rest, first: media_paths[0], count: media_paths.length });
    const results = media_paths.map((media_path) => {
      const error = media_path === '/f/200.jpg' ? `${media_path}: changed` : null;
      const output_paths = error === null ? [`/out${media_path}.xmp`] : [];
      return {
        media_path,
        success: error === null,
        error,
        output_paths,
        keywords: 0,
        people: 0,
        segments: 0,
      };
    });
    return { results, summary: { total: results.length, succeeded: 0, failed: 0 } };
  };
  const startEngine = async () => fakeEngine({ library: { list }, sidecars: { make } } as never);
  const run = async (...args: string[]) => {
    const context = home.context({ startEngine });
    const code = await exporting(['sidecars', ...args], context);
    return { code, ...context.said() };
  };
  const all = await run('--out', '/out', '--format', 'xmp');
  assert.deepEqual([all.code, all.out.split('\n').length, all.err], [3, 201, '✗ /f/200.jpg: changed\n']);
  const request = { formats: ['xmp'], output_dir: '/out', create_folders: true, beside_media: false };
  const cache_dir = join(home.home, 'analysis');
  assert.deepEqual(asked, [
    { cache_dir, ...request, first: '/f/0.jpg', count: 200 },
    { cache_dir, ...request, first: '/f/200.jpg', count: 1 },
  ]);
  const one = await run('/f/7.jpg', '/f/none.jpg', '--beside', '--json');
  assert.deepEqual(JSON.parse(one.out).sidecars.length, 1);
  assert.match(one.err, /note: nothing is analysed at \/f\/none\.jpg in /);
  for (const wrong of [
    ['--beside', '--out', '/out'],
    ['--beside', '--format', 'pdf'],
  ])
    await assert.rejects(run(...wrong), usageErrors.USAGE.is);
});

test('--chapters marks those of stored summaries, and a file without any is named', async (t) => {
  const stored = await world([{ name: 'a.mp4', frames: 8, content: 'aa' }], { index: definition });
  const summaries = createSummaries(stored);
  const making = createTimelines({ ...stored, summaries });
  t.after(() => making.close().then(() => stored.end()));
  const cache_dir = join(stored.folder, 'cache');
  const home = fakeHome(t, { FRAMEHOUND_CACHE_DIR: cache_dir });
  const startEngine = async () => fakeEngine({ timelines: making, summaries });
  const run = async (...args: string[]) => {
    const context = home.context({ startEngine });
    await exporting(['timeline', list, '--format', 'edl', ...args], context);
    return context.said();
  };
  const list = join(stored.folder, 'scenes.json');
  const scene = { media_path: 'a.mp4', source_start_seconds: 1, source_end_seconds: 7, track: 'video' };
  writeFileSync(list, JSON.stringify([scene]));
  assert.match((await run('--chapters')).err, /note: no chapter markers: .*a\.mp4 has no summary\n/);
  await summarise(callsOf(stored.index), cache_dir, 'aa', { nodes: tree(8, 2, 2) });
  const { out } = await run('--chapters');
  assert.deepEqual(out.match(/^\* LOC: .*$/gm), [
    '* LOC: 00:00:00:00 GREEN   1 from 0 to 4',
    '* LOC: 00:00:03:00 GREEN   2 from 4 to 8',
  ]);
  assert.ok(!(await run()).out.includes('LOC'));
  // What the list itself says goes first.
  writeFileSync(list, JSON.stringify({ items: [scene], chapter_markers: { cache_dir, depth: 0 } }));
  assert.equal((await run('--chapters')).out.match(/LOC/g)?.length, 1);
});

test('what is wrong with the list is told of its place in it', async (t) => {
  const { run, home } = commands(t);
  const list = join(home, 'scenes.json');
  mkdirSync(home, { recursive: true });
  const wrong = [
    ['{', /scenes\.json: is not JSON/],
    ['5', /must be an object or a list of items/],
    ['[]', /items must not be empty/],
    [
      '[{"media_path":"/a","source_start_seconds":"x","source_end_seconds":1,"track":"video"}]',
      /items\[0\]\.source_start_seconds/,
    ],
    ['{"items":[{}]}', /items\[0\]\.media_path is required/],
  ] as const;
  for (const [body, message] of wrong) {
    writeFileSync(list, body);
    await assert.rejects(run(exporting, 'timeline', list), (error: unknown) => {
      assert.ok(usageErrors.USAGE.is(error));
      assert.match(error.message, message);
      return true;
    });
  }
  await assert.rejects(
    run(exporting, 'timeline', list, '--out', '/x/cut.mov'),
    /must end with one of \.xml, \.fcpxml, \.edl, \.otio/,
  );
  await assert.rejects(run(exporting, 'timeline', list, '--format', 'aaf'), /--format must be one of xmeml/);
  await assert.rejects(run(exporting, 'timeline'), /needs exactly one file/);
  await assert.rejects(run(exporting, 'clip', list), /export takes timeline/);
});

test('the scenes of a search lie one after the other, each with its last second, in the order found', async (t) => {
  const matches = [match({}), match({ scene_start_timestamp: '00:00:05', scene_end_timestamp: '00:00:07' })];
  const { run, home } = commands(t, matches);
  const out = join(home, 'found.xml');
  const { out: said } = await run(search, 'red car', '--seen', '--timeline', out);
  assert.match(said, new RegExp(`timeline: ${out}\n`));
  const text = readFileSync(out, 'utf8');
  const numbers = (name: string) =>
    [...text.matchAll(new RegExp(`<${name}>(\\d+)<`, 'g'))].map(([, n]) => Number(n));
  assert.deepEqual(
    [numbers('start'), numbers('end'), numbers('in'), numbers('out')],
    [
      [0, 75],
      [75, 150],
      [25, 125],
      [100, 200],
    ],
  );
  assert.match(text, /<name>"red car"<\/name>/);
  const { out: json } = await run(search, 'red car', '--seen', '--timeline', out, '--json');
  const answer = JSON.parse(json) as { matches: unknown[]; timeline: { output_path: string } };
  assert.deepEqual([answer.matches.length, answer.timeline.output_path], [2, join(home, 'found-2.xml')]);
});

test('a scene with exact edges carries no frame of its neighbour, and one without is told', async (t) => {
  const shot = { start_seconds: 1.48, end_seconds: 3.12, start_frame: 37, end_frame: 78 };
  const { run, home } = commands(t, [match({ shot })]);
  const out = join(home, 'found.xml');
  const exact = await run(search, 'red car', '--seen', '--timeline', out);
  assert.deepEqual(readFileSync(out, 'utf8').match(/<(in|out)>\d+/g), ['<in>37', '<out>78']);
  assert.doesNotMatch(exact.err, /whole seconds/);
  const grid = commands(t, [match({}), match({})]);
  const { err } = await grid.run(search, 'red car', '--seen', '--timeline', join(grid.home, 'found.edl'));
  assert.match(err, /note: scenes of 1 film begin and end at whole seconds; .* analyse again with --force\n/);
  // The first and the last half minute of a long shot.
  const long = { start_seconds: 2.5, end_seconds: 70.5, start_frame: 62, end_frame: 1762 };
  const items = ['00:00:02 00:00:32', '00:00:32 00:01:01', '00:01:02 00:01:10'].map((times) => {
    const [scene_start_timestamp, scene_end_timestamp] = times.split(' ') as [string, string];
    return {
      seen: match({ scene_start_timestamp, scene_end_timestamp, shot: long }),
      said: null,
      written: null,
    };
  });
  assert.deepEqual(
    sceneItems(items).map((one) => [one.source_start_seconds, one.source_end_seconds]),
    [
      [2.5, 33],
      [32, 62],
      [62, 70.5],
    ],
  );
});

test('a search that finds nothing writes no timeline, and a name without a format is refused at once', async (t) => {
  const { run, home } = commands(t);
  const { err } = await run(search, 'x', '--seen', '--timeline', join(home, 'found.xml'));
  assert.match(err, /nothing was found, so no timeline was written/);
  await assert.rejects(run(search, 'x', '--timeline', 'found'), /must end with one of/);
});

test('scenes of films that are gone are left out of the timeline, and that is said', async (t) => {
  const { run, home } = commands(t, [match({ video_path: '/away/film.mp4' }), match({})]);
  const out = join(home, 'found.edl');
  const { code, err } = await run(search, 'red car', '--seen', '--timeline', out);
  assert.equal(code, 0);
  assert.match(err, /note: skipped an item: \/away\/film\.mp4/);
  assert.equal(readFileSync(out, 'utf8').match(/^00\d /gm)!.length, 1);
});

test('the timeline has what is shown: words that stand alone too, and nothing that hardly stands out', async (t) => {
  const band = (of: 'strong' | 'weak') => ({ explanation: { band: of, parts: [] } });
  const away = { scene_start_timestamp: '00:00:05', scene_end_timestamp: '00:00:07' };
  const { run, home } = commands(t, [match(band('strong')), match({ ...away, ...band('weak') })]);
  const out = join(home, 'found.edl');
  const events = () => readFileSync(out, 'utf8').match(/^00\d /gm)!.length;
  await run(search, 'red car', '--seen', '--timeline', out);
  assert.equal(events(), 1);
  const line = { media_path: w.paths[0]!, start_seconds: 7, end_seconds: 9 };
  const none = { seen: null, said: null, written: null };
  assert.deepEqual(
    sceneItems([
      { ...none, said: line as never },
      { ...none, written: line as never },
      { ...none, written: { ...line, media_path: '/a.jpg' } as never },
    ]),
    [
      { media_path: w.paths[0], source_start_seconds: 7, source_end_seconds: 9, track: 'both' },
      { media_path: w.paths[0], source_start_seconds: 7, source_end_seconds: 9, track: 'video' },
      { media_path: '/a.jpg', source_start_seconds: 0, source_end_seconds: 5, track: 'video' },
    ],
  );
});

test('a still is shown for five seconds', () => {
  const still = match({
    video_path: '/a.jpg',
    frame_idx: '0',
    scene_start_timestamp: '00:00:00',
    scene_end_timestamp: '00:00:01',
  });
  assert.deepEqual(sceneItems([{ seen: still, said: null, written: null }]), [
    { media_path: '/a.jpg', source_start_seconds: 0, source_end_seconds: 5, track: 'video' },
  ]);
});
