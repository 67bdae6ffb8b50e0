import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { IndexSettings } from '../../../../actors/index/actor.ts';
import { idText } from '../../../../actors/index/people/entry-id.ts';
import { type SpanKey, storeErrors } from '../../../../actors/index/store/contract.ts';
import { disk, type StoreDisk } from '../../../../actors/index/store/disk.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { mediaRecord, preview } from '../footage.ts';
import { type Harness, headOf, indexActor, someFootage } from '../handlers.ts';
import { type Cast, chunk, d, face, modelKey, rollsIn, storeFaces, vectorOf } from './faces.ts';

const cast: Cast = Array.from({ length: 300 }, (_, frame) =>
  frame % 3 === 0 ? [] : [frame % 5, 5 + (frame % 2)],
);
const faces = cast.flat().length;
const key: SpanKey = {
  stage: 'faces',
  hash_str: 'aa',
  model_key: modelKey,
  path: '/footage/aa.mp4',
  settings: '{}',
  task_id: 'one',
  task_only: false,
};
const begun = { hash_str: 'aa', model_key: modelKey, dimensions: d };

/** Ids are counted, so that two ways to the same end can be compared byte for byte. */
function counted(settings: IndexSettings = {}): IndexSettings {
  let last = 0;
  const newId = () => `00000000-0000-4000-8000-${(++last).toString(16).padStart(12, '0')}`;
  return { now: () => 1_700_000_000_000, newId, ...settings };
}

async function append(
  index: Harness,
  stage: number,
  from: number,
  to: number,
  keepEvery = 60,
): Promise<void> {
  for (let at = from; at < to; at += 20) {
    const end = Math.min(to, at + 20);
    await index.call('append_faces', { stage, ...chunk('aa', cast, at, end), keep: end % keepEvery === 0 });
  }
}

async function finish(index: Harness, cache_dir: string) {
  const { stage, stored_frames, next_frame } = await index.call('begin_faces', {
    cache_dir,
    ...begun,
    span: key,
  });
  await append(index, stage, next_frame, cast.length);
  const answer = await index.call('commit_faces', { stage, media: mediaRecord('aa') });
  await index.call('forget_spans', { cache_dir, span: key });
  return { kept: stored_frames, next_frame, ...answer };
}

test('faces of stored previews are known as such, until the file is looked at', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const request = { cache_dir, model_key: modelKey, hashes: ['aa'] };
  for (const from_previews of [true, false]) {
    const { stage } = await index.call('begin_faces', { cache_dir, ...begun });
    await append(index, stage, 0, cast.length);
    const media = mediaRecord('aa');
    const { kept_ids } = await index.call('commit_faces', { stage, media, from_previews });
    assert.equal(kept_ids, from_previews ? 0 : faces, 'what is found again keeps its id');
    assert.deepEqual(await index.call('faces_stored', request), {
      faces: [faces],
      from_previews: [from_previews],
    });
  }
});

/** All that is stored of the faces, byte for byte. */
async function stored(cache_dir: string) {
  const store = new Store(cache_dir);
  const found = store.people.faces.content(modelKey, 'aa');
  const vectors = store.people.faces.vectors(modelKey, 'aa');
  await store.close();
  const files = rollsIn(cache_dir).map((file) => readFileSync(file, 'hex'));
  const { facts, places } = found!;
  return { facts, places: places.places, vectors, files };
}

test('faces are stored with their vectors and pictures, and nothing of them is seen before they are', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const { stage } = await index.call('begin_faces', { cache_dir, ...begun });
  await append(index, stage, 0, cast.length);
  const request = { cache_dir, model_key: modelKey, hashes: ['aa'] };
  assert.deepEqual(await index.call('faces_stored', request), { faces: [null], from_previews: [false] });
  const reading = new Store(cache_dir);
  t.after(() => reading.close());
  assert.equal(reading.people.faces.content(modelKey, 'aa'), null);
  await index.call('commit_faces', { stage, media: mediaRecord('aa') });
  assert.deepEqual(await index.call('faces_stored', request), { faces: [faces], from_previews: [false] });
  const vectors = reading.people.faces.vectors(modelKey, 'aa')!;
  const own = vectorOf(1, 1);
  for (let k = 0; k < d; k++) assert.ok(Math.abs(vectors[k]! - own[k]!) < 1e-4);
  assert.ok(Math.abs(Math.hypot(...vectors.subarray(0, d)) - 1) < 1e-6);
});

test('after a kill the film goes on behind its last span, and what is stored is as without the kill', async (t) => {
  const whole = temporaryFolder(t);
  const first = await indexActor(t, counted());
  assert.deepEqual(await finish(first, whole), { kept: 0, next_frame: 0, faces, kept_ids: 0 });
  await first.close();
  const expected = await stored(whole);
  for (const [killedAt, kept] of [
    [40, 0],
    [140, 120],
    [300, 300],
  ] as const) {
    const running = temporaryFolder(t);
    const index = await indexActor(t, counted());
    const { stage } = await index.call('begin_faces', { cache_dir: running, ...begun, span: key });
    await append(index, stage, 0, killedAt);
    const cache_dir = temporaryFolder(t);
    cpSync(running, cache_dir, { recursive: true });
    const again = await indexActor(t, counted());
    assert.deepEqual(
      (await again.call('faces_stored', { cache_dir, model_key: modelKey, hashes: ['aa'] })).faces,
      [null],
    );
    assert.deepEqual(await finish(again, cache_dir), { kept, next_frame: kept, faces, kept_ids: 0 });
    await again.close();
    assert.deepEqual(await stored(cache_dir), expected, `killed at ${killedAt}`);
    assert.deepEqual(readdirSync(join(cache_dir, 'open')), []);
  }
});

test('a span that is cut anywhere is taken up as far as it is whole', async (t) => {
  const running = temporaryFolder(t);
  const index = await indexActor(t, counted());
  const { stage } = await index.call('begin_faces', { cache_dir: running, ...begun, span: key });
  await append(index, stage, 0, 140);
  const [log] = readdirSync(join(running, 'open'));
  const size = readFileSync(join(running, 'open', log!)).byteLength;
  for (const bytes of [10, 200, size >> 1, size - 1]) {
    const cache_dir = temporaryFolder(t);
    cpSync(running, cache_dir, { recursive: true });
    truncateSync(join(cache_dir, 'open', log!), bytes);
    const again = await indexActor(t, counted());
    const done = await finish(again, cache_dir);
    assert.ok(done.kept < 120 && done.kept % 60 === 0);
    assert.equal(done.faces, faces);
    await again.close();
  }
});

test('a face at the same place of the same frame keeps its id, by whichever models', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await storeFaces(index, cache_dir, 'aa', [[1, 2], [1]]);
  const idsOf = async (model: string) => {
    const store = new Store(cache_dir);
    const { facts } = store.people.faces.content(model, 'aa')!;
    await store.close();
    return Array.from(facts.frames, (_, at) => idText(facts.ids, at));
  };
  const before = await idsOf(modelKey);
  assert.deepEqual(await storeFaces(index, cache_dir, 'aa', [[2, 3], [1]], { model_key: 'other' }), {
    faces: 3,
    kept_ids: 2,
  });
  const other = await idsOf('other');
  assert.deepEqual([other[0], other[2]], [before[1], before[2]]);
  assert.ok(!before.includes(other[1]!));
  assert.equal((await storeFaces(index, cache_dir, 'aa', [[1, 2, 3], [1]])).kept_ids, 4);
  assert.deepEqual(await idsOf(modelKey), [before[0], before[1], other[1], before[2]]);
});

test('what is not whole is refused before anything of it is taken', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const { stage } = await index.call('begin_faces', { cache_dir, ...begun });
  const good = chunk('aa', [[1], [2]]);
  const { INVALID_MESSAGE } = engineErrors;
  const cases = [
    [{ ...good, vectors: good.vectors.slice(1) }, storeErrors.WRONG_DIMENSIONS],
    [{ ...good, vectors: good.vectors.map((value, i) => (i === 3 ? Number.NaN : value)) }, INVALID_MESSAGE],
    [{ ...good, vectors: new Float32Array(2 * d) }, INVALID_MESSAGE],
    [{ ...good, aligned: good.aligned.slice(1) }, INVALID_MESSAGE],
    [
      { ...good, displays: good.displays.map((one, i) => (i === 0 ? one.slice(0, 0) : one)) },
      INVALID_MESSAGE,
    ],
    [{ ...good, frames: good.frames.toReversed() }, INVALID_MESSAGE],
  ] as const;
  for (const [wrong, error] of cases) {
    await assert.rejects(index.call('append_faces', { stage, ...wrong }), error.is);
  }
  await index.call('append_faces', { stage, ...good });
  await assert.rejects(index.call('append_faces', { stage, ...chunk('aa', [[1]]) }), /0 comes after 1/);
  assert.equal((await index.call('commit_faces', { stage, media: mediaRecord('aa') })).faces, 2);
  await assert.rejects(index.call('append_faces', { stage, ...good }), storeErrors.STAGE_LOST.is);
});

test('a disk that fills up anywhere is an error, what was stored stays, and it goes on with more space', async (t) => {
  for (const bytes of [0, 50, 500, 5000, 15_000]) {
    const cache_dir = temporaryFolder(t);
    const first = await indexActor(t);
    await storeFaces(first, cache_dir, 'bb', [[1, 2]]);
    await first.close();
    let left = bytes;
    const on: StoreDisk = {
      write: (fd, data, position) => {
        if (left <= 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
        const written = disk.write(fd, data.subarray(0, Math.min(left, data.byteLength)), position);
        left -= written;
        return written;
      },
      flush: disk.flush,
    };
    const index = await indexActor(t, { on });
    await assert.rejects(storeFaces(index, cache_dir, 'aa', cast), storeErrors.STORE_FULL.is);
    const request = { cache_dir, model_key: modelKey, hashes: ['aa', 'bb'] };
    assert.deepEqual((await index.call('faces_stored', request)).faces, [null, 2]);
    left = 1e9;
    await storeFaces(index, cache_dir, 'aa', cast);
    assert.deepEqual((await index.call('faces_stored', request)).faces, [faces, 2]);
  }
});

test('a picture stage that begins beside a face stage leaves its parts alone, and the other way round', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const visual = { cache_dir, hash_str: 'aa', model_key: 'model', dimensions: 32 };
  const pictures = await index.call('begin', visual);
  const previews = Array.from({ length: 20 }, (_, i) => preview(i));
  const frames = [...previews.keys()];
  await index.call('append', { stage: pictures.stage, frames, vectors: someFootage(20, 1), previews });
  const { stage } = await index.call('begin_faces', { cache_dir, ...begun, span: key });
  await append(index, stage, 0, 60);
  await index.call('commit', { stage: pictures.stage, media: mediaRecord('aa') });
  await append(index, stage, 60, 300);
  assert.equal((await index.call('commit_faces', { stage, media: mediaRecord('aa') })).faces, faces);
  const shown = await index.call('previews', { cache_dir, frames: [{ hash_str: 'aa', frame_index: 7 }] });
  assert.deepEqual(shown.previews, [preview(7)]);
});

test('ten hours of faces are appended in bounded memory', async (t) => {
  const cache_dir = temporaryFolder(t);
  const store = new Store(cache_dir);
  t.after(() => store.close());
  const writer = store.peopleWriter().faces;
  const stage = writer.begin('aa', modelKey, 512);
  const vectors = new Float32Array(64 * 512).fill(1);
  const picture = new Uint8Array(4096).fill(1);
  const pictures = Array.from({ length: 64 }, () => picture);
  const before = process.memoryUsage();
  for (let frame = 0; frame < 36_000; frame += 64) {
    const frames = pictures.map((_, i) => ({ frame_index: frame + i, faces: [face(i)] }));
    writer.append(stage, { frames, vectors, aligned: pictures, displays: pictures });
  }
  const { external, arrayBuffers } = process.memoryUsage();
  assert.ok(external + arrayBuffers - before.external - before.arrayBuffers < 100 << 20);
  assert.equal(writer.commit(stage, mediaRecord('aa')).faces, 36_032);
});

test('a flipped bit in a vector makes them wanted again, and those of others are told as before', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await storeFaces(index, cache_dir, 'aa', cast);
  await storeFaces(index, cache_dir, 'bb', [[1]]);
  await index.close();
  const [roll] = rollsIn(cache_dir) as [string];
  const bytes = readFileSync(roll);
  bytes[headOf(roll) + 10]! ^= 4;
  writeFileSync(roll, bytes);
  const again = await indexActor(t);
  const request = { cache_dir, model_key: modelKey, cluster_job_name: 'job', eps: 0.2, min_samples: 2 };
  const begin = () => again.call('begin_clustering', { ...request, hashes: ['aa', 'bb'] });
  const broken = await begin();
  assert.deepEqual([broken.unreadable, broken.entries], [['aa'], 1]);
  const stored = { cache_dir, model_key: modelKey, hashes: ['aa', 'bb'] };
  assert.deepEqual((await again.call('faces_stored', stored)).faces, [null, 1]);
  assert.equal((await storeFaces(again, cache_dir, 'aa', cast)).kept_ids, faces);
  const repaired = await begin();
  assert.deepEqual([repaired.unreadable, repaired.entries], [[], faces + 1]);
});
