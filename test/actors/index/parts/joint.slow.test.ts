import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partOf } from '../../../../actors/index/parts/hold.ts';
import {
  type AskSamples,
  jointBackgrounds,
  jointRanking,
  jointScoring,
} from '../../../../actors/index/parts/joint.ts';
import { narrowedTo, scopeWithin } from '../../../../actors/index/parts/narrowed.ts';
import {
  backgroundOf,
  sampledRows,
  sampleOf,
  spreadOver,
} from '../../../../actors/index/visual/background.ts';
import { scorerOf } from '../../../../actors/index/visual/scan.ts';
import { scoringOf } from '../../../../actors/index/visual/scoring.ts';
import { search } from '../../../../actors/index/visual/search.ts';
import { draws } from '../../../shared.ts';
import { type Draw, drawer, drawnFilm, drawnLook, drawnSearch } from '../visual/drawn-search.ts';
import { type Film, Library } from '../visual/library.ts';

test('contents are spread evenly over parts, and every content has one', () => {
  for (const all of [1, 2, 5, 16]) {
    const counts = Array.from({ length: all }, () => 0);
    for (let i = 0; i < 4000; i++) counts[partOf(`${(i * 2_654_435_761) % 2 ** 32}-${i}`, all) - 1]!++;
    for (const count of counts) assert.ok(Math.abs(count - 4000 / all) < 800 / Math.sqrt(all), `${counts}`);
  }
});

/** The same films, damaged at the same frames; `piece`: rows of one that lie together. */
function libraryOf(films: readonly Film[], d: number, piece: number, damaged: ReadonlySet<string>): Library {
  const at = new Library(d, 1 << 14);
  at.add(films, piece);
  for (const { run, row, count } of at.catalog.picks({ hashes: null, ranges: {} }))
    for (let i = 0; i < count; i++)
      if (damaged.has(`${run.media.hash}@${run.position + row + i - run.row}`)) at.damage(row + i);
  return at;
}

function drawnFilms(draw: Draw, d: number): { films: Film[]; damaged: Set<string> } {
  const looks = Array.from({ length: 4 }, () => drawnLook(draw, d));
  const count = 1 + draw.whole(draw.one([6, 30, 80]));
  const films = Array.from({ length: count }, (_, i) =>
    drawnFilm(draw, `${draw.whole(1000).toString(16)}${i}`, looks),
  );
  const damaged = films.flatMap(({ hash, vectors }) =>
    [...vectors.keys()].filter(() => draw.chance(0.01)).map((position) => `${hash}@${position}`),
  );
  return { films, damaged: new Set(damaged) };
}

/** Throws where parts of this draw differ from the whole. */
async function checkParts(seed: number): Promise<void> {
  const draw = drawer(seed);
  const d = draw.one([3, 16, 33]);
  const { films, damaged } = drawnFilms(draw, d);
  const whole = libraryOf(films, d, draw.one([1, 20, 1e9]), damaged);
  const of = 1 + draw.whole(5);
  const parts = Array.from({ length: of }, (_, i) => {
    const own = films.filter(({ hash }) => partOf(hash, of) === i + 1);
    return libraryOf(own, d, draw.one([3, 1e9]), damaged);
  });
  const { query, scope, matches, perVideo } = drawnSearch(draw, whole);
  const narrowed = narrowedTo(whole.catalog, scope, of);
  const total = narrowed.reduce((sum, { frames }) => sum + frames, 0);
  const scopes = narrowed.map(({ within }) => scopeWithin(within));
  const ask: AskSamples = async (scorings) =>
    parts.map(({ bank, catalog }, i) => {
      const rows = sampledRows(catalog.picks(scopes[i]!), total);
      return scorings.map((one) => sampleOf(bank, rows, one));
    });
  const scoring = await jointScoring(query, ask);
  const rows = sampledRows(whole.catalog.picks(scope));
  const spread = spreadOver(whole.bank, () => rows);
  assert.deepEqual(scoring, scoringOf(query, spread), `scoring, seed ${seed}`);
  const answers = parts.map((part, i) => search(part, scoring, scopes[i]!, matches, perVideo));
  const expected = search(whole, query, scope, matches, perVideo);
  const found = jointRanking(
    answers.map((answer) => answer.matches),
    matches,
  );
  assert.deepEqual(found, expected.matches, `seed ${seed}`);
  assert.deepEqual(
    answers.map(({ searched }) => searched),
    narrowed.map(({ frames }) => frames),
  );
  assert.equal(total, expected.searched);
  const [background] = await jointBackgrounds([scoring], ask);
  const scorer = scorerOf(whole.bank, scoring);
  assert.deepEqual(background, backgroundOf(rows, scorer), `background, seed ${seed}`);
}

test('property: parts answer together, byte for byte, what one engine with the whole library answers', async () => {
  for (let seed = 0; seed < draws(300); seed++) await checkParts(seed);
});
