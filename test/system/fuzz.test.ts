// Damaged copies of every kind of file are read by the decoder in processes of its own. Each ends in one of the
// decoder's errors or in an answer; a crash, a hang or any other error fails with the seed that brings it back.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { clips } from '../actors/decoder/footage/clips.ts';
import { oddFiles } from '../actors/decoder/footage/odd-files.ts';
import type { FuzzJob, FuzzResult } from './fuzz-child.ts';

/** Seeds for each file; FRAMEHOUND_FUZZ_SEEDS asks for more, FRAMEHOUND_FUZZ_FROM for others. */
const seeds = Number(process.env.FRAMEHOUND_FUZZ_SEEDS ?? 20);
const firstSeed = Number(process.env.FRAMEHOUND_FUZZ_FROM ?? 0);
/** Files a process reads one after another; a hang is noticed when it outlives its time. */
const filesPerChild = 5;
const childMilliseconds = 60_000 + seeds * filesPerChild * 1000;

const stills = [
  'a photograph kept as HEVC',
  'a photograph of HEVC tiles',
  'a bitmap',
  'a bitmap of run lengths',
  'a TIFF of planes in tiles',
  'a TIFF of 12 bits',
  ...['jpg', 'png', 'webp', 'tif', 'gif', 'avif'].map((ending) => `a still of 320x180, still.${ending}`),
];
const files = [
  'H.264, GOP 12',
  'H.264, open GOP in a transport stream',
  'H.264 in Matroska with sound',
  'HEVC, open GOP',
  'HEVC, 10 bit with PQ',
  'VP9 with hidden alternate reference frames',
  'AV1',
  'ProRes',
  'MPEG-2 in a transport stream',
  'MPEG-2, closed GOP, in a program stream',
  'Motion JPEG in AVI',
  'MPEG-4 with B-frames in AVI, which holds no times',
  'MPEG-2 in MXF with a timecode',
  'an edit list that hides the first 40 frames',
  'uneven times with gaps, mp4',
  '29.97 frames a second, drop-frame timecode',
  'rotated by 90 degrees',
  'subtitles in mp4',
  'fragmented mp4',
  'H.264 in Flash video',
  'interlaced H.264 in a transport stream',
  'sound with a cover picture',
  ...stills,
  ...['m4a', 'flac', 'wav', 'mp3'].map((ending) => `sound alone, sound.${ending}`),
];

type Line = FuzzResult | { readonly begins: FuzzJob };

/** Runs the jobs in a child; answers what came of them, and of the job it ended in when it did not end well. */
function runChild(jobs: readonly FuzzJob[], signal: AbortSignal): Promise<FuzzResult[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'fuzz-child.ts')], {
      timeout: childMilliseconds,
      killSignal: 'SIGKILL',
      signal,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-2000);
    });
    child.on('error', reject);
    child.on('close', (code, killedBy) => {
      const lines = output
        .split('\n')
        .flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as Line] : []));
      const results = lines.filter((line) => 'outcome' in line);
      const last = lines.at(-1);
      if (code !== 0 && last && 'begins' in last) {
        const fault = `the process ended with ${killedBy ?? code}: ${errors}`;
        results.push({ ...last.begins, done: [], milliseconds: 0, outcome: {}, reasons: {}, fault });
      } else if (code !== 0) {
        reject(new Error(`The process ended with ${killedBy ?? code}: ${errors}`));
      }
      resolve(results);
    });
    child.stdin.end(JSON.stringify(jobs));
  });
}

const stop = new AbortController();
after(() => stop.abort());

test(`${files.length * seeds} damaged files end in an answer or in one of the decoder's errors`, async (context) => {
  const makers = new Map([...clips, ...oddFiles].map((file) => [file.name, file.make]));
  const paths: string[] = [];
  for (const name of files) paths.push(await makers.get(name)!());
  const batches: FuzzJob[][] = [];
  for (let at = 0; at < paths.length; at += filesPerChild) {
    const some = paths.slice(at, at + filesPerChild);
    batches.push(
      some.flatMap((path, n) =>
        Array.from({ length: seeds }, (_, seed) => ({ path, seed: firstSeed + (at + n) * 1000 + seed })),
      ),
    );
  }
  const expected = batches.flat().length;
  const results: FuzzResult[] = [];
  const lane = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop())
      results.push(...(await runChild(batch, stop.signal)));
  };
  await Promise.all([lane(), lane()]);
  const faults = results.filter(({ fault }) => fault);
  const told = faults.map(
    ({ path, seed, done, fault }) => `${basename(path)} seed ${seed} (${done}): ${fault}`,
  );
  assert.deepEqual(told, []);
  assert.equal(results.length, expected);
  const answered = results.filter(({ outcome }) => outcome.probe === 'ok').length;
  const slowest = results.toSorted((a, b) => b.milliseconds - a.milliseconds)[0]!;
  context.diagnostic(
    `${answered} of ${expected} gave an answer; slowest ${slowest.milliseconds} ms: ${basename(slowest.path)} seed ${slowest.seed}`,
  );
  assert.ok(answered > expected / 3 && answered < expected, 'the damage is neither fatal nor harmless');
});

test('damaged stills are refused for the same reasons in another order', async () => {
  const makers = new Map(oddFiles.map((file) => [file.name, file.make]));
  const jobs: FuzzJob[] = [];
  for (const [n, name] of stills.entries()) {
    const path = await makers.get(name)!();
    for (let seed = 0; seed < seeds; seed++) jobs.push({ path, seed: firstSeed + 500_000 + n * 1000 + seed });
  }
  const told = async (jobs: readonly FuzzJob[]) => {
    const results = await runChild(jobs, stop.signal);
    assert.deepEqual(
      results.flatMap(({ fault }) => fault ?? []),
      [],
    );
    return new Map(results.map(({ seed, outcome, reasons }) => [seed, { outcome, reasons }]));
  };
  const [forwards, backwards] = await Promise.all([told(jobs), told(jobs.toReversed())]);
  assert.equal(forwards.size, jobs.length);
  for (const [seed, answer] of forwards) assert.deepEqual(backwards.get(seed), answer, `seed ${seed}`);
});
