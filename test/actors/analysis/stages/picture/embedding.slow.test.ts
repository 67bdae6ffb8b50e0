import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { changeBetween, reduced, SmallPicture } from '../../../../../actors/analysis/stages/picture/cuts.ts';
import {
  createEmbedding,
  type EmbeddingParts,
  Sink,
} from '../../../../../actors/analysis/stages/picture/embedding.ts';
import { type Reuse, reuses } from '../../../../../actors/analysis/stages/picture/kind.ts';
import { bounds } from '../../../../../actors/analysis/stages/picture/near.ts';
import type { VisualModel } from '../../../../../actors/embedder/contract.ts';
import type { SlotHandle } from '../../../../../runtime/contract.ts';
import { createSlotPool } from '../../../../../runtime/slots.ts';
import { seeded } from '../../../../seeded.ts';
import { until } from '../../../../until.ts';
import { faceEngine } from '../faces/face-engine.ts';
import { page } from '../task-engine.ts';

const shape = { width: 2, height: 2, fit: 'stretch', resample: 'area' } as const;
const pictureBytes = 12;
const nothing = { stored_frames: 0, frames: new Int32Array(0), changed: new Float32Array(0) };
const lookAt = (picture: Uint8Array) => new SmallPicture(reduced(picture, shape.width, shape.height));
/** Every byte of a picture changes its vector. */
const vectorOf = (picture: Uint8Array) => [
  picture.reduce((sum, byte, at) => sum + byte * (at + 1), 0),
  picture.reduce((sum, byte, at) => sum + byte * (at * at + 3), 0),
];

interface Stored {
  readonly frames: number[];
  readonly vectors: number[];
  readonly previews: number[];
  readonly changed: number[];
}

/** An embedding between an embedder and an index that answer late, in any order. */
function embeddingOf(batch: number, random: () => number, reuse: Reuse = 'exact') {
  const pool = createSlotPool(12, 16);
  const embedded: number[] = [];
  const stages = [0, 1].map((): Stored => ({ frames: [], vectors: [], previews: [], changed: [] }));
  const later = async () => {
    for (let turns = random() * 6; turns > 0; turns--) await Promise.resolve();
  };
  const pictures = async (_: string, { pictures: slots }: { pictures: SlotHandle[] }) => {
    await later();
    const bytes = slots.map((slot) => pool.view(slot).slice(0, pictureBytes));
    embedded.push(bytes.length);
    return { vectors: Float32Array.from(bytes.flatMap(vectorOf)) };
  };
  const append = async (_: string, part: Record<keyof Stored, Iterable<number>> & { stage: number }) => {
    await later();
    const { frames, vectors, previews, changed } = stages[part.stage]!;
    frames.push(...part.frames);
    vectors.push(...part.vectors);
    changed.push(...part.changed);
    previews.push(...(part.previews as unknown as Uint8Array[]).map(([byte]) => byte!));
  };
  const model = { model_key: 'm', dimensions: 2, shape, batch } as unknown as VisualModel;
  const { signal } = new AbortController();
  const refs = { embedder: { ask: pictures }, index: { ask: append }, models: {} };
  const parts = { ...refs, pool, model, reuse, signal } as unknown as EmbeddingParts;
  return { embedding: createEmbedding(parts), pool, embedded, stages };
}

/** The change as it is stored: 32 bits. */
const changeOf = (before: Uint8Array, after: Uint8Array) =>
  differs(after, before) ? Math.fround(changeBetween(lookAt(before), lookAt(after))) : 0;

/** Pictures of a film of which many are the same as the one before, and others differ in one byte. */
function film(random: () => number): Uint8Array[] {
  let picture = Uint8Array.from({ length: pictureBytes }, () => random() * 256);
  return Array.from({ length: 1 + random() * 60 }, () => {
    if (random() < 0.4) picture = picture.with(random() * pictureBytes, random() * 256);
    return picture;
  });
}

const differs = (picture: Uint8Array, before: Uint8Array | undefined) =>
  before === undefined || !Buffer.from(picture).equals(before);

test('frames are stored as if each were embedded, and only those that changed are', async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = seeded(seed);
    const { embedding, pool, embedded, stages } = embeddingOf(1 + Math.floor(random() * 8), random);
    const films = [film(random), film(random)];
    await Promise.all(
      films.map(async (pictures, stage) => {
        embedding.open();
        const sink = new Sink({ stage, ...nothing }, null, () => {});
        const decoder = pool.holder();
        for (const [frame, picture] of pictures.entries()) {
          const slot = await pool.acquire(decoder);
          // The bytes behind the picture are of an earlier filling.
          pool
            .view(slot)
            .fill(random() * 256)
            .set(picture);
          embedding.add({ file: sink, frame, slot, preview: Uint8Array.of(frame) });
          pool.release(slot, decoder);
        }
        embedding.close(sink);
        embedding.shut();
        assert.equal(await sink.done, pictures.length);
        const same = pictures.filter((picture, i) => !differs(picture, pictures[i - 1]));
        assert.equal(sink.reused, same.length);
      }),
    );
    const all = films.flatMap((pictures) => pictures.filter((one, i) => differs(one, pictures[i - 1])));
    assert.equal(
      embedded.reduce((sum, count) => sum + count),
      all.length,
    );
    for (const [stage, pictures] of films.entries()) {
      const frames = [...pictures.keys()];
      const changed = pictures.map((one, i) => (i === 0 ? 1 : changeOf(pictures[i - 1]!, one)));
      const vectors = pictures.flatMap(vectorOf);
      assert.deepEqual(stages[stage], { frames, vectors, previews: frames, changed });
    }
    assert.equal(pool.free, pool.count, 'nothing is held any more');
  }
});

test('a slow fade is embedded again before it has gone further than a picture may differ', async () => {
  const levels = Array.from({ length: 60 }, (_, i) => 40 + Math.floor(i * 0.7));
  for (const reuse of reuses) {
    const { embedding, pool, embedded, stages } = embeddingOf(4, seeded(1), reuse);
    const sink = new Sink({ stage: 0, ...nothing }, null, () => {});
    const decoder = pool.holder();
    embedding.open();
    for (const [frame, level] of levels.entries()) {
      const slot = await pool.acquire(decoder);
      pool.view(slot).fill(level);
      embedding.add({ file: sink, frame, slot, preview: Uint8Array.of(frame) });
      pool.release(slot, decoder);
    }
    embedding.close(sink);
    embedding.shut();
    await sink.done;
    // The first value of a picture of one level is in proportion to it.
    const [perLevel] = vectorOf(new Uint8Array(pictureBytes).fill(1));
    const furthest = Math.max(
      ...levels.map((level, i) => Math.abs(stages[0]!.vectors[i * 2]! / perLevel! - level)),
    );
    assert.equal(sink.reused, levels.length - embedded.reduce((sum, count) => sum + count));
    if (reuse === 'off') assert.equal(sink.reused, 0);
    if (reuse === 'near') assert.ok(sink.reused > 20, `${sink.reused}`);
    assert.ok(furthest <= (reuse === 'near' ? bounds.block : 0), `${reuse}: ${furthest}`);
    assert.equal(pool.free, pool.count, 'nothing is held any more');
  }
});

test('a film that is given up holds no slot, and takes nothing from the one beside it', async () => {
  const { embedding, pool, stages } = embeddingOf(8, seeded(1));
  const sinks = [0, 1].map((stage) => new Sink({ stage, ...nothing }, null, () => {}));
  const decoder = pool.holder();
  embedding.open();
  for (const frame of [0, 1]) {
    for (const file of sinks) {
      const slot = await pool.acquire(decoder);
      pool.view(slot).fill(7);
      embedding.add({ file, frame, slot, preview: Uint8Array.of(frame) });
      pool.release(slot, decoder);
    }
  }
  embedding.drop(sinks[0]!);
  embedding.close(sinks[1]!);
  embedding.shut();
  assert.equal(await sinks[1]!.done, 2);
  assert.deepEqual(stages[0]!.frames, []);
  assert.deepEqual(stages[1]!.frames, [0, 1]);
  assert.equal(pool.free, pool.count);
});

test('a task that is resumed takes over what it took over before it was cancelled', async (t) => {
  // Each frame is brighter by 1 than the one before, so as many as the bound has are near an embedded one.
  const e = await faceEngine(t, [{ name: 'a', frames: 400 }]);
  const begin = { visual_media_paths: e.w.paths, thing_media_paths: [], text_media_paths: [] };
  const gate = Promise.withResolvers<void>();
  const task_id = await e.begin({ ...begin, reuse: 'near' });
  await until(() => e.w.batches.reduce((sum, pictures) => sum + pictures, 0) >= 70);
  e.w.state.hold = gate.promise;
  const cancelled = e.tasks.cancel(task_id);
  gate.resolve();
  await cancelled;
  e.w.state.hold = Promise.resolve();
  assert.equal(await e.resume(task_id), 'completed');
  const from = e.w.state.from.at(-1)! + 1;
  assert.ok(from >= 120, `from ${from}`);
  const { results, request } = await e.tasks.get(task_id, page);
  assert.equal(request.reuse, 'near');
  const embedded = Math.ceil((400 - from) / (1 + bounds.block));
  assert.equal(results[0]?.frames_reused, 400 - from - embedded);
  const { of } = await e.run({ ...begin, force: true });
  assert.equal(of['a']?.frames_reused, undefined);
});

// The picture stage on stored previews: by a new model, of films that are there or gone.

/** A film that another model has analysed, with previews as large as the model looks at. */
async function engine(t: TestContext) {
  const e = await faceEngine(t, [{ name: 'a', frames: 3 }]);
  const { state } = e.w;
  const path = e.w.paths[0]!;
  state.preview = (_, frame) => new Uint8Array([0xff, 0xd8, 10 + frame]);
  state.previewSize = { width: 4, height: 2 };
  await e.run({ visual_media_paths: [path], thing_media_paths: [] });
  state.outdated.add('a');
  const run = async (more = {}) =>
    (await e.run({ visual_media_paths: [path], thing_media_paths: [], ...more })).of['a'];
  return { ...e, state, path, run };
}

test('a new model looks at previews where it is asked to, and at the film otherwise', async (t) => {
  const e = await engine(t);
  const previews = await e.run({ from_previews: true });
  assert.deepEqual([previews?.outcome, previews?.frames, previews?.frames_from_previews], ['analyzed', 3, 3]);
  assert.deepEqual(e.w.decoded, ['a', 'stored 0,1,2']);
  assert.deepEqual(e.state.committed.get('a')?.sums, [10, 11, 12]);
  const again = await e.run({ from_previews: true });
  assert.deepEqual([again?.outcome, again?.frames_from_previews], ['stored', 3]);
  const film = await e.run();
  assert.deepEqual([film?.outcome, film?.frames_from_previews], ['analyzed', undefined]);
  assert.deepEqual(e.w.decoded, ['a', 'stored 0,1,2', 'a']);
  // Vectors from the film itself are never replaced by less.
  assert.equal((await e.run({ from_previews: true, force: true }))?.outcome, 'stored');
});

test('a film that is gone is seen in its previews, until it is back', async (t) => {
  const e = await engine(t);
  renameSync(e.path, `${e.path}.away`);
  const gone = await e.run();
  assert.deepEqual([gone?.outcome, gone?.frames_from_previews], ['analyzed', 3]);
  assert.equal((await e.run())?.outcome, 'stored');
  renameSync(`${e.path}.away`, e.path);
  assert.deepEqual([(await e.run())?.outcome, e.w.decoded.at(-1)], ['analyzed', 'a']);
});

test('previews that are smaller than what the model looks at are refused, naming both sizes', async (t) => {
  const e = await engine(t);
  e.state.previewSize = { width: 1, height: 1 };
  const refused = await e.run({ from_previews: true });
  assert.equal(refused?.error?.code, 'PREVIEWS_TOO_SMALL');
  assert.match(refused?.error?.message ?? '', /previews have 1x1 pixels, but fake looks at 2x1/);
  assert.equal((await e.run())?.outcome, 'analyzed');
});
