// Damaged copies of every kind of file are read by the decoder in processes of its own. Each ends in one of
// the decoder's errors or in an answer; a crash, a hang or any other error fails with the seed that brings it
// back. So do files with odd headers, and odd subtitles.
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { after, test } from 'node:test';
import { clips } from '../actors/decoder/footage/clips.ts';
import { oddFiles } from '../actors/decoder/footage/odd-files.ts';
import { sampled } from '../shared.ts';
import { type FuzzJob, type FuzzResult, mostMegabytes, runChild } from './fuzz-jobs.ts';

/**
 * Seeds for each file; FRAMEHOUND_FUZZ_SEEDS asks for more, as a release does, FRAMEHOUND_FUZZ_FROM for
 * others.
 */
const seeds = Number(process.env.FRAMEHOUND_FUZZ_SEEDS ?? 1);
const firstSeed = Number(process.env.FRAMEHOUND_FUZZ_FROM ?? 0);
/** Files a process reads one after another. */
const filesPerChild = 5;

const stills = [
  'a photograph kept as HEVC',
  'a photograph of HEVC tiles',
  'a bitmap',
  'a TIFF of planes',
  ...['jpg', 'png', 'webp', 'tif', 'gif', 'avif'].map((ending) => `a still of 320x180, still.${ending}`),
];
const allFiles = [
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
const files = sampled(allFiles, 3);

/** One of each container whose header is known to `headers/`. */
const allHeaders = [
  'H.264, GOP 12',
  'an edit list that hides the first 40 frames',
  'fragmented mp4',
  'subtitles in mp4',
  'a photograph kept as HEVC',
  'ProRes',
  'H.264 in Matroska with sound',
  'subtitles in Matroska',
  'VP9 with hidden alternate reference frames',
  'MPEG-4 with B-frames in AVI, which holds no times',
  'Motion JPEG in AVI',
  'H.264, open GOP in a transport stream',
  'MPEG-2 in a transport stream',
  'MPEG-2, closed GOP, in a program stream',
  'H.264 in Flash video',
  'sound with a cover picture',
  ...['m4a', 'flac', 'wav', 'mp3', 'ogg', 'webm'].map((ending) => `sound alone, sound.${ending}`),
];
const headers = sampled(allHeaders, 2);
const headerSeeds = Math.ceil(seeds / 2);
const subtitleSeeds = seeds * 10;

const stop = new AbortController();
after(() => stop.abort());

async function runAll(batches: FuzzJob[][], program?: string): Promise<FuzzResult[]> {
  const results: FuzzResult[] = [];
  const lane = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop())
      results.push(...(await runChild(batch, stop.signal, program)));
  };
  await Promise.all([lane(), lane()]);
  const texts = results.flatMap(({ path, seed, done, fault }) =>
    fault ? `${basename(path)} seed ${seed} (${done}): ${fault}` : [],
  );
  assert.deepEqual(texts, []);
  return results;
}

/** What a run says at its end, and that no case needed much memory. */
function summary(results: readonly FuzzResult[], question: string): string {
  const answered = results.filter(({ outcome }) => outcome[question] === 'ok').length;
  const slowest = results.toSorted((a, b) => b.milliseconds - a.milliseconds)[0]!;
  const largest = results.toSorted((a, b) => b.peakMegabytes - a.peakMegabytes)[0]!;
  const named = ({ path, seed, done }: FuzzResult) => `${basename(path)} seed ${seed} (${done})`;
  assert.ok(largest.peakMegabytes < mostMegabytes, `${largest.peakMegabytes} MB: ${named(largest)}`);
  return (
    `${answered} of ${results.length} gave an answer; slowest ${slowest.milliseconds} ms: ${named(slowest)}; ` +
    `most memory ${largest.peakMegabytes} MB`
  );
}

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
  const results = await runAll(batches);
  assert.equal(results.length, expected);
  context.diagnostic(summary(results, 'probe'));
  const answered = results.filter(({ outcome }) => outcome.probe === 'ok').length;
  assert.ok(answered > expected / 3 && answered < expected, 'the damage is neither fatal nor harmless');
});

test('damaged stills are refused for the same reasons in another order', async () => {
  const makers = new Map(oddFiles.map((file) => [file.name, file.make]));
  const jobs: FuzzJob[] = [];
  for (const [n, name] of sampled(stills, 2).entries()) {
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

test(`${headers.length * headerSeeds} odd headers end in an answer or in one of the decoder's errors`, async (context) => {
  const makers = new Map([...clips, ...oddFiles].map((file) => [file.name, file.make]));
  const jobs = await Promise.all(
    headers.map(async (name, n) => {
      const path = await makers.get(name)!();
      return Array.from(
        { length: headerSeeds },
        (_, seed): FuzzJob => ({ path, seed: firstSeed + n * 1000 + seed, part: 'header' }),
      );
    }),
  );
  const half = Math.ceil(jobs.length / 2);
  const results = await runAll([jobs.slice(0, half).flat(), jobs.slice(half).flat()]);
  assert.equal(results.length, headers.length * headerSeeds);
  context.diagnostic(summary(results, 'probe'));
});

test(`${subtitleSeeds} odd subtitles end in a transcript or in an error that says why`, async (context) => {
  const jobs = Array.from(
    { length: subtitleSeeds },
    (_, seed): FuzzJob => ({ path: 'subtitles', seed: firstSeed + seed }),
  );
  const half = subtitleSeeds / 2;
  const results = await runAll([jobs.slice(0, half), jobs.slice(half)], 'subtitle-fuzz-child.ts');
  assert.equal(results.length, subtitleSeeds);
  context.diagnostic(summary(results, 'sidecar'));
});
