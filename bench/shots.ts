// Are the changes of films found where they are? In films drawn with known changes from recorded takes, by
// the product's own analysis and by two filters of FFmpeg; and does an undisturbed take stay one scene?
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defaultModelKey } from '../actors/models/rows/list.ts';
import { skipWithout } from '../test/shared.ts';
import { startBench } from './actors.ts';
import { hasFfmpeg } from './command-line.ts';
import { ingestAll, startedEngine } from './ingest.ts';
import { processorSeconds, type Question, type Row } from './row.ts';
import { writeFilm } from './samples/writer/film.ts';
import { Draft, type FilmKind, filmKinds } from './shots/films.ts';
import { type FoundChange, pairs, type ScoredFilm, scoreOf } from './shots/score.ts';
import { height, openTakes, sharedTakes, type Take, width } from './shots/takes.ts';

type Drawn = Omit<ScoredFilm, 'found'> & { readonly path: string; readonly seconds: number };
type Detected = { readonly found: FoundChange[][]; readonly processor: number };

const peers = {
  'ffmpeg scene > 0.3': { filter: "select='gt(scene,0.3)',metadata=print", pattern: /pts_time:([\d.]+)/g },
  'ffmpeg scdet 10': { filter: 'scdet=threshold=10', pattern: /lavfi\.scd\.time: ([\d.]+)/g },
} as const;

export const shots: Question = async (say, home) => {
  const lacking = skipWithout(...sharedTakes);
  if (lacking !== false) {
    say(lacking);
    return [];
  }
  const bench = startBench(16, width * height * 3);
  const films: Drawn[] = [];
  try {
    const takes = await openTakes((await bench.decoders(1))[0]!);
    for (const [seed, kind] of filmKinds.entries()) films.push(await drawn(home, takes, kind, seed + 1));
    for (const { film: path, seconds } of takes)
      if (path !== null) films.push({ path, seconds, rate: Number.NaN, changes: [] });
  } finally {
    await bench.stop();
  }
  say(`${films.length} films with ${films.flatMap(({ changes }) => changes).length} changes`);
  const results = await detect(home, films);
  for (const [i, film] of films.entries()) sayFaults(say, { ...film, found: results.found[i]! });
  const others = Object.entries(hasFfmpeg() ? peers : {});
  const beside = others.map(([name, peer]) => [name, detectBeside(films, peer)] as const);
  return rows(films, results, beside);
};

async function drawn(home: string, takes: readonly Take[], kind: FilmKind, seed: number): Promise<Drawn> {
  const { name, rate } = kind;
  const draft = new Draft(takes, rate, seed);
  await kind.draw(draft);
  const { pictures, changes } = draft;
  const path = join(home, `${name}.mp4`);
  await writeFilm({
    path,
    picture: {
      ...{ width, height, frames: pictures.length, frameRate: { num: rate, den: 1 } },
      encoder: 'libx264',
      options: { preset: 'veryfast', threads: '1' },
      draw: (n, rgb) => rgb.set(pictures[n]!),
    },
  });
  return { path, rate, changes, seconds: pictures.length / rate };
}

async function detect(home: string, films: readonly Drawn[]): Promise<Detected> {
  const cache_dir = mkdtempSync(join(home, 'cache-'));
  const engine = await startedEngine(home, defaultModelKey);
  try {
    const analyse = (some: readonly Drawn[], into?: string) => {
      const paths = some.map(({ path }) => path);
      return ingestAll(engine, home, paths, defaultModelKey, 'exact', into);
    };
    // Loads the model.
    await analyse(films.slice(0, 1));
    const processor = await processorSeconds(() => analyse(films, cache_dir));
    const found: FoundChange[][] = [];
    for (const { path: media_path, rate } of films) {
      const { scenes } = await engine.search.scenes({ cache_dir, media_path, start_seconds: 0 });
      const begins = scenes.slice(1).map(({ start_seconds: seconds, start_frame }) => {
        return { seconds, frame: start_frame ?? Math.round(seconds * rate) };
      });
      found.push(begins);
    }
    return { found, processor };
  } finally {
    await engine.stop();
  }
}

function sayFaults(say: (text: string) => void, film: Drawn & ScoredFilm): void {
  const matched = new Set<object>(pairs(film).flat());
  const missed = film.changes.filter((change) => !matched.has(change));
  const wrong = film.found.filter((change) => !matched.has(change));
  for (const { kind, frame } of missed) say(`${basename(film.path)}: missed ${kind} at frame ${frame}`);
  for (const { seconds } of wrong) say(`${basename(film.path)}: false scene at ${seconds.toFixed(2)} s`);
}

function detectBeside(
  films: readonly Drawn[],
  { filter, pattern }: (typeof peers)[keyof typeof peers],
): Detected {
  let processor = 0;
  const found = films.map(({ path, rate }) => {
    const args = ['-hide_banner', '-nostats', '-nostdin', '-benchmark', '-i', path, '-an', '-vf', filter];
    const { stderr, status } = spawnSync('ffmpeg', [...args, '-f', 'null', '-'], { encoding: 'utf8' });
    const [, user, system] = /utime=([\d.]+)s stime=([\d.]+)s/.exec(stderr) ?? [];
    if (status !== 0) throw new Error(`ffmpeg ended with code ${status} on ${basename(path)}`);
    processor += Number(user) + Number(system);
    const times = [...stderr.matchAll(pattern)].map(([, seconds]) => Number(seconds));
    return times.map((seconds) => ({ seconds, frame: Math.round(seconds * rate) }));
  });
  return { found, processor };
}

interface Figure {
  readonly name: string;
  readonly value: number;
  /** Shares have none, and more of them is better; less is better of everything else. */
  readonly unit: '' | 'frames' | 'a minute' | 's';
  readonly goal?: number;
}

function figuresOf(films: readonly Drawn[], { found, processor }: Detected): Figure[] {
  const scored = films.map((film, i) => ({ ...film, found: found[i]! }));
  const takes = scored.filter(({ changes }) => changes.length === 0);
  const score = scoreOf(scored.filter(({ changes }) => changes.length > 0));
  const minutesOf = (some: readonly Drawn[]) => some.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
  const falseScenes = takes.reduce((sum, take) => sum + take.found.length, 0) / minutesOf(takes);
  const cost = processor / minutesOf(films);
  return [
    { name: 'precision', value: score.precision, unit: '' },
    { name: 'recall', value: score.recall, unit: '' },
    { name: 'F1', value: score.f1, unit: '', goal: 0.93 },
    { name: 'hard cuts on the exact frame, of those found', value: score.exact, unit: '', goal: 0.95 },
    { name: 'median distance of a hard cut', value: score.framesOff, unit: 'frames' },
    ...score.kinds.map(({ kind, count, recall }): Figure => {
      return { name: `recall: ${kind} (${count})`, value: recall, unit: '' };
    }),
    { name: 'false scenes of single takes', value: falseScenes, unit: 'a minute', goal: 0 },
    { name: 'processor time of a minute of film', value: cost, unit: 's' },
  ];
}

function rows(
  films: readonly Drawn[],
  results: Detected,
  others: readonly (readonly [string, Detected])[],
): Row[] {
  const compared = others.map(([name, detected]) => ({ name, figures: figuresOf(films, detected) }));
  return figuresOf(films, results).flatMap(({ name, value, unit, goal: than }, i): Row[] => {
    const at = unit === '' ? 'least' : 'most';
    const goal = than === undefined ? null : ({ of: 'value' as const, at, than } as const);
    const row = { question: 'shots', name, value, unit, against: null, ratio: null, goal };
    if (compared.length === 0) return [row];
    return compared.map((peer, n) => {
      const against = { name: peer.name, value: peer.figures[i]!.value };
      const ratio = at === 'least' ? value / against.value : against.value / value;
      return { ...row, against, ratio: Number.isFinite(ratio) ? ratio : null, goal: n === 0 ? goal : null };
    });
  });
}
