// One search over what is loaded: scan at 8 bits, re-score the front of the ranking at 16 bits until what is left cannot
// come in any more, then rank.

import { type Catalog, type FrameScope, type Pick, type Run, sceneAt, sceneRange } from './catalog.ts';
import type { RankedMatch } from './contract.ts';
import { lowerBound } from './frames.ts';
import { fewPerVideo, grouped, onePerScene, type Scored } from './rank.ts';
import { type BlockScorer, blockScorer, type Collector, FrameTop, SceneTop, scan } from './scan.ts';
import { type Query, type Scoring, type Spread, scoreOf, scoringOf, spreadOf } from './scoring.ts';
import type { RowBank } from './segment.ts';

/** What is loaded and how its 16-bit vectors are read. */
export interface Searched {
  readonly bank: RowBank;
  readonly catalog: Catalog;
  /** The vector of a row at 16 bits, or null when it cannot be read: then its 8-bit score stands. */
  fine(run: Run, row: number): Float32Array | null;
  /** Called between blocks; throws to stop. */
  pause(): void;
}

export interface Found {
  readonly row: number;
  readonly score: number;
}

/** Frames looked at to learn how a vector spreads over what is searched. */
const sampleRows = 2048;
/** Rows of one scene that are re-scored: its best at 8 bits may not be its best. */
const perScene = 4;

/** Evenly spaced rows of the picks, so the same search learns the same. */
function sampleOf(picks: readonly Pick[]): number[] {
  const total = picks.reduce((sum, pick) => sum + pick.count, 0);
  const step = Math.max(1, total / sampleRows);
  const rows: number[] = [];
  let [wanted, passed] = [0, 0];
  for (const pick of picks) {
    for (; wanted < passed + pick.count; wanted += step) rows.push(pick.row + Math.floor(wanted) - passed);
    passed += pick.count;
  }
  return rows;
}

export function spreadOver(bank: RowBank, picks: readonly Pick[]): (vector: Float32Array) => Spread {
  const sample = sampleOf(picks);
  return (vector) => {
    bank.setQueries([vector]);
    return spreadOf(sample.map((row) => bank.scan(row, 1, 0)[0] as number));
  };
}

/** The exact best of `candidates` (best first at 8 bits): batches are re-scored until none that follow can come in. */
function rescore(
  candidates: readonly { score: number; item: number }[],
  wanted: number,
  exact: (row: number, coarse: number) => Found,
): Found[] {
  const found: Found[] = [];
  let error = 0;
  for (let done = 0; done < candidates.length; ) {
    const batch = candidates.slice(done, done + wanted + 32);
    for (const { item, score } of batch) {
      const one = exact(item, score);
      error = Math.max(error, Math.abs(one.score - score));
      found.push(one);
    }
    done += batch.length;
    found.sort((a, b) => b.score - a.score || a.row - b.row);
    const last = found[wanted - 1];
    const next = candidates[done];
    if (last !== undefined && next !== undefined && last.score >= next.score + 1.5 * error) break;
  }
  return found;
}

/** The best rows at 8 bits of the scene around `row`, among those that are searched; `row` is one of them. */
function rivals(at: Searched, scorer: BlockScorer, allowed: (row: number) => boolean, row: number): number[] {
  const run = at.catalog.runAt(row);
  const { scenes, frames } = run.media;
  const position = run.position + row - run.row;
  const scene = sceneAt(run.media, position);
  const start = Math.max(scenes[scene] ?? 0, run.position, position - 32);
  const end = Math.min(scenes[scene + 1] ?? frames.length, run.position + run.count, position + 33);
  const first = run.row + start - run.position;
  const scores = scorer.score(first, end - start);
  return Array.from({ length: end - start }, (_, i) => i)
    .filter((i) => allowed(first + i))
    .sort((a, b) => scores[b]! - scores[a]! || a - b)
    .slice(0, perScene)
    .map((i) => first + i);
}

function exactly(at: Searched, scoring: Scoring, row: number, coarse: number): Found {
  const vector = at.fine(at.catalog.runAt(row), row);
  return { row, score: vector === null ? coarse : scoreOf(scoring, vector) };
}

function candidates(at: Searched, picks: readonly Pick[], scorer: BlockScorer, into: Collector) {
  scan(at.bank, picks, scorer, into, at.pause);
  return into.finish();
}

/** How many to keep at 8 bits: near duplicates lie closer together than the 8-bit error. */
const keep = (wanted: number): number => Math.max(8 * wanted, 256);

/** The best `max` frames by one vector, best first, whatever scene they are in. */
export function nearest(at: Searched, query: Float32Array, scope: FrameScope, max: number): Found[] {
  const picks = at.catalog.picks(scope);
  const scoring: Scoring = { bases: [query], exclude: [] };
  const scored = candidates(at, picks, blockScorer(at.bank, scoring), new FrameTop(keep(max)));
  return rescore(scored, max, (row, coarse) => exactly(at, scoring, row, coarse)).slice(0, max);
}

/** Scenes ranked at most to find enough videos. */
const mostRanked = 1 << 16;

/** Matches there can be with `perVideo` of one video, or more: two picks may share a scene. */
function mostMatches(picks: readonly Pick[], perVideo: number): number {
  const scenes = new Map<string, number>();
  for (const { run, row, count } of picks) {
    const { media } = run;
    const first = run.position + row - run.row;
    const within = sceneAt(media, first + count - 1) - sceneAt(media, first) + 1;
    scenes.set(media.hash, Math.min(perVideo, (scenes.get(media.hash) ?? 0) + within));
  }
  return [...scenes.values()].reduce((sum, count) => sum + count, 0);
}

/** The answer to one search. `perVideo`: matches of one video at most. `searched`: frames looked at. */
export function search(
  at: Searched,
  query: Query,
  scope: FrameScope,
  max: number,
  perVideo = max,
): { matches: RankedMatch[]; searched: number } {
  const picks = at.catalog.picks(scope);
  const searched = picks.reduce((sum, pick) => sum + pick.count, 0);
  const scoring = scoringOf(query, spreadOver(at.bank, picks));
  const scorer = blockScorer(at.bank, scoring);
  const allowed = rowsAllowed(picks);
  const bestOf = (row: number, coarse: number) =>
    rivals(at, scorer, allowed, row)
      .map((rival) => exactly(at, scoring, rival, coarse))
      .reduce((best, one) => (one.score > best.score ? one : best));
  const few = perVideo < max ? Math.min(max, mostMatches(picks, perVideo)) : 0;
  // One video may fill the front of the ranking: then more of it is looked at.
  for (let wanted = max; ; wanted *= 4) {
    const scored = candidates(at, picks, scorer, new SceneTop(keep(wanted)));
    const found = rescore(scored, wanted + 8, bestOf);
    const ranking = fewPerVideo(onePerScene(found.map((one) => described(at.catalog, one))), perVideo);
    const all = scored.length < keep(wanted) && found.length === scored.length;
    const enough = ranking.length >= few;
    if (enough || all || wanted >= mostRanked) return { matches: grouped(ranking, max), searched };
  }
}

/** Whether a row is among the picks, which ascend. */
function rowsAllowed(picks: readonly Pick[]): (row: number) => boolean {
  const starts = new Float64Array(picks.length);
  for (let i = 0; i < picks.length; i++) starts[i] = picks[i]!.row;
  return (row) => {
    const pick = picks[lowerBound(starts, row + 1) - 1];
    return pick !== undefined && row < pick.row + pick.count;
  };
}

function described(catalog: Catalog, { row, score }: Found): Scored {
  const run = catalog.runAt(row);
  const { media } = run;
  const position = run.position + row - run.row;
  return {
    hash: media.hash,
    path: media.path,
    frame: media.frames[position] as number,
    scene: sceneRange(media, sceneAt(media, position)),
    score,
  };
}
