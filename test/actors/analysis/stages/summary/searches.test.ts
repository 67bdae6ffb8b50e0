// Visual searches while summaries are made, and after it, however that ends.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Concepts } from '../../../../../actors/analysis/stages/summary/evidence.ts';
import { searchErrors, TextSearch } from '../../../../../actors/search/contract.ts';
import { filled } from '../../../../filled.ts';
import { until } from '../../../../until.ts';
import { type Engine, summaryEngine, summaryOf } from './summary-engine.ts';

/** Each fills a batch of the model: the frames of a smaller one would wait for those of the next. */
const films = [
  { name: 'a', frames: 4 },
  { name: 'b', frames: 4 },
];

const question = (cache_dir: string) => filled(TextSearch, { cache_dir, query: 'four', search_all: true });

async function answers({ w, cache_dir }: Engine): Promise<void> {
  await w.search.load(cache_dir);
  const { matches } = await w.search.text(question(cache_dir));
  assert.ok(matches.length > 0);
}

async function refuses({ w, cache_dir }: Engine): Promise<void> {
  const search = w.search.text(question(cache_dir));
  await assert.rejects(search, (error) => searchErrors.SUMMARY_RUNNING.is(error));
}

/** Opens at the latest before the engine stops, which waits for what is held. */
function gateOf(t: TestContext): PromiseWithResolvers<void> {
  const gate = Promise.withResolvers<void>();
  t.after(() => gate.resolve());
  return gate;
}

/** An engine whose summarizer waits before it writes, and what lets it go on. */
async function writing(t: TestContext) {
  const gate = gateOf(t);
  const e = await summaryEngine(t, [{ name: 'a', frames: 4 }]);
  e.summarizer.hold = { write: gate.promise };
  await e.begin(summaryOf(e.w.paths));
  await until(() => e.summarizer.heard.some((one) => one.startsWith('write')));
  await refuses(e);
  return { e, goOn: gate.resolve };
}

test('visual searches are refused while a summary is made, and answered again after it', async (t) => {
  const { e, goOn } = await writing(t);
  goOn();
  assert.equal(await e.end(), 'completed');
  await answers(e);
});

test('they are answered after a cancel in the midst of it', async (t) => {
  const { e, goOn } = await writing(t);
  await e.tasks.cancel();
  assert.equal(await e.end(), 'cancelled');
  await answers(e);
  goOn();
});

test('they are answered after the summarizer ended again and again', async (t) => {
  const { e, goOn } = await writing(t);
  e.summarizer.crashes['write'] = 2;
  goOn();
  assert.equal(await e.end(), 'completed');
  assert.equal(e.summaries.stored.size, 0);
  await answers(e);
});

test('they are refused from the first summary to the last, also while the next file is analysed', async (t) => {
  const gate = gateOf(t);
  const e = await summaryEngine(t, films);
  const { state } = e.w;
  // Either may come first: the one decoder reads the second when it is done with the first.
  const hold = () => (state.decoded.length > 1 ? gate.promise : Promise.resolve());
  Object.defineProperty(state, 'hold', { get: hold });
  await e.begin(summaryOf(e.w.paths));
  const made = () => e.events.filter((event) => event.type === 'result' && event.result.type === 'summary');
  await until(() => made().length === 1);
  await refuses(e);
  gate.resolve();
  assert.equal(await e.end(), 'completed');
  assert.equal(e.summaries.stored.size, 2);
  await answers(e);
});

test('they are answered after the last summary, while the task analyses what is not summarised', async (t) => {
  const gate = gateOf(t);
  const e = await summaryEngine(t, films);
  await e.run({ visual_media_paths: e.w.paths.slice(0, 1) });
  e.w.state.hold = gate.promise;
  const summary_requests = summaryOf(e.w.paths.slice(0, 1)).summary_requests ?? [];
  await e.begin({ visual_media_paths: e.w.paths, summary_requests });
  await until(() => e.summaries.stored.size === 1 && !e.w.analysis.summarizing);
  await answers(e);
  gate.resolve();
  assert.equal(await e.end(), 'completed');
});

test('between files that wait for nothing they are refused', async (t) => {
  const e = await summaryEngine(t, films);
  await e.run({ visual_media_paths: e.w.paths });
  const seen: boolean[] = [];
  e.tasks.subscribe((_, event) => {
    if (event.type === 'result' || event.type === 'file') seen.push(e.w.analysis.summarizing);
  });
  const { visual_media_paths: _, ...asked } = summaryOf(e.w.paths);
  assert.equal((await e.run(asked)).state, 'completed');
  assert.ok(seen.length >= 2);
  assert.ok(!seen.slice(1).includes(false), seen.join());
});

const dimensions = 4;

/** Pictures of the library as each summary finds it, and those that the summarizer was told of. */
async function toldOf(library: readonly number[]): Promise<(number | null)[]> {
  const told: number[] = [];
  let stored = 0;
  const summarizer = {
    ask: async (message: string, asked: { pictures?: Float32Array }) => {
      if (message === 'has_concepts') return { present: told.length > 0, named: true };
      if (message === 'concept_phrases') return { phrases: [] };
      told.push(asked.pictures!.length / dimensions);
      return {};
    },
  };
  const index = {
    ask: async (_: string, { most }: { most: number }) => {
      const pictures = Math.min(most, stored);
      return {
        dimensions: pictures === 0 ? 0 : dimensions,
        vectors: new Float32Array(pictures * dimensions),
      };
    },
  };
  const concepts = new Concepts({ summarizer, index } as never, '/library');
  const each: (number | null)[] = [];
  for (stored of library) {
    const before = told.length;
    await concepts.prepare('m', dimensions, {});
    each.push(told.length > before ? told.at(-1)! : null);
  }
  return each;
}

test('a small library is looked at again when the task has filled it by a quarter', async () => {
  assert.deepEqual(await toldOf([14, 15, 17, 18, 90, 100]), [14, null, null, 18, 90, null]);
});

test('a library that fills the sample is looked at once in a task', async () => {
  assert.deepEqual(await toldOf([5000, 9000, 90_000]), [4096, null, null]);
});

test('an empty library names nothing until there are pictures', async () => {
  assert.deepEqual(await toldOf([0, 0, 3]), [null, null, 3]);
});
