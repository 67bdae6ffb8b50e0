// One search over what is loaded, exactly as if every frame were scored at 16 bits. The scan at 8 bits tells
// between which two scores each frame lies; only frames that can be in the answer are scored again.
import { sampledRows, spreadOver } from './background.ts';
import { type Catalog, everything, type FrameScope, type Pick, type RowRun, sceneAt } from './catalog.ts';
import { cellRows, maxQueries } from './cells.ts';
import type { RankedMatch } from './contract.ts';
import { byScore, grouped, Limits, type Most, ranking, type Scored } from './rank.ts';
import { type Asking, mostTogether, queriesOf, type Scorer, scan, scorersOf } from './scan.ts';
import { type Scoring, scoreOf, scoringOf, type VectorQuery } from './scoring.ts';
import type { RowBank } from './segment.ts';

/** Loaded data, and access to its 16-bit vectors. */
export interface SearchedVectors {
  readonly bank: RowBank;
  readonly catalog: Catalog;
  /**
   * The vectors of rows of a run at 16 bits; null for one that cannot be read: then its 8-bit score stands.
   */
  fine(run: RowRun, row: number, count: number): readonly (Float32Array | null)[];
  /** Called between cells of rows; throws to stop. */
  pause(): void;
}

/**
 * The rows of one pick in one scene. `score`: its best frame reaches it, and that of no other row is known to
 * be better.
 */
interface Candidate extends Scored {
  readonly pick: Pick;
  /** Position after the last one of the scene. */
  readonly end: number;
  /** No frame of it scores more. */
  atMost: number;
  score: number;
}

/** Scenes of a scan that can be in the ranking of a question. */
class Candidates implements Asking {
  readonly picks: readonly Pick[];
  readonly query: number;
  readonly lanes: number;
  readonly #scorer: Scorer;
  readonly #most: Most;
  #candidates: Candidate[] = [];
  #last: Candidate | null = null;
  #limits: Limits;
  /** Number of candidates at which those that cannot be in the ranking are removed. */
  #room: number;
  #isAbandoned = false;

  /** `query`: the first of the scorer. */
  constructor({ picks, scoring, most }: Prepared, scorer: Scorer, query: number) {
    this.picks = picks;
    this.query = query;
    this.lanes = scoring.bases.length;
    this.#scorer = scorer;
    this.#most = most;
    this.#limits = new Limits([], most);
    this.#room = this.#roomFor(0);
  }

  get threshold(): number {
    return this.#isAbandoned ? Number.POSITIVE_INFINITY : this.#limits.all;
  }

  /** Nobody waits for the answer any more. */
  leave(): void {
    this.#isAbandoned = true;
    this.#candidates = [];
  }

  take(pick: Pick, row: number, alike: number): void {
    const { media } = pick.run;
    const least = this.#limits.of(media);
    if (alike < least) return;
    const score = this.#scorer.atMost(row, alike);
    if (score < least) return;
    const position = pick.run.position + row - pick.run.row;
    const last = this.#last;
    // Cells come in any order, so that the row may lie in a scene before the last one.
    if (last?.pick === pick && position < last.end && position >= media.scenes[last.scene]!) {
      if (score <= last.atMost) return;
      last.atMost = score;
      last.score = Math.max(last.score, this.#scorer.one(row, -1));
      return;
    }
    if (this.#candidates.length >= this.#room) this.#settle();
    const scene = sceneAt(media, position);
    const end = media.scenes[scene + 1] ?? media.frames.length;
    this.#last = { pick, media, position, scene, end, atMost: score, score: this.#scorer.one(row, -1) };
    this.#candidates.push(this.#last);
  }

  #roomFor(keptCount: number): number {
    return 2 * (keptCount + this.#most.matches) + 64;
  }

  #settle(): void {
    this.#limits = new Limits(ranking(this.#candidates, this.#most), this.#most);
    this.#candidates = this.#candidates.filter(({ media, atMost }) => atMost >= this.#limits.of(media));
    this.#room = this.#roomFor(this.#candidates.length);
  }

  /** Candidates by their highest possible score. */
  finish(): readonly Candidate[] {
    this.#settle();
    return this.#candidates.sort((a, b) => b.atMost - a.atMost);
  }
}

interface Asked extends SearchedVectors {
  readonly scoring: Scoring;
  readonly scorer: Scorer;
}

/** A row, and the most that it can score. */
interface Row {
  readonly row: number;
  readonly atMost: number;
}

/** Rows that are read at once. */
interface Span {
  readonly first: number;
  count: number;
  /** No row of it scores more. */
  atMost: number;
}

/**
 * Rows that are read together at most, and rows between two that are read along: each read costs as much as
 * some rows.
 */
const mostRead = 16;
const mostBetween = 4;

/** `rows`: ascending. */
function spansOf(rows: readonly Row[]): Span[] {
  const spans: Span[] = [];
  for (const { row, atMost } of rows) {
    const last = spans.at(-1);
    if (last && row - last.first < mostRead && row - last.first - last.count <= mostBetween) {
      last.count = row - last.first + 1;
      last.atMost = Math.max(last.atMost, atMost);
    } else spans.push({ first: row, count: 1, atMost });
  }
  return spans;
}

/** The rows of a candidate that can score `least`, ascending. */
function rowsReaching({ scorer }: Asked, { pick, media, scene, end }: Candidate, least: number): Row[] {
  const ahead = pick.run.row - pick.run.position;
  const first = Math.max(pick.row, ahead + (media.scenes[scene] as number));
  const last = Math.min(pick.row + pick.count, ahead + end);
  const rows: Row[] = [];
  for (let row = first; row < last; row += cellRows) {
    const count = Math.min(cellRows, last - row);
    const scores = scorer.score(row, count, 1);
    for (let at = 0; at < count; at++)
      if (scores[at]! >= least) rows.push({ row: row + at, atMost: scores[at]! });
  }
  return rows;
}

/** Rows of a candidate with their exact scores. */
function scored(
  { fine, scorer, scoring }: Asked,
  { pick, media, scene }: Candidate,
  first: number,
  count: number,
): Scored[] {
  return fine(pick.run, first, count).map((vector, i) => ({
    media,
    position: pick.run.position + first + i - pick.run.row,
    scene,
    score: vector === null ? scorer.one(first + i, 0) : scoreOf(scoring, vector),
  }));
}

/** The best frame of a candidate among those that can score `least`; null where none can. */
function bestFrame(request: Asked, candidate: Candidate, least: number): Scored | null {
  const spans = spansOf(rowsReaching(request, candidate, least));
  let best: Scored | null = null;
  for (const { first, count, atMost } of spans.sort((a, b) => b.atMost - a.atMost)) {
    if (best !== null && atMost < best.score) break;
    request.pause();
    for (const frame of scored(request, candidate, first, count))
      if (best === null || byScore(frame, best) < 0) best = frame;
  }
  return best;
}

/** A question that is ready for the scan. */
interface Prepared {
  readonly scoring: Scoring;
  readonly picks: readonly Pick[];
  readonly most: Most;
  /** Throws when nobody waits for the answer any more. */
  pause(): void;
}

/** The best scenes of each question by their exact scores, or why there is no answer. */
function ranked(at: SearchedVectors, questions: readonly Prepared[]): (Scored[] | Error)[] {
  const scorers = scorersOf(
    at.bank,
    questions.map(({ scoring }) => scoring),
  );
  let query = 0;
  const candidateLists = questions.map((question, i) => {
    const candidates = new Candidates(question, scorers[i]!, query);
    query += queriesOf(question.scoring);
    return candidates;
  });
  const ended = new Map<Prepared, Error>();
  const pause = () => {
    for (const [i, question] of questions.entries()) {
      if (ended.has(question)) continue;
      try {
        question.pause();
      } catch (error) {
        ended.set(question, error as Error);
        candidateLists[i]!.leave();
      }
    }
    if (ended.size === questions.length) throw ended.get(questions[0]!);
  };
  try {
    scan(at.bank, candidateLists, pause);
  } catch (error) {
    if (ended.size < questions.length) throw error;
  }
  return questions.map(
    (question, i) =>
      ended.get(question) ??
      attempt(() =>
        exactly({ ...at, ...question, scorer: scorers[i]! }, candidateLists[i]!.finish(), question.most),
      ),
  );
}

function attempt<T>(run: () => T): T | Error {
  try {
    return run();
  } catch (error) {
    return error as Error;
  }
}

/** The best of the candidates by their exact scores. */
function exactly(request: Asked, candidates: readonly Candidate[], most: Most): Scored[] {
  const step = 8 + Math.ceil(most.matches / 4);
  let best: Scored[] = [];
  let limits = new Limits(best, most);
  for (let first = 0; first < candidates.length; first += step) {
    if (candidates[first]!.atMost < limits.all) break;
    request.pause();
    const frames = candidates
      .slice(first, first + step)
      .flatMap((candidate) => bestFrame(request, candidate, limits.of(candidate.media)) ?? []);
    best = ranking([...best, ...frames], most);
    limits = new Limits(best, most);
  }
  return best;
}

/** The score of the best frame; null of none. */
export function bestScore(at: SearchedVectors, scoring: Scoring): number | null {
  const most = { matches: 1, perVideo: 1 };
  const question = { scoring, picks: at.catalog.picks(everything), most, pause: at.pause };
  return given(ranked(at, [question])[0]!)[0]?.score ?? null;
}

function given<T>(answer: T | Error): T {
  if (answer instanceof Error) throw answer;
  return answer;
}

export interface VisualSearch {
  readonly query: VectorQuery | Scoring;
  readonly scope: FrameScope;
  readonly matches: number;
  readonly perVideo: number;
  /** Called between cells of rows; throws when nobody waits for the answer any more. */
  pause(): void;
}

/** `searched`: frames looked at. */
export interface Answer {
  readonly matches: RankedMatch[];
  readonly searched: number;
}

export function search(
  at: SearchedVectors,
  query: VectorQuery | Scoring,
  scope: FrameScope,
  matches: number,
  perVideo = matches,
): Answer {
  return given(searchAll(at, [{ query, scope, matches, perVideo, pause: at.pause }])[0]!);
}

/**
 * The answers to several searches, the same as one by one, or what ended one. As many as fit are scanned
 * together.
 */
export function searchAll(at: SearchedVectors, searches: readonly VisualSearch[]): (Answer | Error)[] {
  const answers = new Map<VisualSearch, Answer | Error>();
  let together = new Map<VisualSearch, Prepared>();
  let queries = 0;
  const flush = () => {
    const rankings = ranked(at, [...together.values()]);
    for (const [i, [search, { picks }]] of [...together].entries()) {
      const searched = picks.reduce((sum, pick) => sum + pick.count, 0);
      const best = rankings[i]!;
      answers.set(search, best instanceof Error ? best : { matches: grouped(best), searched });
    }
    [together, queries] = [new Map(), 0];
  };
  for (const search of searches) {
    const prepared = attempt(() => prepare(at, search));
    if (prepared instanceof Error) {
      answers.set(search, prepared);
      continue;
    }
    const needed = queriesOf(prepared.scoring);
    if (together.size === mostTogether || queries + needed > maxQueries) flush();
    together.set(search, prepared);
    queries += needed;
  }
  if (together.size > 0) flush();
  return searches.map((search) => answers.get(search)!);
}

/** Sets the queries of the bank. */
function prepare(at: SearchedVectors, { query, scope, matches, perVideo, pause }: VisualSearch): Prepared {
  pause();
  const picks = at.catalog.picks(scope);
  const spread = spreadOver(at.bank, () => sampledRows(picks));
  const scoring = 'bases' in query ? query : scoringOf(query, spread);
  return { scoring, picks, most: { matches, perVideo }, pause };
}
