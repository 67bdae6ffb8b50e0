// Clips through the coordinator and real decoders: names, reasons, cancellation, and what lies in the folder
// then.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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
import { basename, join } from 'node:path';
import test, { after } from 'node:test';
import { Check } from 'typebox/value';
import { definition } from '../../../../actors/decoder/actor.ts';
import { type ClipMode, clipErrors } from '../../../../actors/decoder/clips/contract.ts';
import { decoderContract } from '../../../../actors/decoder/contract.ts';
import { createClips } from '../../../../actors/exporter/clips/clips.ts';
import { type ClipSpec, ClipsAnswer } from '../../../../actors/exporter/clips/contract.ts';
import { partName, thisOwner, Writers } from '../../../../actors/exporter/clips/writers.ts';
import { systemClock } from '../../../../runtime/clock.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { createLog, type LogLine } from '../../../../runtime/log.ts';
import { createSlotPool } from '../../../../runtime/slots.ts';
import { createSupervisor } from '../../../../runtime/supervisor.ts';
import { nodeCommand } from '../../../node-command.ts';
import { startInMemory } from '../../../runtime/memory.ts';
import { until } from '../../../until.ts';
import { clips as films } from '../../decoder/footage/clips.ts';

const folder = mkdtempSync(join(tmpdir(), 'framehound-clips-test-'));
const lines: LogLine[] = [];
const log = createLog('test', (line) => lines.push(line));
const pool = createSlotPool(2, 16);
const supervisor = createSupervisor({ clock: systemClock, log, pool });
const writers = await Promise.all(
  ['clip-writer-0', 'clip-writer-1'].map((name) =>
    supervisor.add({
      name,
      contract: decoderContract,
      start: () => startInMemory(definition, { settings: { hardware: 'off' }, log, memory: pool.memory }),
    }),
  ),
);
const clips = createClips({ writers: new Writers(writers), log });
after(async () => {
  await supervisor.stop();
  rmSync(folder, { recursive: true, force: true });
});

const never = new AbortController().signal;
const media_path = await films.find(({ name }) => name === 'H.264, GOP 12')!.make();
const wish = (more: Partial<ClipSpec> = {}): ClipSpec => ({
  media_path,
  start_seconds: 1,
  end_seconds: 1.2,
  ...more,
});
const output = (name: string) => join(folder, name);
const cut = async (
  output_dir: string,
  wishes: readonly ClipSpec[],
  mode: ClipMode = 'precise',
  create_folders = false,
) => {
  const answer = await clips.export({ output_dir, create_folders, mode, clips: [...wishes] }, never);
  assert.ok(Check(ClipsAnswer, answer));
  return answer;
};
const namesOf = ({ results }: Awaited<ReturnType<typeof cut>>) =>
  results.map(({ output_path }) => output_path && basename(output_path));

test('names are made from source and times, or given; each is safe, and numbered in the order of the request', async () => {
  const output_dir = join(output('names'), 'made', 'on the way');
  const wishes = [
    wish({ end_seconds: 4.5 }),
    wish(),
    wish({ output_name: 'shot' }),
    wish({ output_name: 'Shot.MOV' }),
    wish({ output_name: 'shot' }),
    wish({ output_name: '../../etc/con: <a>?' }),
    wish({ output_name: 'CON' }),
    wish({ output_name: '...' }),
  ];
  const answer = await cut(output_dir, wishes, 'precise', true);
  assert.deepEqual(namesOf(answer), [
    'h264-gop12_00.00.01.000-00.00.04.500.mp4',
    'h264-gop12_00.00.01.000-00.00.01.200.mp4',
    'shot.mp4',
    'Shot.mp4',
    'shot-2.mp4',
    '_.._etc_con_ _a__.mp4',
    '_CON.mp4',
    'clip.mp4',
  ]);
  assert.deepEqual(readdirSync(output_dir).sort(), namesOf(answer).sort());
  assert.deepEqual(answer.summary, { total: 8, succeeded: 8, failed: 0 });
  assert.deepEqual(
    [
      answer.results[0]!.start_seconds_actual,
      answer.results[0]!.end_seconds_actual,
      answer.results[0]!.frame_count,
    ],
    [1, 4.5, 105],
  );
  assert.ok(answer.results.every(({ encoder }) => encoder === 'libx264'));
  assert.deepEqual([...clips.counts.encoded], [['libx264', 8]]);
});

test('a clip says how it was cut, and a smart one that could not be why', async () => {
  const { results } = await cut(
    output('smart'),
    [wish({ end_seconds: 4.5 }), wish({ end_seconds: 1.1 })],
    'smart',
  );
  assert.deepEqual(
    results.map(({ mode_used, mode_reason }) => [mode_used, mode_reason]),
    [
      ['smart', null],
      ['precise', 'the clip contains no complete closed group of pictures'],
    ],
  );
  assert.equal(results[0]!.frame_count, 105);
  assert.deepEqual(readdirSync(output('smart')).length, 2, 'nothing is left of what was not taken');
});

test('nothing is written over, not even by two exports at the same time', async () => {
  const output_dir = output('taken');
  mkdirSync(output_dir);
  const mine = join(output_dir, 'a.mp4');
  writeFileSync(mine, 'mine');
  const wishes = Array.from({ length: 4 }, () => wish({ output_name: 'a' }));
  const answers = await Promise.all([cut(output_dir, wishes), cut(output_dir, wishes, 'copy')]);
  const names = answers.flatMap(namesOf);
  assert.deepEqual(
    [...names].sort(),
    [2, 3, 4, 5, 6, 7, 8, 9].map((number) => `a-${number}.mp4`),
  );
  assert.equal(readFileSync(mine, 'utf8'), 'mine');
  assert.equal(readdirSync(output_dir).length, 9);
});

test('what fails has its reason, and the others go on', async () => {
  const output_dir = output('reasons');
  const broken = join(folder, 'broken.mp4');
  writeFileSync(broken, readFileSync(media_path).subarray(0, 3000));
  const bad: readonly (readonly [Partial<ClipSpec>, RegExp])[] = [
    [{ media_path: 'films/relative.mp4' }, /^"films\/relative\.mp4" is not an absolute path$/],
    [{ start_seconds: 2, end_seconds: 2 }, /^\[2, 2\] is empty: its end must be greater than its start$/],
    [{ start_seconds: 2, end_seconds: 1 }, /^\[2, 1\] ends before it starts$/],
    [{ start_seconds: -1 }, /start_seconds -1 is below 0/],
    [{ start_seconds: 50, end_seconds: 51 }, /no picture at 50 s/],
    [{ media_path: join(folder, 'gone.mp4') }, /gone\.mp4: File not found/],
    [{ media_path: broken }, /broken\.mp4: /],
    [{ media_path: folder }, /is not a file/],
  ];
  const answer = await cut(output_dir, [wish(), ...bad.map(([more]) => wish(more)), wish()]);
  assert.deepEqual(answer.summary, { total: 10, succeeded: 2, failed: 8 });
  for (const [i, [, reason]] of bad.entries()) {
    const { success, error, output_path } = answer.results[i + 1]!;
    assert.deepEqual([success, output_path], [false, null]);
    assert.match(error!, reason);
  }
  assert.equal(readdirSync(output_dir).length, 2);
});

test('what a killed process left in the folder goes with the next export there', async () => {
  const output_dir = output('left');
  mkdirSync(output_dir);
  const killed = spawnSync(process.execPath, ['-e', 'process.kill(process.pid, "SIGKILL")']).pid;
  const left = partName({ ...thisOwner(), pid: killed }, 'a');
  const living = partName(thisOwner(), 'b');
  for (const name of [left, living]) writeFileSync(join(output_dir, name), 'half a clip');
  const answer = await cut(output_dir, [wish({ output_name: 'whole' })]);
  assert.deepEqual(namesOf(answer), ['whole.mp4']);
  assert.deepEqual(readdirSync(output_dir).sort(), [living, 'whole.mp4'].sort());
});

test('a folder that cannot be made, or is not to be, fails each clip', async () => {
  const file = join(folder, 'a file');
  writeFileSync(file, '');
  const { results, summary } = await cut(join(file, 'below'), [wish(), wish()]);
  assert.deepEqual(summary, { total: 2, succeeded: 0, failed: 2 });
  for (const { error } of results)
    assert.equal(error, `${join(file, 'below')} cannot be written: not a directory`);
  const long = await cut(join(folder, 'd'.repeat(256)), [wish()]);
  assert.match(long.results[0]!.error!, /cannot be written: name too long$/);
  const above = output('missing');
  const refused = await cut(join(above, 'clips'), [wish()]);
  assert.match(
    refused.results[0]!.error!,
    /the folder .*missing does not exist; set create_folders to create it$/,
  );
  assert.equal(existsSync(above), false);
  assert.deepEqual(
    lines.filter(({ level }) => level === 'warn'),
    [],
  );
});

test('an export that is cancelled ends at once, keeps what is complete and leaves no part', async () => {
  const output_dir = output('cancelled');
  const stop = new AbortController();
  const wishes = Array.from({ length: 30 }, () => wish({ start_seconds: 0, end_seconds: 5 }));
  const request = { output_dir, mode: 'precise' as const, clips: wishes };
  const exporting = clips.export(request, stop.signal);
  const isComplete = (name: string) => !name.startsWith('.');
  await until(() => existsSync(output_dir) && readdirSync(output_dir).some(isComplete));
  stop.abort();
  await assert.rejects(exporting, { code: 'CANCELLED' });
  const names = await until(() => {
    const all = readdirSync(output_dir);
    return all.every(isComplete) && all;
  });
  assert.ok(names.length > 0 && names.length < 30);
  assert.equal((await cut(output_dir, [wish()])).summary.succeeded, 1, 'the threads are free again');
});

test('a full disk fails the clip with the reason, and nothing of it stays', () => {
  const output_dir = output('full');
  const script = `
    import { clip } from './actors/decoder/clips/clip.ts';
    const turn = { throwIfCancelled() {}, alive() {}, reserve: async () => () => {} };
    const request = { path: process.argv[1], output: process.argv[2], start_seconds: 0, end_seconds: 5, mode: process.argv[3] };
    await clip(request, turn).then(() => console.log('cut'), (error) => console.log(error.code, error.message));`;
  mkdirSync(output_dir);
  for (const mode of ['precise', 'copy']) {
    const part = join(output_dir, 'a.part');
    // A limit on the size of files fails a write as a full disk does.
    const run = spawnSync(
      'sh',
      [
        '-c',
        'ulimit -f 8; exec "$0" "$@"',
        ...nodeCommand,
        '--input-type=module',
        '-e',
        script,
        media_path,
        part,
        mode,
      ],
      { encoding: 'utf8', cwd: join(import.meta.dirname, '../../../..') },
    );
    assert.match(
      run.stdout,
      /^CLIP_UNWRITABLE The clip cannot be written \(.*\): File too large/,
      run.stderr,
    );
    assert.deepEqual(readdirSync(output_dir), []);
  }
});

test('clips of a series are cut one by one, and named in the order in which they were asked for', async () => {
  const output_dir = output('alone');
  mkdirSync(output_dir);
  const series = await clips.begin({ output_dir, mode: 'precise' });
  const asked = wish({ output_name: 'a' });
  const cut = await Promise.all([
    series.cut({ ...asked, end_seconds: 3 }, never),
    series.cut(asked, never),
    series.cut({ ...asked, output_name: 'a.mov' }, never),
  ]);
  assert.deepEqual(
    cut.map(({ output_path, extension, frames }) => [basename(output_path), extension, frames > 0]),
    ['a.mp4', 'a-2.mp4', 'a-3.mp4'].map((name) => [name, 'mp4', true]),
  );
  const named = readdirSync(output_dir).sort();
  await assert.rejects(
    series.cut(wish({ start_seconds: 3, end_seconds: 2 }), never),
    clipErrors.CLIP_RANGE.is,
  );
  await assert.rejects(series.cut(asked, AbortSignal.abort()), engineErrors.CANCELLED.is);
  assert.deepEqual(readdirSync(output_dir).sort(), named);
});
