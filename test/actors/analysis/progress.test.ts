import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { mostUnfinished, ProgressModel, type TaskProgress } from '../../../actors/analysis/progress.ts';
import { amountFields, kindOf, progressFrom } from '../../../actors/analysis/result.ts';
import { measured } from '../../../actors/analysis/stages/kind.ts';
import { stageKinds } from '../../../actors/analysis/stages/kinds.ts';
import type { TaskSnapshot } from '../../../actors/analysis/tasks/contract.ts';
import { createRunTally, newTask } from '../../../actors/analysis/tasks/run-tally.ts';
import type { MediaRecord } from '../../../actors/index/store/contract.ts';
import { taskLine } from '../../../cli/progress-view.ts';
import { advance, newRun, stateOf } from '../../../events/payload.ts';

const types = measured(stageKinds).map(({ type }) => type);
type Type = (typeof types)[number];
const outcomes = ['analyzed', 'stored', 'not_applicable', 'failed', 'cancelled'] as const;

function mediaOf(path: string, seconds: number): MediaRecord {
  return { path, probe: { grid_frames: Math.floor(seconds), duration_seconds: seconds } } as MediaRecord;
}

/**
 * One piece of work: how long its file is, in which parts it is done, whether it is taken back, how it ends.
 */
const piece = fc.record({
  type: fc.constantFrom<Type>(...types),
  seconds: fc.integer({ min: 0, max: 5000 }).map((n) => n / 7),
  surveyed: fc.boolean(),
  steps: fc.array(
    fc.integer({ min: 0, max: 10 }).map((n) => n / 10),
    { maxLength: 4 },
  ),
  retried: fc.boolean(),
  /** Shares of it that an earlier run and, when it is retried, the first attempt kept. */
  taken: fc.integer({ min: 0, max: 10 }).map((n) => n / 10),
  kept: fc.integer({ min: 0, max: 10 }).map((n) => n / 10),
  /** Some of its frames cannot be decoded. */
  gaps: fc.boolean(),
  outcome: fc.constantFrom(...outcomes),
});
type Piece = typeof piece extends fc.Arbitrary<infer P> ? P : never;

/** Steps of the work on a piece, in order. */
function* stepsOf(model: ProgressModel, of: Piece, path: string): Generator<void> {
  const media = mediaOf(path, of.seconds);
  const { unit } = kindOf(stageKinds, of.type);
  const isCounted = unit?.measure === 'count';
  const amount = unit?.amountOf(media) ?? 0;
  // That there is nothing of the kind may turn out while it is worked on.
  const begun = of.surveyed && of.outcome !== 'stored';
  if (begun) {
    model.begin(of.type, media);
    yield;
    const share = (of: number, all: number) => (isCounted ? Math.floor(of * all) : of * all);
    const before = share(of.taken, amount);
    let done = before;
    if (before > 0) model.takenUp(of.type, media, before);
    yield;
    for (const step of of.steps) {
      const part = share(step, amount - done);
      done += part;
      model.worked(of.type, media, part);
      yield;
    }
    if (of.retried) {
      // The second attempt finds more than was told as kept, or nothing at all.
      const kept = share(of.kept, done - before);
      model.worked(of.type, media, kept - (done - before));
      yield;
      done = of.kept < 0.3 ? 0 : before + kept;
      assert.equal(model.takenUp(of.type, media, done).done, done);
      yield;
    }
    if (of.outcome === 'analyzed' && !of.gaps) model.worked(of.type, media, amount - done);
  }
  const known = begun || of.outcome === 'stored' || of.outcome === 'not_applicable';
  model.end(of.type, { path, outcome: of.outcome, media: known ? media : undefined });
}

/** Every state that is told while the pieces are worked on side by side, in the order that `turns` says. */
function tell(pieces: readonly Piece[], turns: readonly number[], see: (progress: TaskProgress) => void) {
  const files = Object.fromEntries(
    types.map((type) => [type, pieces.filter((of) => of.type === type).length]),
  );
  const model = new ProgressModel(stageKinds, { files });
  const left = pieces.map((of, i) => stepsOf(model, of, `/${i}`));
  let elapsed = 0;
  const look = () => {
    elapsed += 0.5;
    see(model.view(elapsed));
  };
  look();
  for (let at = 0; left.length > 0; at++) {
    const which = (turns[at % turns.length] ?? 0) % left.length;
    if (left[which]!.next().done) left.splice(which, 1);
    // Every file is known at the latest when the last one is worked on.
    if (left.length <= 1) for (const type of types) model.surveyed(type);
    look();
  }
}

const turns = fc.array(fc.nat(50), { minLength: 1, maxLength: 20 });

test('whatever happens to the files, the percentage never goes back and the amounts are true', () => {
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), turns, (pieces, order) => {
      let before: TaskProgress | undefined;
      tell(pieces, order, (now) => {
        assert.ok(now.percentage >= (before?.percentage ?? 0), `${before?.percentage} -> ${now.percentage}`);
        assert.ok(now.percentage >= 0 && now.percentage <= 100);
        assert.ok(now.files_done >= (before?.files_done ?? 0) && now.files_done <= now.files);
        const left = now.estimated_remaining_seconds;
        assert.ok(left === null || (Number.isFinite(left) && left >= 0), String(left));
        for (const { done, all } of Object.values(now.stages)) {
          assert.ok(done >= -1e-6 && done <= all + 1e-6, `${done}/${all}`);
        }
        if (now.files_done < now.files) assert.ok(now.percentage <= 99);
        before = now;
      });
      assert.equal(before?.files_done, pieces.length);
      if (pieces.every(({ outcome }) => outcome !== 'cancelled')) assert.equal(before?.percentage, 99.9);
    }),
  );
});

/**
 * A task on 20 films of a minute by two processors: pictures and words side by side with speech, then
 * summaries. `costs`: processor seconds a second of media.
 */
function* simulated(costs: Readonly<Record<'video' | 'text' | 'speech' | 'summary', number>>) {
  const kinds = Object.keys(costs) as (keyof typeof costs)[];
  const media = Array.from({ length: 20 }, (_, i) => mediaOf(`/${i}`, 60));
  const files = Object.fromEntries(kinds.map((type) => [type, media.length]));
  const model = new ProgressModel(stageKinds, { files });
  const survey = (type: string) => {
    for (const one of media) model.begin(type, one);
    model.surveyed(type);
  };
  for (const type of kinds) if (type !== 'summary') survey(type);
  const left = { video: 1200, text: 1200, speech: 1200, summary: 1200 };
  // Models are loaded first.
  let seconds = 10;
  yield { seconds, progress: model.view(seconds) };
  while (left.summary > 0) {
    const frames = left.text > 0 ? (['video', 'text'] as const) : [];
    const running = [...frames, ...(left.speech > 0 ? (['speech'] as const) : [])];
    if (running.length === 0) {
      if (left.summary === 1200) survey('summary');
      running.push('summary' as never);
    }
    const groups = Number(frames.length > 0) + Number(left.speech > 0) || 1;
    const frameCost = costs.video + costs.text;
    for (const type of running as (keyof typeof costs)[]) {
      const cost = type === 'video' || type === 'text' ? frameCost : costs[type];
      const share = Math.min(left[type], 2 / groups / cost);
      const at = Math.min(19, Math.floor((1200 - left[type]) / 60));
      left[type] -= share;
      model.worked(type, media[at]!, share);
    }
    seconds += 1;
    yield { seconds, progress: model.view(seconds) };
  }
}

test('from the first tenth on the time left is right within a factor of two, also before summaries', () => {
  for (const costs of [
    { video: 0.15, text: 0.22, speech: 0.36, summary: 0.02 },
    { video: 0.07, text: 0.4, speech: 0.25, summary: 0.02 },
    { video: 0.1, text: 0.12, speech: 0.6, summary: 0.03 },
  ]) {
    const states = [...simulated(costs)];
    const end = states.at(-1)!.seconds;
    for (const { seconds, progress } of states) {
      const left = end - seconds;
      // In the last seconds a factor says nothing.
      if (seconds < end / 10 || left < end / 50) continue;
      const told = progress.estimated_remaining_seconds;
      assert.ok(
        told !== null && told >= left / 2 && told <= left * 2,
        `${seconds}: ${told}, ${left} are left`,
      );
    }
  }
});

test('the rate is that of media with which all work is done, however many kinds there are', () => {
  for (const { seconds, progress } of simulated({ video: 0.15, text: 0.22, speech: 0.36, summary: 0.02 })) {
    assert.ok(progress.media_seconds <= 1200 + 1e-6);
    assert.ok(Math.abs(progress.speed * seconds - progress.media_seconds) < 1e-6);
  }
});

test('the terminal, the events and the snapshots say the same percentage of the same progress', () => {
  const work = {
    paths: ['/a'],
    speech: [],
    face_jobs: [],
    summary_jobs: [],
    model_key: 'fake',
    decode: 'exact' as const,
  };
  const request = { cache_dir: '/cache', ...work, force: false };
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), turns, (pieces, order) => {
      const ledger = createRunTally(
        stageKinds,
        newTask(stageKinds, { task_id: 'task', request, source: 'request', state: 'running', now: 0 }),
        null,
        () => 0,
      );
      let run = newRun(stageKinds, 'task', pieces.length);
      tell(pieces, order, (task) => {
        ledger.progress(task);
        run = advance(run, { type: 'task', task });
        const snapshot: TaskSnapshot = ledger.snapshot('running');
        const event = stateOf(run, 'video');
        const [shown] = /\d+(?=%)/.exec(taskLine(stageKinds, task, 200)) ?? [];
        const ended = snapshot.progress >= mostUnfinished;
        assert.equal(Number(shown), ended ? 100 : Math.floor(snapshot.progress));
        assert.equal(event.progress, Math.floor(snapshot.progress * 10) / 10);
        const left = event.estimated_remaining_seconds ?? 0;
        assert.equal(left, Math.ceil(snapshot.estimated_remaining_seconds ?? 0));
        for (const [name, amount] of Object.entries(amountFields(stageKinds, task.stages))) {
          assert.equal((event as unknown as Record<string, unknown>)[name], amount);
          assert.equal((snapshot as unknown as Record<string, unknown>)[name], amount);
        }
        // A client of the events shows what the engine shows.
        const { types, files, files_done, surveyed, elapsed_seconds } = task;
        const result = {
          types,
          files,
          files_done,
          surveyed,
          elapsed_seconds,
          percentage: Number(event.progress),
        };
        const remote = taskLine(stageKinds, progressFrom(stageKinds, result, { ...event }), 200);
        assert.equal(/\d+(?=%)/.exec(remote)?.[0], shown);
      });
    }),
  );
});
