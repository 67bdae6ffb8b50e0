// Summaries as documents, asked for over the route, on a real index.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import type { SummaryDocumentAnswer } from '../../../../actors/exporter/summary/contract.ts';
import { createSummaryDocuments } from '../../../../actors/exporter/summary/summary-documents.ts';
import { definition } from '../../../../actors/index/actor.ts';
import { createSummaries } from '../../../../actors/summarizer/stored/summaries.ts';
import { parseSubtitles } from '../../../../actors/transcriber/text/subtitles/read.ts';
import { routes } from '../../../../http/routes.ts';
import { inject } from '../../../http/inject.ts';
import { world } from '../../analysis/fakes.ts';
import { mediaRecord } from '../../index/footage.ts';
import { callsOf, summarise, tree } from '../../index/summaries/trees.ts';

const w = await world([{ name: 'a.mp4', frames: 40, content: 'aa' }], { index: definition });
after(() => w.end());
const cache_dir = join(w.folder, 'cache');
const [film] = w.paths as [string];
const record = mediaRecord('aa', film);
/** The last second of the film is a broken one. */
const media = { ...record, probe: { ...record.probe, duration_seconds: 39.48, grid_frames: 40 } };
const index = callsOf(w.index);
const nodes = tree(40, 4, 3).map((node) =>
  node.node_id === '3' ? { ...node, text: `One --> two & <three>. ${'More. '.repeat(99)}` } : node,
);
await summarise(index, cache_dir, 'aa', { name: 'general', nodes, media });

const summaries = createSummaries(w);
const call = inject(routes, {
  summaries,
  summaryDocuments: createSummaryDocuments({ index: w.index, summaries }),
});

async function exported(request: Record<string, unknown>) {
  const { status, body } = await call('/api/v1/summaries/export', { cache_dir, path: film, ...request });
  const answer = body as unknown as SummaryDocumentAnswer & { readonly error: string; message: string };
  return { status, answer, text: Buffer.from(answer.content_base64 ?? '', 'base64').toString() };
}

interface Whole {
  readonly node_id: string;
  readonly text: string;
  readonly evidence?: object;
  readonly children: readonly Whole[];
}

test('the whole tree is one JSON document, with every text and the fields of the other operations', async () => {
  const { status, answer, text } = await exported({ format: 'json', include_evidence: true });
  assert.equal(status, 200, JSON.stringify(answer));
  assert.deepEqual(
    [answer.filename, answer.mime_type, answer.node_count],
    ['a.json', 'application/json', nodes.length],
  );
  const { root, ...facts } = JSON.parse(text) as Record<string, unknown>;
  const found: [string, string][] = [];
  const walk = ({ node_id, text: said, children, evidence }: Whole) => {
    found.push([node_id, said]);
    assert.equal(evidence !== undefined, children.length === 0, 'a leaf has evidence');
    children.forEach(walk);
  };
  walk(root as Whole);
  assert.deepEqual(
    found,
    nodes.map(({ node_id, text: said }) => [node_id, said]),
  );
  const { root: _, ...overview } = await summaries.overview({ cache_dir, path: film });
  assert.deepEqual(facts, overview);
});

test('a part of it begins at a node and goes down so many levels', async () => {
  const { text, answer } = await exported({ format: 'txt', node_id: '2', depth: 0 });
  assert.equal(answer.node_count, 1);
  assert.deepEqual(text.split('\n').slice(1), ['', '[00:00:10 - 00:00:20] 2 from 10 to 20', '']);
  const { text: markdown } = await exported({ format: 'markdown', depth: 1 });
  assert.deepEqual(
    markdown.match(/^## .*$/gm),
    ['00:00:00–00:00:10', '00:00:10–00:00:20', '00:00:20–00:00:30', '00:00:30–00:00:40'].map(
      (t) => `## ${t}`,
    ),
  );
});

test('chapters are the children of the root, or deeper ones, and end where the film ends', async () => {
  const cuesOf = async (more: object) =>
    parseSubtitles((await exported({ format: 'vtt', ...more })).text).cues;
  const cues = await cuesOf({});
  assert.deepEqual(
    cues.map(({ start, end, text }) => [start, end, text]),
    [
      [0, 10, '1 from 0 to 10'],
      [10, 20, '2 from 10 to 20'],
      [20, 30, 'One --> two & <three>.'],
      [30, 39.48, '4 from 30 to 40'],
    ],
  );
  const leaves = nodes.filter(({ child_ids }) => child_ids.length === 0);
  const deep = await cuesOf({ depth: 9 });
  assert.deepEqual(
    deep.map(({ start }) => start),
    leaves.map(({ range }) => range[0]),
    'leaves above the level are chapters too',
  );
  assert.equal((await cuesOf({ depth: 0 })).length, 1);
  assert.equal((await cuesOf({ node_id: '2' }))[0]!.start, 10);
});

test('a document is written where it was asked for and never over another file', async () => {
  const output_path = join(w.folder, 'out', 'film.vtt');
  const first = await exported({ format: 'vtt', output_path, create_folders: true });
  assert.deepEqual([first.answer.output_path, first.answer.content_base64], [output_path, undefined]);
  assert.match(readFileSync(output_path, 'utf8'), /^WEBVTT\n\n00:00:00\.000 --> 00:00:10\.000\n/);
  const second = await exported({ format: 'vtt', output_path });
  assert.equal(second.answer.output_path, join(w.folder, 'out', 'film-2.vtt'));
  assert.deepEqual(readdirSync(join(w.folder, 'out')).sort(), ['film-2.vtt', 'film.vtt']);
  mkdirSync(join(w.folder, 'taken'));
  const refused = await exported({ format: 'vtt', output_path: join(w.folder, 'taken') });
  assert.equal(refused.status, 400);
  assert.match(JSON.stringify(refused.answer), /output_path: .*is a folder/);
});

test('what is not there is named, and a file that is gone has its summary', async () => {
  for (const [request, status, field] of [
    [{ format: 'json', node_id: 'none' }, 404, 'node_id'],
    [{ format: 'json', analysis_id: '0'.repeat(24) }, 404, 'analysis_id'],
    [{ format: 'json', hash_str: 'bb' }, 400, 'path'],
    [{ format: 'pdf' }, 400, 'format'],
    [{ format: 'vtt', depth: -1 }, 400, 'depth'],
  ] as const) {
    const { status: is, answer } = await exported(request);
    assert.equal(is, status, JSON.stringify(answer));
    assert.match(JSON.stringify(answer), new RegExp(field));
  }
  unlinkSync(film);
  const { text } = await exported({ format: 'vtt' });
  assert.match(text, /00:00:30\.000 --> 00:00:39\.480\n/);
});

test('a tree that is too large for one document is a 413 that says what to ask for', async () => {
  const many = tree(1000, 2, 1);
  const text = 'x'.repeat(10_500);
  const long = many.map((node) => ({ ...node, text }));
  const path = join(w.folder, 'long.mp4');
  await summarise(index, cache_dir, 'dd', { name: 'general', nodes: long, path });
  const { status, answer } = await exported({ format: 'json', path: undefined, hash_str: 'dd' });
  assert.equal(status, 413);
  assert.match(JSON.stringify(answer), /depth: the summary has more than 10000000 characters/);
  const { status: fits } = await exported({ format: 'json', path: undefined, hash_str: 'dd', depth: 3 });
  assert.equal(fits, 200);
});
