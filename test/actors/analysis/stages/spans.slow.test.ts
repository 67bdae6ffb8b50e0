import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { AnalysisEvent } from '../../../../actors/analysis/contract.ts';
import { until } from '../../../until.ts';
import type { FakeFile } from '../fake-file.ts';
import { world } from '../fakes.ts';
import { runs } from './runs.ts';

const all = (frames: number) => Array.from({ length: frames }, (_, i) => i);

/** Percentages of the file and of the task, in order; never less than before. */
function percentages(events: readonly AnalysisEvent[]) {
  const file = events.flatMap((event) => (event.type === 'file' ? [event.file.percentage] : []));
  const task = events.flatMap((event) => (event.type === 'task' ? [event.task.percentage] : []));
  for (const list of [file, task])
    assert.deepEqual(
      list,
      list.toSorted((a, b) => a - b),
    );
  return { file, task };
}

async function film(t: TestContext, file: Partial<FakeFile> = {}, decoders = 1) {
  const w = await world([{ name: 'a', frames: 400, ...file }], { decoders });
  t.after(() => w.end());
  await w.search.models.load('fake');
  /** Cancels when so many frames are done, and answers how many were. */
  const cancelAt = async (frames: number, force = false) => {
    const stop = new AbortController();
    const gate = Promise.withResolvers<void>();
    const from = w.events.length;
    const running = w.run(stop.signal, force, w.paths, [], force ? 'forced' : 'task');
    const done = () =>
      w.events.slice(from).findLast((event) => event.type === 'file' && event.file.done >= frames);
    // At each turn of the event loop: beside other work the film would end between two looks.
    await until(done, { next: () => setImmediate() });
    w.state.hold = gate.promise;
    stop.abort();
    gate.resolve();
    w.state.hold = Promise.resolve();
    const report = await running;
    assert.equal(report.cancelled, true);
    return report;
  };
  /** Runs it, with the events of that run. */
  const run = async (force = false) => {
    const from = w.events.length;
    const report = await w.run(new AbortController().signal, force);
    return { report, events: w.events.slice(from) };
  };
  return { w, cancelAt, run };
}

test('a film that was cancelled goes on inside, and is stored as without the cancel', async (t) => {
  const { w, cancelAt, run } = await film(t);
  await cancelAt(200);
  assert.equal(w.committed.size, 0);
  const { report, events } = await run();
  const [first, second] = w.state.from;
  assert.equal(first, 0);
  assert.ok(second! >= 200 && second! < 400, `from ${second}`);
  assert.deepEqual(w.committed.get('a')?.frames, all(400));
  assert.deepEqual(
    w.committed.get('a')?.sums,
    all(400).map((i) => i % 256),
  );
  assert.equal(w.state.spans.size, 0, 'what was kept is forgotten');
  // It goes on where it stood, and only what was done now counts for the speed.
  assert.ok(percentages(events).file[0]! >= 50);
  // The frame before is seen once more, and told apart from the first one that is new.
  assert.equal(report.progress.frames, 399 - second!);
  assert.equal(report.progress.grid_frames, 399 - second!);
  assert.deepEqual(
    report.results.map(({ outcome, frames }) => [outcome, frames]),
    [['analyzed', 400]],
  );
});

test('a film whose pictures stay is compared anew behind what was kept, and stored as without the cancel', async (t) => {
  const { w, cancelAt, run } = await film(t, { still: 50 });
  await cancelAt(200);
  const before = w.batches.splice(0);
  const { report } = await run();
  const from = w.state.from[1]! + 1;
  assert.ok(from >= 200 && from < 400, `from ${from}`);
  const shown = all(400).map((i) => Math.floor(i / 50));
  assert.deepEqual(w.committed.get('a'), { ...w.committed.get('a'), frames: all(400), sums: shown });
  const embedded = new Set(shown.slice(from)).size;
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
  assert.equal(sum(w.batches), embedded);
  assert.ok(sum(before) <= 8);
  assert.equal(report.results[0]?.frames_reused, 400 - from - embedded);
  await run(true);
  assert.equal(w.events.findLast((event) => event.type === 'result')?.result.facts['frames_reused'], 392);
});

test('after a crash of the decoder only what was not kept is done again, and no percentage goes back', async (t) => {
  const { w, run } = await film(t, { failAt: 250, error: 'crash' });
  const { events } = await run();
  const [first, second] = w.state.from;
  assert.equal(first, 0);
  assert.ok(second! >= 120 && second! <= 250, `from ${second}`);
  assert.deepEqual(w.committed.get('a')?.frames, all(400));
  const { file } = percentages(events.filter((event) => event.type !== 'file' || event.file.done > 250));
  assert.equal(file.at(-1), 100);
});

test('a film that several decoders work on is cancelled, crashes and goes on as with one', async (t) => {
  const entries = all(40).map((i) => i * 10);
  const { w, cancelAt, run } = await film(t, { entries, failAt: 310, error: 'crash' }, 3);
  await cancelAt(200);
  const before = w.state.from.splice(0);
  assert.ok(before.length > 2, 'several have taken part');
  const { report, events } = await run();
  const from = w.state.from[0]!;
  assert.ok(from >= 120 && from < 310, `from ${from}`);
  assert.ok(w.state.from.at(-1)! >= from && w.state.from.at(-1)! <= 310, 'the last attempt goes on inside');
  const { frames, sums } = w.committed.get('a')!;
  assert.deepEqual(frames, all(400));
  assert.deepEqual(
    sums,
    all(400).map((i) => i % 256),
  );
  assert.equal(w.state.spans.size, 0);
  assert.deepEqual(
    report.results.map((result) => [result.outcome, result.frames]),
    [['analyzed', 400]],
  );
  const later = events.filter((event) => event.type !== 'file' || event.file.done > 310);
  assert.equal(percentages(later).file.at(-1), 100);
  await until(() => w.pool.free === w.pool.count);
});

test('force begins anew, and so does a file that changed', async (t) => {
  const { w, cancelAt, run } = await film(t);
  await cancelAt(200);
  await cancelAt(100, true);
  assert.deepEqual(w.state.from, [0, 0]);
  await cancelAt(200);
  assert.ok(w.state.from[2]! > 0, 'nothing of what the forced task kept was taken up');
  utimesSync(w.paths[0]!, 5, 5);
  await run();
  assert.equal(w.state.from[3], 0);
  assert.deepEqual(w.committed.get('a')?.frames, all(400));
});

test('nothing is kept of a short film', async (t) => {
  const { w, cancelAt, run } = await film(t, { frames: 120 });
  await cancelAt(60);
  assert.equal(w.state.spans.size, 0);
  await run();
  assert.deepEqual(w.state.from, [0, 0]);
});

test('stages of one decode pass go on each where it stood', async (t) => {
  let failed = false;
  let told = 0;
  const film = [{ name: 'a', frames: 400 }];
  const { w, run, store } = await runs(t, film, {
    session: (session) => ({
      // Ends the count a while after its second span, and with it its part of the pass.
      work: async (file) => {
        const worked = (amount: number) => {
          file.worked(amount);
          told++;
          if (!failed && told === 230) {
            failed = true;
            throw new Error('counted wrong');
          }
        };
        told = 0;
        return session.work({ ...file, worked });
      },
    }),
  });
  const { ends } = await run();
  assert.deepEqual(ends, ['count all analyzed', 'count a failed', 'video a analyzed'].sort());
  assert.deepEqual(w.committed.get('a')?.frames, all(400));
  // The pictures are redone, so that both want frames of the same film.
  w.committed.clear();
  const again = await run();
  assert.ok(again.ends.includes('count a analyzed'));
  assert.deepEqual(w.state.from, [0, 0], 'one pass for both, from where the first of them stands');
  assert.equal(told, 200, 'the first 200 were counted before');
  assert.equal(store.files.get('a'), 400);
  assert.deepEqual(w.committed.get('a')?.frames, all(400));
});

test('words of an interrupted file are kept, and the model is not given their sound again', async (t) => {
  const { w } = await film(t, { name: 'talk', frames: 300, sound: true });
  const job = {
    path: w.paths[0]!,
    language: 'en',
    channels: null,
    detect_speakers: true,
    speaker_count: 'auto' as const,
    preferred: 'auto' as const,
  };
  const stop = new AbortController();
  const running = w.run(stop.signal, false, [], [job]);
  await until(() => w.state.voices.written.length >= 100);
  stop.abort();
  assert.equal((await running).cancelled, true);
  const before = w.state.voices.written.splice(0);
  const from = w.events.length;
  const report = await w.run(undefined, false, [], [job]);
  const kept = 300 - w.state.voices.written.length;
  assert.ok(kept >= 90 && kept <= before.length, `${kept} of ${before.length}`);
  assert.deepEqual(w.state.voices.written, all(300).slice(kept));
  assert.equal(w.transcripts.get('talk')?.segments.length, 300);
  assert.ok(percentages(w.events.slice(from)).file[0]! >= 30);
  assert.equal(report.progress.heard_seconds, 300 - kept);
  assert.equal(w.state.spans.size, 0);
  assert.equal(w.state.voices.open.size, 0);
});
