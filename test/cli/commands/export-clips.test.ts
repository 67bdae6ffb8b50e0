import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { ClipsRequest } from '../../../actors/exporter/clips/contract.ts';
import { exporting } from '../../../cli/commands/export.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { fakeEngine, fakeHome } from '../fake-context.ts';

/** An engine whose clips are not cut; one of 9 seconds or later fails. */
function commands(t: TestContext) {
  const home = fakeHome(t);
  const input: ClipsRequest[] = [];
  const startEngine = async () => {
    const cut = async (request: ClipsRequest) => {
      input.push(request);
      const results = request.clips.map((clip) => ({
        ...clip,
        success: clip.start_seconds < 9,
        error: clip.start_seconds < 9 ? null : 'has no picture',
        ...(request.mode === 'smart' && { mode_used: 'precise', mode_reason: 'pictures are hevc' }),
        output_path: clip.start_seconds < 9 ? join(request.output_dir, `${clip.start_seconds}.mp4`) : null,
      }));
      return { results, output_dir: request.output_dir };
    };
    return fakeEngine({ clips: { export: cut } });
  };
  const run = async (...args: string[]) => {
    const context = home.context({ startEngine });
    const code = await exporting(args, context);
    return { code, ...context.said() };
  };
  return { run, asked: input };
}

test('each range is a clip, in seconds or clock times, and its path is printed', async (t) => {
  const { run, asked } = commands(t);
  const { code, out } = await run('clips', 'a.mp4', '1.5-2', '0:03-00:01:04.25', '--out', '/shots');
  assert.equal(code, 0);
  assert.equal(out, '/shots/1.5.mp4\n/shots/3.mp4\n');
  const clip = (start_seconds: number, end_seconds: number) => ({
    media_path: resolve('a.mp4'),
    start_seconds,
    end_seconds,
  });
  assert.deepEqual(asked, [
    { output_dir: '/shots', create_folders: true, mode: 'precise', clips: [clip(1.5, 2)] },
    { output_dir: '/shots', create_folders: true, mode: 'precise', clips: [clip(3, 64.25)] },
  ]);
});

test('a clip that fails is told, the others are cut, and the exit code says so', async (t) => {
  const { run, asked } = commands(t);
  const { code, out, err } = await run(
    'clips',
    'a.mp4',
    '9-10',
    '1-2',
    '--copy',
    '--json',
    '--out',
    '/shots',
  );
  assert.notEqual(code, 0);
  assert.match(err, /✗ has no picture/);
  const { clips } = JSON.parse(out) as { clips: { success: boolean }[] };
  assert.deepEqual(
    clips.map(({ success }) => success),
    [false, true],
  );
  assert.equal(asked[0]!.mode, 'copy');
});

test('a smart clip that was encoded as a whole says why, beside its path', async (t) => {
  const { run, asked } = commands(t);
  const { code, out, err } = await run('clips', 'a.mp4', '1-2', '--smart', '--out', '/shots');
  assert.deepEqual([code, out, asked[0]!.mode], [0, '/shots/1.mp4\n', 'smart']);
  assert.match(err, /fully re-encoded: pictures are hevc/);
  await assert.rejects(run('clips', 'a.mp4', '1-2', '--smart', '--copy'), /not both/);
});

test('without --out clips go to Videos of the home folder, and ~ is that folder', async (t) => {
  const { run, asked } = commands(t);
  const before = process.env['HOME'];
  t.after(() => {
    if (before === undefined) delete process.env['HOME'];
    else process.env['HOME'] = before;
  });
  const home = temporaryFolder(t);
  process.env['HOME'] = home;
  mkdirSync(join(home, 'Videos'));
  await run('clips', 'a.mp4', '1-2');
  await run('clips', 'a.mp4', '1-2', '--out=~/cut');
  await run('clips', 'a.mp4', '1-2', '--out', 'cut');
  assert.deepEqual(
    asked.map(({ output_dir }) => output_dir),
    [join(home, 'Videos'), join(home, 'cut'), resolve('cut')],
  );
});

test('what is no range is refused before anything is cut', async (t) => {
  const { run, asked } = commands(t);
  for (const text of ['5', '1-2-3', '-1-2', 'a-b', '1:75-2:00', '1e3-2e3', '']) {
    await assert.rejects(run('clips', 'a.mp4', '1-2', '--', text), /START-END/, text);
  }
  await assert.rejects(run('clips', 'a.mp4'), /needs a file/);
  await assert.rejects(run('reels', 'a.mp4'), /export/);
  assert.deepEqual(asked, []);
});
