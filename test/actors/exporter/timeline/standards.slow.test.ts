// Timelines as a reader sees them that shares no line with the writers: Python's own library, and what the
// formats say.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { arrange } from '../../../../actors/exporter/timeline/arrange.ts';
import type { TimelineFormat } from '../../../../actors/exporter/timeline/contract.ts';
import { timelineSuffixes } from '../../../../actors/exporter/timeline/contract.ts';
import { counterText, type Timeline } from '../../../../actors/exporter/timeline/model.ts';
import { write } from '../../../../actors/exporter/timeline/write.ts';
import { sampled } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { cut } from './cut.ts';
import { film, item, known, rates, recording, request } from './sources.ts';

const reader = fileURLToPath(new URL('./read_standards.py', import.meta.url));
const folder = temporaryFolder();
const version = 'import sys; sys.exit(sys.version_info < (3, 9))';
const isHere = spawnSync('python3', ['-c', version], { stdio: 'ignore' }).status === 0;
const skip = isHere ? false : 'needs python3, which is not here';

interface Read {
  readonly kind: string;
  readonly name: string;
  readonly start: string;
  readonly end: string | null;
  readonly from: string | null;
  readonly path: string | null;
}

interface Cut {
  readonly timeline: Timeline;
  readonly format: TimelineFormat;
  /** Of the message when it is read otherwise. */
  readonly what: string;
}

/** By one process. */
async function read(cuts: readonly Cut[]): Promise<Read[][]> {
  const asked = cuts.map(async ({ timeline, format }, i) => {
    const path = join(folder, `${i}.${timelineSuffixes[format]}`);
    writeFileSync(path, await write({ timeline, format }));
    const { rate, timecode } = timeline;
    return [path, ...(format === 'edl' ? [`${rate.num}/${rate.den}`, counterText(timecode, 0)] : [])];
  });
  const input = (await Promise.all(asked)).map((one) => `${JSON.stringify(one)}\n`).join('');
  const { stdout, stderr, status } = spawnSync('python3', [reader], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  assert.equal(status, 0, stderr.slice(-2000));
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Read[]);
}

/** Seconds as Python writes a fraction in lowest terms. */
function fraction(frames: number, { num, den }: { readonly num: number; readonly den: number }): string {
  let [a, b] = [frames * den, num];
  while (b > 0) [a, b] = [b, a % b];
  return num === a ? `${(frames * den) / a}` : `${(frames * den) / a}/${num / a}`;
}

function expected({ video, audio, rate, sources }: Timeline, format: TimelineFormat): Read[] {
  const of = (kind: string) => (track: Timeline['video'][number]) =>
    track.clips.map((clip) => {
      const source = sources[clip.source]!;
      return {
        kind,
        name: format === 'edl' ? [...clip.name].slice(0, 32).join('').trimEnd() : clip.name,
        start: fraction(clip.start, rate),
        end: fraction(clip.end, rate),
        from: format === 'edl' ? null : fraction(clip.in, source.rate),
        path: format === 'edl' ? null : source.path,
      };
    });
  // Locators and the chapters of Final Cut Pro are moments.
  const isMoment = format === 'edl' || format === 'fcpxml';
  const marked = [...video, ...audio].flatMap(({ clips }) => clips.flatMap(({ markers }) => markers));
  const markers = marked.map(({ name, start, end }) => ({
    kind: 'marker',
    name,
    start: fraction(start, rate),
    end: isMoment ? null : fraction(end, rate),
    from: null,
    path: null,
  }));
  return [...video.flatMap(of('video')), ...audio.flatMap(of('audio')), ...markers];
}

const inOrder = (clips: readonly Partial<Read>[]) =>
  clips
    .map(({ kind, name, start, end, from, path }) => JSON.stringify([kind, name, start, end, from, path]))
    .sort();

async function assertRead(cuts: readonly Cut[]): Promise<void> {
  const found = await read(cuts);
  assert.equal(found.length, cuts.length);
  for (const [i, { timeline, format, what }] of cuts.entries())
    assert.deepEqual(inOrder(found[i]!), inOrder(expected(timeline, format)), `${what} as ${format}`);
}

const formatsWithPaths = ['xmeml', 'fcpxml', 'otio'] as const;

test('a cut with everything in it is read as it was meant', { skip }, async () => {
  const cuts = ['00:00:00;00', '01:00:00:00', '00:59:58;20'].flatMap((start_timecode) => {
    const { timeline } = cut({ start_timecode });
    return formatsWithPaths.map((format) => ({ timeline, format, what: start_timecode }));
  });
  await assertRead(cuts);
});

const names = Object.keys(rates) as (keyof typeof rates)[];

test('films of every rate in sequences of every rate are read frame by frame', { skip }, async () => {
  const cuts: Cut[] = [];
  for (const of of sampled(names, 2)) {
    const dropFrame = of.endsWith('.97') || of.endsWith('.94');
    const facts = known(
      ...names.map((own) => {
        const drops = own.endsWith('.97');
        const timecode = { frame: 35_960, rate: rates[own], dropFrame: drops };
        return film(`/media/${own} #1 ü%.mov`, { rate: rates[own], timecode, seconds: 4000 });
      }),
      recording('/media/s.wav', { seconds: 4000 }),
    );
    const pictures = Array.from({ length: 320 }, (_, i) => {
      const start = 11.7 + i * 7.37;
      const path = `/media/${names[i % names.length]} #1 ü%.mov`;
      const place = i % 9 === 8 ? { timeline_start_seconds: i * 7 + 3.21 } : {};
      return item(path, start, start + 0.6 + (i % 5) * 0.71, { name: `clip ${i}`, ...place });
    });
    const items = [...pictures, item('/media/s.wav', 3.3, 61.2, { track: 'audio' })];
    const start_timecode = dropFrame ? '09:59:50;04' : '09:59:50:04';
    const { timeline } = arrange(request(items, { fps: Number(of), start_timecode }), facts);
    for (const format of [...formatsWithPaths, 'edl'] as const) cuts.push({ timeline, format, what: of });
  }
  await assertRead(cuts);
});

test('chapters are read where they are shown, at every rate, clipped to their clips', { skip }, async () => {
  const cuts: Cut[] = [];
  for (const of of sampled(names, 2)) {
    const facts = known(
      ...names.map((own) => film(`/media/${own}.mov`, { rate: rates[own], seconds: 400.4 })),
      recording('/media/s.wav', { seconds: 400 }),
    );
    const titles = ['A & <b>', '10% of it', 'Größe: 日本 👍', "it's “so”"];
    const chaptersEvery = (seconds: number) =>
      Array.from({ length: 40 }, (_, i) => ({
        title: `${titles[i % titles.length]} ${i}`,
        start_seconds: i * seconds,
        end_seconds: (i + 1) * seconds,
      }));
    const chapters = new Map([...facts.keys()].map((path, i) => [path, chaptersEvery(i + 3)]));
    const pictures = Array.from({ length: 90 }, (_, i) => {
      const start = 2.2 + i * 1.37;
      const place = i % 9 === 8 ? { timeline_start_seconds: i * 4 + 3.21 } : {};
      return item(`/media/${names[i % names.length]}.mov`, start, start + 0.6 + (i % 5) * 3.71, place);
    });
    const items = [...pictures, item('/media/s.wav', 3.3, 61.2, { track: 'audio' })];
    const { timeline } = arrange(request(items, { fps: Number(of) }), facts, chapters);
    const marked = timeline.video.flatMap(({ clips }) => clips.flatMap(({ markers }) => markers));
    assert.ok(marked.length > 100, `${marked.length}`);
    for (const format of formatsWithPaths) cuts.push({ timeline, format, what: of });
    const alone = arrange(
      request(
        items.filter((one) => !('timeline_start_seconds' in one)),
        { fps: Number(of) },
      ),
      facts,
      chapters,
    );
    cuts.push({ timeline: alone.timeline, format: 'edl', what: of });
  }
  await assertRead(cuts);
});

test('names and paths with whatever a keyboard or a bug makes are read as they were', { skip }, async () => {
  const odd = ['a]]>b', '<&"\'>', '\u0000\u0001\u001b[31mred', '\ud800half', '\ufffe\uffff-', '&#0; &amp;'];
  const more = ['a\u2028b\nc\td', '🎬'.repeat(300), 'é'.normalize('NFD'), '\u202egnp.exe', '\u0085\u009f x'];
  const texts = [...odd, ...more];
  const facts = known(...texts.map((_, i) => film(`/m/${i} #?%&+;ü\u{1f3ac}]]>/x y.mov`)));
  const items = texts.map((name, i) => item([...facts.keys()][i]!, i, i + 1, { name }));
  const { timeline } = arrange(request(items, { sequence_name: texts.join(' ') }), facts);
  const formats = [...formatsWithPaths, 'edl'] as const;
  await assertRead(formats.map((format) => ({ timeline, format, what: 'odd names' })));
});
