// How well does starter-visual find pictures by words within its powers? Drawings in two ways, patterns, and
// photographs where FRAMEHOUND_BENCH_PICTURES names their folder; see docs/measurements.md. Nothing of this
// half was fitted on.
import { queryVector } from '../actors/models/starter/query/vector.ts';
import type { Question, Row } from './row.ts';
import { sized } from './size.ts';
import { dot, look } from './starter/model.ts';
import type { Picture } from './starter/picture.ts';
import { judged, queries, type TestQuery } from './starter/queries.ts';
import { byChance, mean, type Ranked, ranked, spread } from './starter/ranking.ts';
import { drawn, photographs } from './starter/table.ts';

const EACH = sized(2, 1);
const question = 'starter-words';
/** Queries for which a test pattern must not come first. */
const closeUps = ['close-up', 'close-up of a face', 'macro', 'close up of skin', 'portrait', 'face', 'hands'];

interface Answered extends TestQuery {
  readonly got: Ranked;
  readonly chance: Ranked;
  /** Names of the first three. */
  readonly first: readonly string[];
}

export const starterWords: Question = async (say) => {
  const photos = await photographs('table');
  if (photos.length === 0) say('FRAMEHOUND_BENCH_PICTURES names no folder of photographs: drawings alone');
  const pictures = [...(await drawn(EACH)), ...photos];
  say(`${pictures.length} pictures, ${photos.length} of them photographs`);
  const { vectors } = await look(pictures);
  const answers = queries.flatMap((query) => answer(query, pictures, vectors) ?? []);
  const photoVectors = vectors.slice(-photos.length);
  const ofTaken =
    photos.length === 0 ? [] : queries.flatMap((query) => answer(query, photos, photoVectors) ?? []);
  for (const { kind, query, got, first } of answers) {
    say(
      `${kind}: "${query}" precision ${got.precision.toFixed(2)}${got.hit1 ? '' : `, first ${first.join('; ')}`}`,
    );
  }
  const kinds = [...new Set(answers.map(({ kind }) => kind))];
  const rows = kinds.flatMap((kind) =>
    rowsOf(
      kind,
      answers.filter((result) => result.kind === kind),
    ),
  );
  return [
    ...rowsOf('all', answers),
    ...rows,
    ...(ofTaken.length > 0 ? rowsOf('photographs alone', ofTaken) : []),
    testPatterns(pictures, vectors),
  ];
};

function scores(query: string, vectors: readonly Float32Array[]): number[] {
  const { vector } = queryVector(query);
  return vectors.map((pictureVector) => dot(pictureVector, vector));
}

/** Null when no picture shows what is asked. */
function answer(
  query: TestQuery,
  pictures: readonly Picture[],
  vectors: readonly Float32Array[],
): Answered | null {
  const score = scores(query.query, vectors);
  const counted = pictures
    .map(({ name, tags, maybe }, i) => ({ name, score: score[i]!, is: judged(query, tags, maybe) }))
    .filter(({ is }) => is !== null)
    .toSorted((a, b) => b.score - a.score);
  const right = counted.map(({ is }) => is === 1);
  const total = right.filter(Boolean).length;
  if (total === 0) return null;
  const first = counted.slice(0, 3).map(({ name }) => name);
  return { ...query, got: ranked(right), chance: byChance(total, counted.length), first };
}

const measures = { 'hit@1': 'hit1', 'hit@3': 'hit3', 'mean average precision': 'precision' } as const;

function rowsOf(kind: string, answers: readonly Answered[]): Row[] {
  return Object.entries(measures).map(([name, measure]) => {
    const values = answers.map(({ got }) => got[measure]);
    const [low, high] = spread(values);
    const chance = mean(answers.map((result) => result.chance[measure]));
    return {
      question,
      name: `${kind}: ${name}, ${answers.length} queries (5-95 %: ${low.toFixed(2)}-${high.toFixed(2)})`,
      value: mean(values),
      unit: '',
      against: { name: 'chance', value: chance },
      ratio: mean(values) / chance,
      goal: kind === 'all' && measure === 'hit1' ? { of: 'value', at: 'least', than: 0.75 } : null,
    };
  });
}

function testPatterns(pictures: readonly Picture[], vectors: readonly Float32Array[]): Row {
  const won = closeUps.filter((query) => {
    const score = scores(query, vectors);
    const best = score.indexOf(Math.max(...score));
    return pictures[best]!.tags.includes('test pattern');
  });
  return {
    question,
    name: `test patterns that come first for close-ups${won.map((query) => `, "${query}"`).join('')}`,
    value: won.length,
    unit: `of ${closeUps.length}`,
    against: null,
    ratio: null,
    goal: { of: 'value', at: 'most', than: 0 },
  };
}
