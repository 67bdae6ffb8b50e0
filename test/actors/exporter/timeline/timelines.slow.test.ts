import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { timelineErrors, timelineFormats } from '../../../../actors/exporter/timeline/contract.ts';
import { createTimelines } from '../../../../actors/exporter/timeline/timelines.ts';
import { definition } from '../../../../actors/index/actor.ts';
import { createSummaries } from '../../../../actors/summarizer/stored/summaries.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { world } from '../../analysis/fakes.ts';
import { callsOf, summarise, tree } from '../../index/summaries/trees.ts';
import { item, request } from './sources.ts';

const w = await world([
  { name: 'a.mp4', frames: 8 },
  { name: 'b.wav', frames: 5, kind: 'audio' },
]);
const timelines = createTimelines({ ...w, summaries: createSummaries(w) });
const folder = mkdtempSync(join(tmpdir(), 'framehound-timelines-'));
after(async () => {
  await timelines.close();
  await w.end();
  rmSync(folder, { recursive: true });
});
const signal = new AbortController().signal;
const [film, sound] = w.paths as [string, string];
const items = [item(film, 1, 3), item(sound, 0, 4, { track: 'audio' })];

test('the text is answered, or written where it was asked for and never over another file', async () => {
  const answer = await timelines.make(request(items), signal);
  const { content, ...facts } = answer;
  assert.match(content!, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<!DOCTYPE xmeml>\n<xmeml version="4">/);
  assert.deepEqual([facts.fps, facts.item_count, facts.total_duration_seconds], [25, 2, 4]);
  const output_path = join(folder, 'new', 'cut.xml');
  const first = await timelines.make(request(items, { output_path, create_folders: true }), signal);
  assert.deepEqual([first.output_path, first.content], [output_path, undefined]);
  assert.equal(readFileSync(output_path, 'utf8'), content);
  const second = await timelines.make(request(items, { output_path }), signal);
  assert.equal(second.output_path, join(folder, 'new', 'cut-2.xml'));
  assert.deepEqual(readdirSync(join(folder, 'new')).sort(), ['cut-2.xml', 'cut.xml']);
});

test('a file that is missing or no media is told of its item, and nothing is written', async () => {
  const output_path = join(folder, 'never.xml');
  const wrong = [...items, item(join(w.folder, 'gone.mp4'), 0, 1), item('/also/gone', 0, 1)];
  await assert.rejects(timelines.make(request(wrong, { output_path }), signal), (error: unknown) => {
    const { status, details, message } = error as { status: number; details: object; message: string };
    assert.equal(status, 400);
    assert.equal((details as { field: string }).field, 'items[2].media_path');
    return /^items\[2\]\.media_path: .*gone\.mp4.*; 1 more files cannot be read$/.test(message);
  });
  assert.equal(existsSync(output_path), false);
});

test('items of files that are gone are left out where that was asked for, and told', async () => {
  const gone = join(w.folder, 'gone.mp4');
  const some = [item(gone, 0, 1), ...items, item(gone, 5, 6), item('/also/gone', 0, 1, { track: 'audio' })];
  const unreadable = 'leave_out' as const;
  const { content, item_count, warnings } = await timelines.make(request(some, { unreadable }), signal);
  assert.equal(item_count, 2);
  assert.equal(content, (await timelines.make(request(items), signal)).content);
  assert.deepEqual(warnings!.slice(0, 2), [
    `skipped 2 items: ${gone}: not media`,
    'skipped an item: /also/gone: not media',
  ]);
  const wrong = request([item(gone, 0, 1), item(film, 3, 1)], { unreadable });
  await assert.rejects(
    timelines.make(wrong, signal),
    /^\w*Error: items\[1\]\.source_end_seconds must be after/,
  );
  await assert.rejects(
    timelines.make(request([item(gone, 0, 1)], { unreadable }), signal),
    /items\[0\]\.media_path/,
  );
});

test('a file that is away is placed by what the analysis folder knows of it, in each format', async () => {
  const files = [
    { name: 'a.mp4', frames: 8, content: 'aa' },
    { name: 'b.mp4', frames: 8, content: 'bb' },
  ];
  const stored = await world(files, { index: definition });
  const making = createTimelines({ ...stored, summaries: createSummaries(stored) });
  try {
    const cache_dir = join(stored.folder, 'cache');
    const [known, unknown] = stored.paths as [string, string];
    const probe = await stored.prober.ask('probe', { path: known, pace: true });
    const identity = await stored.prober.ask('identify', { path: known });
    await stored.index.ask('remember', { cache_dir, media: { path: known, identity, probe } });
    for (const format of timelineFormats) {
      const asked = request([item(known, 1, 3)], { format });
      const { content } = await making.make(asked, signal);
      rmSync(known);
      await assert.rejects(making.make(asked, signal), /items\[0\]\.media_path: .*no such file/);
      const placed = await making.make({ ...asked, cache_dir }, signal);
      assert.equal(placed.content, content, format);
      assert.equal(placed.warnings?.[0], `${known} is away: placed as it was when it was analysed`);
      writeFileSync(known, '');
    }
    rmSync(unknown);
    const wrong = making.make({ ...request([item(unknown, 0, 1)]), cache_dir }, signal);
    await assert.rejects(wrong, /items\[0\]\.media_path: .*no such file/);
  } finally {
    await making.close();
    await stored.end();
  }
});

test('what cannot be written is told of output_path', async () => {
  mkdirSync(join(folder, 'taken'));
  writeFileSync(join(folder, 'file'), '');
  for (const path of [join(folder, 'taken'), join(folder, 'file', 'cut.xml')]) {
    await assert.rejects(timelines.make(request(items, { output_path: path }), signal), (error: unknown) => {
      assert.ok(timelineErrors.TIMELINE_UNWRITABLE.is(error));
      return error.details['field'] === 'output_path' && error.status === 400;
    });
  }
});

test('each file is asked about once, and what nobody waits for is not made', async () => {
  const before = w.probing.all;
  await timelines.make(request(Array.from({ length: 50 }, () => item(film, 0, 1))), signal);
  assert.equal(w.probing.all, before + 1);
  const gone = AbortSignal.abort();
  await assert.rejects(timelines.make(request(items), gone), (error) => engineErrors.CANCELLED.is(error));
});

test('chapters of stored summaries are marked, and a file without any is named', async () => {
  const stored = await world(
    [
      { name: 'a.mp4', frames: 8, content: 'aa' },
      { name: 'b.mp4', frames: 8, content: 'bb' },
    ],
    {
      index: definition,
    },
  );
  const making = createTimelines({ ...stored, summaries: createSummaries(stored) });
  try {
    const cache_dir = join(stored.folder, 'cache');
    const [one, two] = stored.paths as [string, string];
    const index = callsOf(stored.index);
    const texts = (word: string) =>
      tree(8, 2, 2).map((node) => ({ ...node, text: `${word} ${node.node_id}. More.` }));
    await summarise(index, cache_dir, 'aa', { name: 'Cut', nodes: texts('Cut') });
    await summarise(index, cache_dir, 'aa', { name: 'other', nodes: texts('Other') });
    const some = [item(one, 1, 7), item(two, 0, 2), item(two, 4, 5)];
    const marked = async (chapter_markers: object) => {
      const input = request(some, { format: 'otio', chapter_markers: { cache_dir, ...chapter_markers } });
      const { content, warnings = [] } = await making.make(input, signal);
      const { markers } = (JSON.parse(content!) as { tracks: { markers: { name: string }[] } }).tracks;
      return { names: markers.map(({ name }) => name), warnings };
    };
    const latest = await marked({});
    assert.deepEqual(latest.names, ['Other 1.', 'Other 2.']);
    assert.deepEqual(latest.warnings.slice(0, 1), [`no chapter markers: ${two} has no summary`]);
    assert.deepEqual((await marked({ analysis_name: 'CUT' })).names, ['Cut 1.', 'Cut 2.']);
    assert.deepEqual((await marked({ depth: 2 })).names, [
      'Other 1.1.',
      'Other 1.2.',
      'Other 2.1.',
      'Other 2.2.',
    ]);
    const quality = { warnings: ['Words were cut'], warning_count: 1 };
    await summarise(index, cache_dir, 'aa', { name: 'cut', nodes: texts('Cut'), quality, replace: true });
    assert.equal((await marked({})).warnings[0], `chapter markers of ${one}: Words were cut`);
    const none = await marked({ analysis_name: 'nobody' });
    assert.deepEqual(
      [none.names, none.warnings.slice(0, 2)],
      [[], [one, two].map((path) => `no chapter markers: ${path} has no summary named "nobody"`)],
    );
  } finally {
    await making.close();
    await stored.end();
  }
});
