import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test, { type TestContext } from 'node:test';
import { createExporter } from '../../../actors/exporter/exporter.ts';
import type { Library, LibraryMedia } from '../../../actors/library/contract.ts';
import { disk, forget, list, move, prune } from '../../../cli/commands/library.ts';
import { transcript } from '../../../cli/commands/transcript.ts';
import { type Command, usageErrors } from '../../../cli/context.ts';
import { answering, fakeEngine, fakeHome } from '../fake-context.ts';

const media = (media_path: string): LibraryMedia => ({
  media_path,
  hash_str: 'aa',
  replaced: false,
  kind: 'video',
  size_bytes: 10,
  duration_seconds: 61,
  visual: [{ model_key: 'starter-visual-3', frames: 61, stored: 0 }],
  faces: [{ model_key: 'yunet+sface', faces: 12, stored: 0 }],
  transcript: null,
  summaries: 0,
  preview_bytes: 5,
  unreadable: [],
  results: [
    { type: 'video', model_key: 'starter-visual-3', count: 61, stored: 0 },
    { type: 'previews', model_key: null, count: 61, stored: null },
    { type: 'faces', model_key: 'yunet+sface', count: 12, stored: 0 },
    { type: 'things', model_key: 'nanodet-416', count: 1, stored: 0 },
    { type: 'smells', model_key: 'nose', count: 3, stored: null },
  ],
});
const forgotten = {
  media_paths: ['/f/a.mp4'],
  hash_str: 'aa',
  frames: 1,
  transcript: false,
  faces: 0,
  summaries: 0,
  preview_bytes: 5,
  results: [],
};

/** A library that answers and remembers what it was asked to change. */
function fakeLibrary() {
  const changed: unknown[] = [];
  const note = <A extends { dry_run: boolean }>(asked: A) => {
    if (!asked.dry_run) changed.push(asked);
    return asked.dry_run;
  };
  const library: Library = {
    folder: async () => assert.fail('no command asks for it'),
    list: async ({ offset, limit }) => {
      const all = Array.from({ length: 2500 }, (_, i) => media(`/f/${String(i).padStart(4, '0')}.mp4`));
      return { total: all.length, offset, limit, media: all.slice(offset, offset + limit) };
    },
    forget: async (request) => ({
      message: 'said',
      dry_run: note(request),
      forgotten: [forgotten],
      clusterings_gone: [],
      unknown: request.media_paths.filter((path) => path.includes('unknown')),
    }),
    prune: async (asked) => ({
      message: 'said',
      dry_run: note(asked),
      looked_at: 2,
      forgotten: [forgotten],
      clusterings_gone: [],
      paths_gone: [],
      skipped: [{ reason: 'the volume /d is not mounted', count: 1, example: '/d/b.mp4' }],
    }),
    disk: async (folder) => ({
      analysis: {
        folder,
        bytes: 3e6,
        records_bytes: 1e6,
        vectors_bytes: 1e6,
        people_bytes: 1e5,
        summaries: { count: 0, nodes: 0, bytes: 0 },
        previews_bytes: 1e6,
        peaks_bytes: 0,
        proxies_bytes: 0,
        unfinished_bytes: 0,
        models: [{ model_key: 'starter-visual-3', vectors: 10, dead_vectors: 0, bytes: 1e6 }],
        face_models: [{ model_key: 'yunet+sface', faces: 20, dead_faces: 3, bytes: 9e4 }],
      },
      models: { folder: '/models', bytes: 2e9 },
      free_bytes: 5e9,
    }),
    move: async (request) => ({ message: 'said', dry_run: note(request), moved: 1, missing: 0, stayed: [] }),
  };
  return { library, changed };
}

function commands(t: TestContext, confirm: ((question: string) => Promise<boolean>) | null = null) {
  const { library, changed } = fakeLibrary();
  const home = fakeHome(t);
  const transcripts = {
    list: async ({ media_paths }: { media_paths: readonly string[] }) => ({
      transcriptions: Object.fromEntries(
        media_paths
          .filter((path) => !path.includes('unknown'))
          .map((path) => [path, [[0, ' Hello.', 1, path]]]),
      ),
      transcription_data: {},
      transcription_languages: {},
    }),
  };
  const startEngine = async () => {
    const exporter = createExporter(() => 0);
    const stop = () => exporter.close().then(() => []);
    return fakeEngine({ library, exporter, search: { transcripts }, stop });
  };
  const run = async (command: Command, ...args: string[]) => {
    const context = home.context({ ask: confirm && answering(confirm), startEngine });
    const code = await command(args, context);
    return { code, ...context.said() };
  };
  return { run, changed, home: home.home };
}

test('list prints every page as lines, or as one object', async (t) => {
  const { run } = commands(t);
  const { out, code } = await run(list);
  assert.equal(code, 0);
  assert.equal(out.match(/^\/f\//gm)?.length, 2500);
  assert.match(
    out,
    /^ {4}1 thing by nanodet-416, .*\n {4}3 smells by nose$/m,
    'also what it has no words for',
  );
  assert.match(
    out,
    /^\/f\/0000.mp4 {2}00:01:01\n {4}61 pictures by starter-visual-3, \d{4}-\d\d-\d\d \d\d:\d\d$/m,
  );
  const { out: json } = await run(list, '--json', '--max', '3', '--offset', '2499');
  const page = JSON.parse(json) as { total: number; media: unknown[] };
  assert.deepEqual([page.total, page.media.length], [2500, 1]);
});

test('forget asks back, and does nothing without a yes', async (t) => {
  const asked: string[] = [];
  let answer = false;
  const { run, changed } = commands(t, async (question) => {
    asked.push(question);
    return answer;
  });
  assert.equal((await run(forget, '/f/a.mp4')).code, 130);
  assert.deepEqual([changed.length, asked.length], [0, 1]);
  answer = true;
  const { code, err } = await run(forget, 'a.mp4');
  assert.match(err, /forget {2}\/f\/a.mp4/);
  assert.deepEqual([code, changed.length], [0, 1]);
  assert.deepEqual((changed[0] as { media_paths: string[] }).media_paths, [resolve('a.mp4')]);
});

test('where nobody can be asked a removal needs --yes; a dry run needs nothing', async (t) => {
  const { run, changed } = commands(t);
  for (const command of [forget, prune]) {
    const args = command === forget ? ['/f/a.mp4'] : [];
    await assert.rejects(run(command, ...args), usageErrors.USAGE.is);
    await run(command, ...args, '--dry-run');
    assert.equal(changed.length, 0);
  }
  assert.equal((await run(forget, '/f/a.mp4', '/unknown.mp4', '--yes')).code, 3);
  const { err, code } = await run(prune, '--yes');
  assert.match(err, /– 1 missing but kept, for example \/d\/b.mp4: the volume \/d is not mounted/);
  assert.deepEqual([code, changed.length], [0, 2]);
});

test('prune says how to keep what was moved, before anything is forgotten', async (t) => {
  const { run } = commands(t, async () => false);
  for (const args of [['--dry-run'], []]) {
    assert.match(
      (await run(prune, ...args)).err,
      /gone {2}.*\nIf the files were moved, .*framehound move OLD NEW/,
    );
  }
  assert.doesNotMatch((await run(prune, '--yes')).err, /Moved/);
});

test('move wants two paths; disk tells what is dead', async (t) => {
  const { run, changed } = commands(t);
  await assert.rejects(run(move, '/old'), usageErrors.USAGE.is);
  await run(move, '/old', '/new', '--dry-run');
  assert.equal(changed.length, 0);
  await run(move, '/old', '/new');
  assert.equal(changed.length, 1);
  const { out } = await run(disk);
  assert.match(out, /starter-visual-3 +1.0 MB {2}10 vectors$/m);
  assert.match(out, /models +2.00 GB/);
});

test('transcript export writes a document a file beside others of its name, or prints one', async (t) => {
  const { run, home } = commands(t);
  const folder = join(home, 'documents');
  mkdirSync(folder);
  const write = () => run(transcript, 'export', '/f/a.mp4', '--format', 'srt', '--out', folder);
  assert.equal((await write()).out, `${join(folder, 'a.srt')}\n`);
  assert.equal((await write()).out, `${join(folder, 'a-2.srt')}\n`);
  assert.deepEqual(readdirSync(folder).sort(), ['a-2.srt', 'a.srt']);
  const { out } = await run(transcript, 'export', '/f/a.mp4', '--format', 'txt', '--out', '-');
  assert.match(out, /\[00:00:00 - 00:00:01\] Hello\./);
  const some = await run(
    transcript,
    'export',
    '/f/a.mp4',
    '/unknown.mp4',
    '--format',
    'vtt',
    '--out',
    folder,
    '--json',
  );
  const written = [{ media_path: '/f/a.mp4', output_path: join(folder, 'a.vtt') }];
  assert.deepEqual([some.code, JSON.parse(some.out)], [3, { documents: written }]);
  await assert.rejects(run(transcript, 'export', '/f/a.mp4'), /--format/);
});
