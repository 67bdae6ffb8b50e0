import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import {
  type FilmSectionParts,
  filmFrames,
  IdleDecoders,
} from '../../../../actors/analysis/stages/film-sections.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { draws } from '../../../shared.ts';
import { until } from '../../../until.ts';
import type { FakeFile } from '../fake-file.ts';
import { world } from '../fakes.ts';

const shape = { width: 2, height: 1, fit: 'stretch', resample: 'area' } as const;
const every = (step: number, frames: number) =>
  Array.from({ length: Math.ceil(frames / step) }, (_, i) => i * step);
const all = (frames: number) => every(1, frames);

interface Wanted {
  readonly file?: Partial<FakeFile>;
  readonly decoders?: number;
  readonly from?: number;
}

/** A film in a pool of 24 slots; its own decoder is the first. */
async function film({ file = {}, decoders = 3, from = 0 }: Wanted, t?: TestContext) {
  const whole = { name: 'a', frames: 200, entries: every(5, 200), ...file };
  const w = await world([whole, { name: 'b', frames: 3 }], { decoders });
  t?.after(() => w.end());
  const [reader, ...others] = w.decoders;
  const idle = new IdleDecoders(w.decoders);
  const done = idle.need(reader!);
  const stop = new AbortController();
  const request = { path: w.paths[0]!, shape, preview: null, mode: 'exact' as const, from_frame: from };
  const parts: FilmSectionParts = {
    reader: reader!,
    idle,
    frames: whole.frames,
    slots: w.pool.count,
    log: w.log,
  };
  const seen: number[] = [];
  /** Takes all frames; `work` says what is done with each. */
  const take = async (work: (frame: number) => Promise<void> | void = () => {}) => {
    const options = { signal: stop.signal, credit: 4 };
    for await (const { frame_index, picture } of filmFrames(request, options, parts)) {
      const [byte] = w.pool.view(picture);
      seen.push(frame_index);
      await work(frame_index);
      assert.deepEqual([byte, w.pool.view(picture)[0]], [frame_index % 256, frame_index % 256]);
    }
  };
  const isQuiet = () => w.pool.free === w.pool.count && idle.borrow(() => {}) !== null;
  return { w, reader: reader!, others, idle, done, stop, take, seen, isQuiet };
}

test('every frame comes once and in order, whatever helps', async () => {
  const property = fc.asyncProperty(
    fc.record({
      frames: fc.integer({ min: 1, max: 120 }),
      gaps: fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 60 }),
      missing: fc.array(fc.nat(120)),
      decoders: fc.integer({ min: 1, max: 5 }),
      from: fc.nat(40),
    }),
    async ({ frames, gaps, missing, decoders, from }) => {
      const entries: number[] = [];
      for (const gap of gaps) entries.push((entries.at(-1) ?? 0) + gap);
      const f = await film({
        file: { frames, missing, entries: entries.filter((at) => at < frames) },
        decoders,
        from,
      });
      await f.take();
      const wanted = all(frames).filter((i) => i >= from && !missing.includes(i));
      assert.deepEqual(f.seen, wanted);
      await until(() => f.w.pool.free === f.w.pool.count);
      await f.w.end();
    },
  );
  await fc.assert(property, { numRuns: draws(60) });
});

test('several decoders take part, and each is free again afterwards', async (t) => {
  const { w, take, seen, isQuiet } = await film({}, t);
  await take();
  assert.deepEqual(seen, all(200));
  assert.equal(w.state.from.length, 4, 'one begins alone, then three take sections');
  await until(isQuiet);
});

test('a decoder that another film needs leaves at the end of its section', async (t) => {
  const { w, others, idle, take, seen } = await film({}, t);
  const own: number[] = [];
  const other = async () => {
    const done = idle.need(others[0]!);
    const request = { path: w.paths[1]!, shape, preview: null, mode: 'exact' as const, from_frame: 0 };
    for await (const { frame_index } of others[0]!.feed('frames', request, { credit: 1 }))
      own.push(frame_index);
    done();
  };
  let another: Promise<void> | undefined;
  await take(async (frame) => {
    if (frame === 60) another = other();
    if (frame === 100) await another;
  });
  assert.deepEqual(seen, all(200));
  assert.deepEqual(own, all(3));
});

test('a batch that holds half of the slots, and waits for more pictures, never waits in vain', async (t) => {
  const { w, take, seen } = await film({}, t);
  const holder = w.pool.holder();
  const held = await w.pool.acquireAll(w.pool.count / 2, holder);
  await take();
  assert.deepEqual(seen, all(200));
  for (const slot of held) w.pool.release(slot, holder);
});

test('a cancel, or a consumer that leaves, ends it everywhere', async (t) => {
  const cancelled = await film({}, t);
  const taking = cancelled.take((frame) => {
    if (frame === 70) cancelled.stop.abort();
  });
  await assert.rejects(taking, engineErrors.CANCELLED.is);
  await until(cancelled.isQuiet);
  const left = await film({}, t);
  const leave = new Error('leaves');
  await assert.rejects(
    left.take((frame) => (frame === 70 ? Promise.reject(leave) : undefined)),
    leave,
  );
  await until(left.isQuiet);
});

test('what ends a decoder comes behind the frames before it', async (t) => {
  const { take, seen, isQuiet } = await film({ file: { failAt: 131, error: 'crash' } }, t);
  await assert.rejects(take(), engineErrors.ACTOR_CRASHED.is);
  assert.deepEqual(seen, all(131));
  await until(isQuiet);
});

test('where sections do not follow one another, one decoder goes on alone', async (t) => {
  const { w, take, seen, isQuiet } = await film({ file: { apart: true } }, t);
  await take();
  assert.deepEqual(seen, all(200));
  const alone = w.state.from.at(-1)!;
  assert.ok(alone > 0 && alone < 200, `from ${alone}`);
  await until(isQuiet);
});

test('a film that ends before its time ends for all', async (t) => {
  const { take, seen } = await film({ file: { endsAt: 123 } }, t);
  await take();
  assert.deepEqual(seen, all(123));
});

test('nobody helps with a film that has no sections, or too few', async (t) => {
  for (const entries of [[], [100, 150]]) {
    const { w, take, seen } = await film({ file: { entries } }, t);
    await take();
    assert.deepEqual(seen, all(200));
    assert.deepEqual(w.state.from, [0]);
  }
});

test('a decoder helps when no file is left for it', async (t) => {
  const whole: FakeFile = { name: 'a', frames: 200, entries: every(5, 200) };
  const stills = all(40).map((i) => ({ name: `still ${i}`, frames: 1, kind: 'image' as const }));
  const w = await world([whole, ...stills], { decoders: 2 });
  t.after(() => w.end());
  await w.search.models.load('fake');
  const { results } = await w.run();
  assert.ok(results.every(({ outcome }) => outcome === 'analyzed'));
  assert.deepEqual(w.committed.get('a')?.frames, all(200));
  assert.ok((whole.asked ?? 0) <= 1, `asked ${whole.asked} times`);
});
