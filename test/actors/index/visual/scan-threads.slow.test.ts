import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { everything, type RowRun } from '../../../../actors/index/visual/catalog.ts';
import { layoutOf } from '../../../../actors/index/visual/cells.ts';
import { scan } from '../../../../actors/index/visual/scan.ts';
import { type ScanThreadData, states, wordsOf } from '../../../../actors/index/visual/scan-threads.ts';
import { searchAll, type VisualSearch } from '../../../../actors/index/visual/search.ts';
import { RowBank } from '../../../../actors/index/visual/segment.ts';
import { draws } from '../../../shared.ts';
import { until } from '../../../until.ts';
import { randomVector } from '../footage.ts';
import { type Draw, drawer, drawnFilm, drawnLook, drawnSearch } from './drawn-search.ts';
import { type Film, Library } from './library.ts';

const d = 16;

/** One library scanned by one thread and by three, in segments of 16 cells. */
class Twins {
  readonly alone = new Library(d, 1 << 20);
  readonly together = new Library(d, 1 << 20, 3);

  constructor(t: TestContext) {
    t.after(() => this.together.bank.close());
  }

  add(films: readonly Film[]): void {
    for (const at of [this.alone, this.together]) at.add(films);
  }

  forget(hash: string): void {
    for (const at of [this.alone, this.together]) at.forget(hash);
  }

  /** Starts the threads, as the first long pass does, and waits until both take part. */
  async wake(search: VisualSearch): Promise<void> {
    const { threads } = this.together.bank;
    await until(() => {
      searchAll(this.together, [search]);
      return threads.ready === 2;
    });
  }

  check(searches: readonly VisualSearch[], what: string): void {
    assert.deepEqual(searchAll(this.together, searches), searchAll(this.alone, searches), what);
  }
}

/** All of them: more than 66,000 frames. */
function drawnFilms(draw: Draw, count = 6000): Film[] {
  const looks = Array.from({ length: 40 }, () => drawnLook(draw, d));
  return Array.from({ length: count }, (_, i) => drawnFilm(draw, `${draw.whole(1000)}-${i}`, looks));
}

const plain = (draw: Draw): VisualSearch => ({
  query: { text: randomVector(d, draw.random), pictures: [], textWeight: 1, exclude: [] },
  ...{ scope: everything, matches: 50, perVideo: 50, pause: () => {} },
});

test('several threads answer what one answers, while rows come, go and lie in more memories', async (t) => {
  const draw = drawer(1);
  const twins = new Twins(t);
  const films = drawnFilms(draw);
  twins.add(films);
  assert.ok(twins.alone.catalog.vectors > 70_000);
  await twins.wake(plain(draw));
  for (let round = 0; round < draws(4); round++) {
    twins.check([plain(draw)], `one, round ${round}`);
    const searches = Array.from({ length: 1 + draw.whole(16) }, () => drawnSearch(draw, twins.alone));
    twins.check([plain(draw), ...searches], `together, round ${round}`);
    for (const { hash } of films) if (draw.chance(0.1)) twins.forget(hash);
    twins.add(drawnFilms(draw, 700));
  }
  const more = Number.MAX_SAFE_INTEGER;
  twins.check(
    [{ ...plain(draw), matches: more, perVideo: more }],
    'every scene: the rings are full again and again',
  );
});

test('a pass that nobody waits for ends, the next one is whole, and threads end with the rows', async (t) => {
  const draw = drawer(2);
  const twins = new Twins(t);
  twins.add(drawnFilms(draw));
  const search = plain(draw);
  await twins.wake(search);
  const gone = new Error('nobody waits');
  let looks = 0;
  const pause = () => {
    if (++looks === 9) throw gone;
  };
  const [left, stays] = searchAll(twins.together, [{ ...search, pause }, search]);
  assert.equal(left, gone);
  assert.deepEqual(stays, searchAll(twins.alone, [search])[0]);
  looks = 0;
  assert.deepEqual(searchAll(twins.together, [{ ...search, pause }]), [gone]);
  assert.equal(looks, 9);
  twins.check([search], 'after one that was given up');
  await twins.together.bank.close();
  twins.check([search], 'without threads');
  assert.equal(twins.together.bank.threads.running, 0);
});

test('memory of rows that are given up is not held beyond the next libraries', async () => {
  const rows = 200_000;
  const libraries = draws(12);
  const before = process.memoryUsage.rss();
  const peaks: number[] = [];
  for (let i = 0; i < libraries; i++) {
    const bank = new RowBank(512, 1 << 28, 2);
    bank.expect(rows);
    const { row, count } = bank.allocate(rows);
    bank.fill(row, count, (bytes) => bytes.fill(3));
    bank.setQueries([new Float32Array(512).fill(1)]);
    const asking = {
      picks: [{ run: {} as RowRun, row, count }],
      query: 0,
      lanes: 1,
      threshold: 2,
      take: () => {},
    };
    scan(bank, [asking], () => {});
    await until(() => bank.threads.ready === 1);
    scan(bank, [asking], () => {});
    peaks.push(process.memoryUsage.rss() - before);
    await bank.close();
    await until(() => process.memoryUsage.rss() - before < 2 * bank.memoryBytes);
  }
  assert.ok(Math.max(...peaks) < 4 * 516 * rows, `${peaks}`);
});

test('a thread that is woken without a pass waits on', async () => {
  const control = new SharedArrayBuffer(64);
  const workerData: ScanThreadData = {
    ...{ layout: layoutOf(32, 36, 1024, 2), thread: 1, control },
    ring: new SharedArrayBuffer(12),
  };
  const words = new Int32Array(control);
  const { state } = wordsOf(1);
  const module = new URL('../../../../actors/index/visual/scan-thread.ts', import.meta.url);
  const exited = once(new Worker(module, { workerData }), 'exit');
  for (const _ of [1, 2]) await until(() => Atomics.notify(words, state) === 1);
  Atomics.store(words, state, states.ending);
  Atomics.notify(words, state);
  assert.deepEqual(await exited, [0]);
});
