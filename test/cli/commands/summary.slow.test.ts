// `framehound summary` on a real index with summaries of its own.
import assert from 'node:assert/strict';
import { readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, type TestContext } from 'node:test';
import { createSummaryDocuments } from '../../../actors/exporter/summary/summary-documents.ts';
import { definition } from '../../../actors/index/actor.ts';
import type { ThumbnailsRequest } from '../../../actors/search/thumbnails/contract.ts';
import type { OverviewAnswer } from '../../../actors/summarizer/stored/contract.ts';
import { createSummaries } from '../../../actors/summarizer/stored/summaries.ts';
import { summary } from '../../../cli/commands/summary.ts';
import { type Context, usageErrors } from '../../../cli/context.ts';
import { widthOf } from '../../../cli/terminal.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { world } from '../../actors/analysis/fakes.ts';
import { mediaRecord } from '../../actors/index/footage.ts';
import { callsOf, summarise, tree } from '../../actors/index/summaries/trees.ts';
import { answering, fakeEngine, fakeHome } from '../fake-context.ts';

const w = await world(
  [
    { name: 'a.mp4', frames: 40, content: 'aa' },
    { name: 'b.mp4', frames: 12, content: 'bb' },
    { name: 'none.mp4', frames: 12, content: 'cc' },
    { name: 'gone.mp4', frames: 12, content: 'dd' },
  ],
  { index: definition },
);
after(() => w.end());
const cache_dir = join(w.folder, 'cache');
const [film, other, none, gone] = w.paths as [string, string, string, string];
const index = callsOf(w.index);
const said =
  '港の朝。赤いコートの人が桟橋を歩いて、船のそばで立ち止まり、海を見ている。 Then <it> snows & ends.';
const nodes = tree(40, 4, 3).map((node) => ({
  ...node,
  text: `${node.text}. ${node.node_id === '1' ? said : ''}`,
  failed: node.node_id === '2',
  verification_hints:
    node.node_id === '3'
      ? [
          {
            limitation: 'Dark',
            affected_range: [1, 2] as [number, number],
            evidence_ids: [],
            suggested_follow_up: 'Look.',
          },
        ]
      : [],
}));
const collection = { name: 'Harbour', description: '' };
const quality = {
  warnings: ['Words were cut'],
  warning_count: 1,
  failed_node_ids: ['2'],
  failed_node_count: 1,
};
const put = async () => {
  await summarise(index, cache_dir, 'aa', { name: 'first', nodes: tree(40), path: film, replace: true });
  await summarise(index, cache_dir, 'aa', {
    name: 'Latest',
    nodes,
    path: film,
    collection,
    quality,
    replace: true,
  });
  await summarise(index, cache_dir, 'bb', {
    name: 'only',
    nodes: tree(12),
    path: other,
    collection,
    replace: true,
  });
};
await put();

function commands(t: TestContext, more: Partial<Context> = {}) {
  const home = fakeHome(t, { FRAMEHOUND_CACHE_DIR: cache_dir });
  const reading = createSummaries(w);
  const read: string[] = [];
  const summaries: typeof reading = {
    ...reading,
    node: (request, signal) => {
      read.push(request.node_id);
      return reading.node(request, signal);
    },
  };
  const pictures: ThumbnailsRequest[] = [];
  const thumbnails = async (request: ThumbnailsRequest) => {
    pictures.push(request);
    return { thumbnails: request.requests.map(({ time_seconds }) => ({ thumbnail: `jpeg${time_seconds}` })) };
  };
  const media = ['aa', 'bb', 'cc'].map((hash_str) => ({ hash_str, summaries: hash_str === 'cc' ? 0 : 1 }));
  const startEngine = async () =>
    fakeEngine({
      summaries,
      summaryDocuments: createSummaryDocuments({ index: w.index, summaries }),
      search: { thumbnails },
      library: { list: async () => ({ media, total: media.length }) },
    });
  const run = async (...args: string[]) => {
    const context = home.context({ startEngine, ...more });
    const code = await summary(args, context);
    return { code, ...context.said() };
  };
  return { run, read, pictures, home: home.home };
}

test('a tree is printed with its times and ids, wrapped to the width, every node read once', async (t) => {
  const { run, read } = commands(t, { output: { columns: 60, colour: false } });
  const { code, out, err } = await run(film);
  assert.equal(code, 0);
  assert.match(out, new RegExp(`^${film}\n {2}"Latest" by extractive, .*, ${nodes.length} nodes\n`));
  assert.match(out, /other summaries of this file, shown with --analysis: first\n/);
  const ids = [...out.matchAll(/^ *\d\d:\d\d:\d\d–\d\d:\d\d:\d\d {2}(\S+)/gm)].map(([, id]) => id);
  assert.deepEqual(
    ids,
    nodes.map(({ node_id }) => node_id),
  );
  assert.ok(out.split('\n').every((line) => widthOf(line) <= 60 || line.startsWith(film)));
  assert.match(
    out,
    /^ {2}00:00:10–00:00:20 {2}2 {2}\(less detailed than requested\)\n {4}2 from 10 to 20\.\n/m,
  );
  assert.match(out, /^ {4}To check: Dark\. Look\.$/m);
  assert.deepEqual(read.toSorted(), ids.slice(1).toSorted() as string[], 'the root came with the overview');
  assert.match(err, /note: Words were cut\nnote: Less detailed than requested: the text of 2\n/);
  assert.ok(!out.includes('\x1b'), 'no colour where it is not wanted');
});

test('colour is for a terminal, and text cannot move the cursor', async (t) => {
  await summarise(index, cache_dir, 'cc', {
    name: 'odd\x1b[2J',
    nodes: tree(8, 2, 8).map((node) => ({ ...node, text: 'red\x1b[2J\r\nnext' })),
    path: none,
  });
  const { run } = commands(t, { output: { columns: 80, colour: true } });
  const { out } = await run(none);
  const codes = out
    .split('\x1b[')
    .slice(1)
    .map((after) => after.slice(0, 2));
  assert.deepEqual([...new Set(codes)].sort(), ['0m', '1m', '2m']);
  assert.match(out, /red\\x1b\[2J next/);
  assert.equal((await run(none, '--delete', '--yes')).code, 0);
});

test('a part of the tree, another summary, and what leaves were made of', async (t) => {
  const { run, read } = commands(t);
  const { out } = await run(film, '--depth', '0');
  assert.equal(out.match(/^ *\d\d:\d\d:\d\d–/gm)?.length, 1);
  assert.deepEqual(read, []);
  const part = await run(film, '--node', '2', '--depth', '1', '--evidence');
  assert.match(part.out, /^00:00:10–00:00:20 {2}2/m);
  assert.match(part.out, /^ {4}00:00:10 Ada: said 2\.1$/m);
  assert.match(part.out, /^ {4}People: Grace$/m);
  const named = await run(film, '--analysis', 'FIRST');
  assert.match(named.out, /"first" by extractive/);
  assert.match(named.out, /--analysis: Latest\n/);
  await assert.rejects(run(film, '--node', '99'), (error) => {
    return usageErrors.USAGE.is(error) && /--node: the summary has no node 99/.test(error.message);
  });
});

test('a file without a summary is told what makes one, and the others are shown', async (t) => {
  const { run } = commands(t);
  const some = await run(none, other);
  assert.deepEqual([some.code, some.out.includes(`${other}\n`)], [3, true]);
  assert.match(some.err, /none\.mp4: no summary; to make one: framehound analyze \S+ --summary\n/);
  assert.equal((await run(none)).code, 1);
  const misnamed = await run(film, '--analysis', 'x');
  assert.match(misnamed.err, /no summary named "x"; existing summaries: first, Latest\n/);
});

test('a file that is gone has its summary', async (t) => {
  const media = mediaRecord('dd', gone);
  await index.call('remember', { cache_dir, media });
  await summarise(index, cache_dir, 'dd', { nodes: tree(12), media });
  unlinkSync(gone);
  const { code, out } = await commands(t).run(gone, '--depth', '0');
  assert.deepEqual([code, out.startsWith(`${gone}\n`)], [0, true]);
});

test('JSON is the whole tree, Markdown and WebVTT are documents that are never written over', async (t) => {
  const { run, home } = commands(t);
  const { root, ...facts } = JSON.parse((await run(film, '--json')).out) as OverviewAnswer;
  assert.deepEqual([facts.analysis_name, root.children.length], ['Latest', 4]);
  assert.equal((await run(film, other, '--json')).out.trimEnd().split('\n').length, 2);
  const { out: markdown, err } = await run(film, '--markdown');
  assert.match(markdown, /^# a\.mp4\n[\s\S]*^## 00:00:00–00:00:10\n[\s\S]*^## Notes\n/m);
  assert.match(err, /note: .*a\.mp4: Words were cut/);
  const chapters = join(home, 'a.vtt');
  assert.equal((await run(film, '--vtt', chapters)).out, `${chapters}\n`);
  assert.equal((await run(film, '--vtt', chapters)).out, `${join(home, 'a-2.vtt')}\n`);
  assert.equal((await run(film, '--vtt', '-')).out, readFileSync(chapters, 'utf8'));
});

test('what there is: of files, of a collection, of everything', async (t) => {
  const { run } = commands(t);
  const { out } = await run('--list');
  assert.match(out, /"first" by[^"]*"Latest" by[^"]*"only" by[\s\S]*Collection "Harbour": 2 summaries/);
  const { out: members } = await run('--list', '--collection', 'HARBOUR');
  assert.ok(members.includes('"Latest"') && members.includes('"only"') && !members.includes('"first"'));
  const { summaries } = JSON.parse((await run(film, '--list', '--json')).out) as { summaries: object[] };
  assert.equal(summaries.length, 2);
  assert.match((await run(none, '--list')).err, /There are no summaries/);
  const { out: both, code } = await run('--collection', 'harbour', '--depth', '0');
  assert.deepEqual([code, both.includes(film) && both.includes(other)], [0, true]);
  await assert.rejects(run('--collection', 'x'), /no collection named "x"; existing collections: Harbour/);
});

test('words are found in the texts of all summaries, of files, or of a collection', async (t) => {
  const { run } = commands(t);
  const { out } = await run('--find', 'SNOWS ends');
  assert.match(
    out,
    new RegExp(`^ {2}1\\. 00:00:00–00:00:10 {2}${film} {2}"Latest" 1\n {5}[^]*snows & ends\\.\n$`),
  );
  assert.match((await run(other, '--find', 'snows')).out, /nothing was found/);
  const some = await run('--collection', 'harbour', '--find', 'from', '--max', '2');
  assert.match(some.out, /^ {2}2\. [\s\S]*^ {2}\d+ more: --max \d+\n$/m);
  const { matches } = JSON.parse((await run(film, '--find', 'snows', '--json')).out) as { matches: object[] };
  assert.equal(matches.length, 1);
});

test('what is removed is named, and nothing is removed without a yes', async (t) => {
  const { run } = commands(t);
  await assert.rejects(run(film, '--delete'), /no terminal to ask for confirmation: add --yes/);
  await assert.rejects(
    run(film, '--delete', '--yes'),
    /several summaries; choose one with --analysis: first, Latest/,
  );
  const dry = await run(film, '--analysis', 'first', '--delete', '--dry-run');
  assert.match(dry.out, /a\.mp4 {2}"first"\nwould delete 1 summary\n/);
  const asked: string[] = [];
  const confirm = async (question: string) => asked.push(question) > 1;
  const asking = commands(t, { ask: answering(confirm) });
  assert.equal((await asking.run(film, '--analysis', 'first', '--delete')).code, 130);
  assert.match((await run(film, '--list')).out, /"first"/);
  assert.equal((await asking.run(film, '--analysis', 'first', '--delete')).code, 0);
  assert.deepEqual(asked, Array(2).fill('Delete 1 summary permanently?'));
  assert.ok(!(await run(film, '--list')).out.includes('"first"'));
  const removed = await run('--collection', 'Harbour', '--delete', '--yes', '--json');
  const { collections_removed } = JSON.parse(removed.out) as { collections_removed: string[] };
  assert.equal(collections_removed.length, 1);
  await assert.rejects(run('--collection', 'Harbour'), /no collections exist/);
  await put();
});

test('what excludes each other is a mistake before anything is started', async (t) => {
  const startEngine = () => Promise.reject(new Error('nothing is to be started'));
  const { run } = commands(t, { startEngine });
  for (const [args, message] of [
    [[], /needs a file or --collection/],
    [[film, '--json', '--markdown'], /--json and --markdown cannot be combined/],
    [[film, '--vtt', 'a', '--list'], /--list and --vtt cannot be combined/],
    [[film, other, '--vtt', 'a'], /--vtt works with one file only/],
    [['--collection', 'a', '--node', '1'], /--node works with one file only/],
    [[film, '--collection', 'a'], /not both/],
    [[film, '--yes'], /only be used with --delete/],
    [[film, '--depth=-1'], /--depth/],
    [['--list', '--analysis', 'x'], /needs a file/],
    [['--find', ' '], /--find needs a search text/],
    [[film, '--max', '3'], /can only be used with --find/],
    [['--find', 'x', '--list'], /cannot be combined/],
  ] as const) {
    await assert.rejects(
      run(...args),
      (error) => usageErrors.USAGE.is(error) && message.test(error.message),
      String(args),
    );
  }
});

test('ctrl-C and a closed pipe end it at once, in the middle of a tree', async (t) => {
  const stop = new AbortController();
  let printed = 0;
  const out = () => {
    if (++printed === 3) stop.abort();
  };
  const { run } = commands(t, { out, signal: stop.signal });
  await assert.rejects(run(film), engineErrors.CANCELLED.is);
  assert.equal(printed, 3);
});
