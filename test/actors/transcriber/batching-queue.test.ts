import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { modelErrors } from '../../../actors/models/contract.ts';
import { BatchingQueue, type WindowJob } from '../../../actors/transcriber/batching-queue.ts';
import type { SpeechWindow, WindowTranscript } from '../../../actors/transcriber/family.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { until } from '../../until.ts';
import { windowOf } from './open-family.ts';

const MOST_TURNS = 10_000;

/** A window that is known by its only sample. */
const window = (number: number) => windowOf(Float32Array.of(number));
/** Ends only by what `step` throws. */
async function endless(step: () => Promise<void>): Promise<void> {
  for (let steps = 0; steps < MOST_TURNS; steps += 1) await step();
  throw new Error('nobody ended the window');
}
const numbersOf = (windows: readonly SpeechWindow[]) => windows.map(({ samples }) => samples[0]!);
const transcriptOf = (number: number): WindowTranscript => ({
  pieces: [{ text: ` ${number}`, start: 0, end: 1 }],
  language: null,
});

interface Fake {
  /** Runs so far: the numbers of their windows. */
  readonly runs: number[][];
  readonly queue: BatchingQueue;
  readonly told: string[];
  add(owner: object, number: number, language?: string | null, model_key?: string): void;
  job(owner: object, number: number, language: string | null, model_key: string): WindowJob;
  stop(): void;
}

/** A model of two windows that cannot take window 13, and never ends 99 by itself. Only `here` is loaded. */
function fake(limit = 2): Fake {
  const runs: number[][] = [];
  const texts: string[] = [];
  let stopped = false;
  const checkpoint = async () => {
    await eventLoopTurn();
    if (stopped) throw engineErrors.CANCELLED('stops');
  };
  const queue = new BatchingQueue({
    withModel: async (key, work) => {
      if (key !== 'here') throw modelErrors.MODEL_NOT_LOADED(key);
      await work(2, async (windows, _asked, go) => {
        const numbers = numbersOf(windows);
        runs.push(numbers);
        await go();
        if (numbers.includes(13)) throw modelErrors.MODEL_RUN_FAILED('13');
        if (numbers.includes(99)) await endless(go);
        return numbers.map(transcriptOf);
      });
    },
    checkpoint,
    limit,
  });
  const job = (owner: object, number: number, language: string | null, model_key: string): WindowJob => ({
    owner,
    model_key,
    output: 'text',
    follows: false,
    language,
    window: window(number),
    done: ({ pieces }) => texts.push(`${number}:${pieces[0]?.text.trim()}`),
    failed: (error) =>
      texts.push(`${number}:${error instanceof Error && 'code' in error ? error.code : error}`),
  });
  return {
    runs,
    queue,
    told: texts,
    job,
    add: (owner, number, language = null, model_key = 'here') =>
      queue.add(job(owner, number, language, model_key)),
    stop: () => {
      stopped = true;
    },
  };
}

test('windows with the same model and language run in one batch, in order', async () => {
  const { queue, runs, told, add } = fake();
  const [a, b] = [{}, {}];
  add(a, 1);
  add(a, 2, 'de');
  add(b, 3);
  add(b, 4, 'de');
  add(a, 5);
  await queue.idle();
  assert.deepEqual(runs, [[1, 3], [2, 4], [5]]);
  assert.deepEqual(told, ['1:1', '3:3', '2:2', '4:4', '5:5']);
  add(a, 6);
  await queue.idle();
  assert.deepEqual(told.at(-1), '6:6');
});

test('a window that fails is run alone, and so are the others of its batch', async () => {
  const { queue, runs, told, add } = fake();
  add({}, 13);
  add({}, 1);
  add({}, 2);
  await queue.idle();
  assert.deepEqual(runs, [[13, 1], [13], [1], [2]]);
  assert.deepEqual(told, ['13:MODEL_RUN_FAILED', '1:1', '2:2']);
});

test('an owner that throws fails alone, and no window runs twice', async () => {
  const { queue, runs, told, add, job } = fake();
  add({}, 1);
  queue.add({
    ...job({}, 2, null, 'here'),
    done: () => {
      throw new RangeError('no place for it');
    },
  });
  await queue.idle();
  assert.deepEqual(runs, [[1, 2]]);
  assert.deepEqual(told, ['1:1', '2:RangeError: no place for it']);
});

test('all windows of a model that is not loaded fail, those of another do not', async () => {
  const { queue, told, add } = fake();
  add({}, 1, 'de', 'gone');
  add({}, 2, null, 'gone');
  add({}, 3);
  await queue.idle();
  assert.deepEqual(told, ['1:MODEL_NOT_LOADED', '2:MODEL_NOT_LOADED', '3:3']);
});

test('a dropped owner gets no answer, and a batch only of its windows ends', async () => {
  const { queue, runs, told, add } = fake();
  const [a, b] = [{}, {}];
  add(a, 99);
  add(a, 1);
  add(a, 2);
  await until(() => runs.length > 0);
  add(b, 3);
  queue.drop(a);
  add(a, 4);
  await queue.idle();
  assert.deepEqual([runs, told], [[[99, 1], [3]], ['3:3']]);
});

test('waiting for room ends when few enough windows wait, or with the signal', async () => {
  const { queue, runs, add, told } = fake(1);
  const [endless, other] = [{}, {}];
  const stop = new AbortController();
  let signs = 0;
  const alive = () => {
    signs += 1;
  };
  const turn = { signal: stop.signal, alive };
  await queue.waitForRoom(turn);
  add(endless, 99);
  await until(() => runs.length > 0);
  add(other, 1);
  await queue.waitForRoom(turn);
  assert.equal(signs, 0);
  add(other, 2);
  let free = false;
  const waiting = queue.waitForRoom({ ...turn, signal: new AbortController().signal }).then(() => {
    free = true;
  });
  const cancelled = assert.rejects(queue.waitForRoom(turn), engineErrors.CANCELLED.is);
  // The model is at work on another window all the time.
  await until(() => signs >= 4);
  stop.abort();
  await cancelled;
  assert.equal(free, false);
  queue.drop(endless);
  await waiting;
  await queue.idle();
  assert.deepEqual(told, ['1:1', '2:2']);
});

test('when the actor stops, running and waiting windows fail as cancelled', async () => {
  const { queue, runs, told, add, stop } = fake();
  add({}, 99);
  add({}, 1, 'de');
  await until(() => runs.length > 0);
  stop();
  await queue.idle();
  assert.deepEqual(told, ['99:CANCELLED', '1:CANCELLED']);
});
