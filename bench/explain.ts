// Is `strong` right? The queries of the table of starter-words, on which no threshold was chosen; their right
// answers are known. Each is asked again with every right picture taken out: then nothing should be strong.
// See docs/measurements.md.
import { queryVector } from '../actors/models/starter/query/vector.ts';
import { explanations } from '../actors/search/visual/bands.ts';
import { filmLibrary, pictureLibrary, ranking, standingOf } from './explain/library.ts';
import { median, type Question, type Row } from './row.ts';
import { sized } from './size.ts';
import { look } from './starter/model.ts';
import { otherQueries } from './starter/other-queries.ts';
import type { Picture } from './starter/picture.ts';
import { judged, queries, type TestQuery } from './starter/queries.ts';
import { spreadOfShare, wilson } from './starter/ranking.ts';
import { drawn, photographs } from './starter/table.ts';

const question = 'explain';
const EACH = sized(2, 1);
/** Matches of an answer that are counted. */
const ANSWERED = 50;
/**
 * For choosing: three of each kind with another seed, the half of the photographs that the model is fitted
 * on, other words.
 */
const chosenOn = { each: 3, seed: 700_000 };
/** With this the bands are looked at as they were chosen. */
const isChoosing = process.env['FRAMEHOUND_BENCH_HALF'] === 'fit';

interface Answered {
  readonly query: string;
  /** Best first; `is`: null for a picture that counts neither way. */
  readonly matches: readonly { readonly is: 0 | 1 | null; readonly isStrong: boolean }[];
}

interface Seen {
  readonly picture: Picture;
  readonly vector: Float32Array;
}

export const explain: Question = async (say) => {
  const photos = await photographs(isChoosing ? 'fit' : 'table');
  if (photos.length === 0) say('FRAMEHOUND_BENCH_PICTURES names no folder of photographs: drawings alone');
  const drawings = await (isChoosing ? drawn(chosenOn.each, chosenOn.seed) : drawn(EACH));
  const pictures = [...drawings, ...photos];
  const { vectors } = await look(pictures);
  const examples = pictures.map((picture, i): Seen => ({ picture, vector: vectors[i]! }));
  const testQueries = isChoosing ? otherQueries : queries;
  say(`${pictures.length} pictures, ${photos.length} of them photographs; ${testQueries.length} queries`);
  const sets: Readonly<Record<string, readonly Seen[]>> = {
    all: examples,
    'drawings alone': examples.slice(0, drawings.length),
    ...(photos.length > 0 && { 'photographs alone': examples.slice(drawings.length) }),
  };
  const rows = Object.entries(sets).flatMap(([name, set]) => rowsOf(name, set, testQueries, say));
  return [...rows, cost(vectors)];
};

function rowsOf(
  name: string,
  set: readonly Seen[],
  testQueries: readonly TestQuery[],
  say: (text: string) => void,
): Row[] {
  const of = (query: TestQuery, isTaken: boolean) => answered(query, set, isTaken);
  const present = testQueries
    .map((query) => of(query, false))
    .filter(({ matches }) => matches.some(({ is }) => is === 1));
  const absent = testQueries.map((query) => of(query, true));
  for (const { query, matches } of present) {
    const strong = matches.filter(({ is, isStrong }) => isStrong && is !== null);
    const wrong = strong.filter(({ is }) => is === 0).length;
    if (wrong > 0) say(`${name}: "${query}" ${wrong} of ${strong.length} strong ones are wrong`);
  }
  const firsts = present.flatMap(({ matches }) => matches.find(({ is }) => is !== null) ?? []);
  const strong = firsts.filter(({ isStrong }) => isStrong);
  const right = firsts.filter(({ is }) => is === 1);
  const pooled = present.map(({ matches }) => {
    const counted = matches.filter(({ is, isStrong }) => isStrong && is !== null);
    return [counted.filter(({ is }) => is === 1).length, counted.length] as const;
  });
  const total = pooled.reduce((sum, [, of]) => sum + of, 0);
  const strongAnswers = absent.filter(({ matches }) => matches[0]?.isStrong);
  const goal = { of: 'value', at: 'least', than: 0.9 } as const;
  const share = (what: string, some: number, of: number, [low, high]: readonly [number, number]) => ({
    ...{
      question,
      name: `${name}: ${what}, ${some} of ${of} (5-95 %: ${low.toFixed(2)}-${high.toFixed(2)})`,
    },
    ...{ value: of === 0 ? 0 : some / of, unit: '', against: null, ratio: null },
  });
  const rightOf = strong.filter(({ is }) => is === 1).length;
  const strongOf = right.filter(({ isStrong }) => isStrong).length;
  const rights = pooled.reduce((sum, [some]) => sum + some, 0);
  return [
    {
      ...share('strong first matches that are right', rightOf, strong.length, wilson(rightOf, strong.length)),
      goal,
    },
    { ...share('strong ones of the first 50 that are right', rights, total, spreadOfShare(pooled)), goal },
    {
      ...share('right first matches that are strong', strongOf, right.length, wilson(strongOf, right.length)),
      goal: null,
    },
    {
      ...share(
        'queries with a strong match when no picture is right',
        strongAnswers.length,
        absent.length,
        wilson(strongAnswers.length, absent.length),
      ),
      goal: { of: 'value', at: 'most', than: 0.2 },
    },
  ];
}

function answered(query: TestQuery, set: readonly Seen[], isTaken: boolean): Answered {
  const { vector, parts, unknownWords: unknown, weakWords: weak, understood } = queryVector(query.query);
  const of = ({ picture }: Seen) => judged(query, picture.tags, picture.maybe);
  const candidates = isTaken ? set.filter((example) => of(example) === 0) : set;
  if (!understood) return { query: query.query, matches: [] };
  const library = pictureLibrary(candidates.map((example) => example.vector));
  const best = ranking(library, vector, ANSWERED);
  const words = {
    parts: parts.map(({ negated, isSure, isWeak }) => ({ negated, is_sure: isSure, is_weak: isWeak })),
    unknown,
    weak,
    understoodExcluded: [],
  };
  const standing = standingOf(library, { text: vector, words: parts.map((part) => part.vector) }, best);
  const explained = explanations(
    { model_key: 'starter-visual-3', words, exclude: [], things: null },
    standing,
  );
  const matches = best.map((at, i) => ({
    is: of(candidates[at]!),
    isStrong: explained[i]!.band === 'strong',
  }));
  return { query: query.query, matches };
}

/** Explaining the fifty matches of a query that was not asked before. */
function cost(vectors: readonly Float32Array[]): Row {
  const library = filmLibrary(vectors, 100, sized(3600, 36));
  const positions = Array.from({ length: ANSWERED }, (_, i) => i * sized(7000, 70));
  const asks = [
    'green grass under a blue sky',
    'red stripes',
    'snow and blue sky',
    'stars at night',
    'grey stone',
  ];
  const times = asks.map((text) => {
    const { vector, parts } = queryVector(text);
    const start = performance.now();
    standingOf(library, { text: vector, words: parts.map((part) => part.vector) }, positions);
    return performance.now() - start;
  });
  return {
    ...{ question, name: '50 matches of two words, 360,000 frames', value: median(times), unit: 'ms' },
    ...{ against: null, ratio: null, goal: { of: 'value', at: 'most', than: 20 } },
  };
}
