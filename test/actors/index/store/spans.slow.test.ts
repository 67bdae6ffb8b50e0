import assert from 'node:assert/strict';
import { cpSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { type SpanKey, storeErrors } from '../../../../actors/index/store/contract.ts';
import { disk, type StoreDisk } from '../../../../actors/index/store/disk.ts';
import { keptForMs } from '../../../../actors/index/store/spans.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { framesUpTo, mediaRecord, preview } from '../footage.ts';
import { bundlesOf, type Harness, headOf, indexActor, openIn, placeOf, someFootage } from '../handlers.ts';

const d = 32;
const film = 900;
const vectors = someFootage(film, 3);
const key: SpanKey = {
  stage: 'visual',
  hash_str: 'aa',
  model_key: 'model',
  path: '/footage/aa.mp4',
  settings: '{}',
  task_id: 'one',
  task_only: false,
};
const begun = { hash_str: 'aa', model_key: 'model', dimensions: d };
const media = mediaRecord('aa');

function chunk(from: number, to: number) {
  const frames = framesUpTo(to - from, from);
  return {
    frames,
    vectors: vectors.slice(from * d, to * d),
    previews: frames.map((i) => preview(i, 64 + i)),
  };
}

/** Appends in batches as the embedder does; a span of 120 ends as soon as it is there. */
async function append(index: Harness, stage: number, from: number, to: number): Promise<void> {
  let kept = from;
  for (let at = from; at < to; at += 48) {
    const end = Math.min(to, at + 48);
    const keep = end - kept >= 120;
    if (keep) kept = end;
    await index.call('append', { stage, ...chunk(at, end), keep });
  }
}

async function finish(index: Harness, cache_dir: string, span: SpanKey = key) {
  const { stage, stored_frames, next_frame } = await index.call('begin', { cache_dir, ...begun, span });
  await append(index, stage, next_frame, film);
  assert.deepEqual(await index.call('commit', { stage, media }), { vectors: film });
  await index.call('forget_spans', { cache_dir, span });
  return { kept: stored_frames, next_frame };
}

/** All that is stored of the film, byte for byte. */
function stored(cache_dir: string) {
  const store = new Store(cache_dir);
  const { scene_starts, frame_runs, crc } = store.visual.stage('model', 'aa')!;
  const files = (['vectors', 'previews'] as const).flatMap((kind) =>
    bundlesOf(cache_dir, 'aa', kind).map((file) => readFileSync(file).toString('hex', headOf(file))),
  );
  return { scene_starts, frame_runs, crc, files };
}

const rowsIn = (cache_dir: string) => openIn(cache_dir).find((file) => file.endsWith('.vectors'))!;
const previewsIn = (cache_dir: string) => openIn(cache_dir).find((file) => file.endsWith('.previews'))!;

async function whole(t: TestContext) {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  assert.deepEqual(await finish(index, cache_dir), { kept: 0, next_frame: 0 });
  await index.close();
  return stored(cache_dir);
}

/** A folder as a kill leaves it after so many frames. */
async function killedAt(t: TestContext, frames: number, span: SpanKey | null = key): Promise<string> {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const { stage } = await index.call('begin', { cache_dir, ...begun, ...(span && { span }) });
  await append(index, stage, 0, frames);
  const left = temporaryFolder(t);
  cpSync(cache_dir, left, { recursive: true });
  await index.close();
  return left;
}

test('after a kill the film goes on behind its last span, and what is stored is as without the kill', async (t) => {
  const expected = await whole(t);
  for (const [frames, kept] of [
    [96, 0],
    [500, 432],
    [900, 864],
  ] as const) {
    const cache_dir = await killedAt(t, frames);
    const index = await indexActor(t);
    assert.deepEqual(await finish(index, cache_dir), { kept, next_frame: kept });
    await index.close();
    assert.deepEqual(stored(cache_dir), expected, `killed at ${frames}`);
    assert.deepEqual(openIn(cache_dir), []);
  }
});

test('a stage that is given up in order keeps everything, and can be taken up more than once', async (t) => {
  const expected = await whole(t);
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  for (const [from, to] of [
    [0, 50],
    [50, 51],
    [51, 700],
  ] as const) {
    const at = await index.call('begin', { cache_dir, ...begun, span: key });
    assert.deepEqual([at.stored_frames, at.next_frame], [from, from]);
    await append(index, at.stage, from, to);
    await index.call('abort', { stage: at.stage });
  }
  assert.equal((await finish(index, cache_dir)).kept, 700);
  await index.close();
  assert.deepEqual(stored(cache_dir), expected);
});

test('of a half film nothing is stored, loaded or shown', async (t) => {
  const cache_dir = await killedAt(t, 500);
  const index = await indexActor(t);
  const request = { cache_dir, model_key: 'model', hashes: ['aa'] };
  assert.deepEqual((await index.call('stored', request)).stored, [false]);
  assert.deepEqual((await index.call('load', request)).missing, ['aa']);
  assert.equal((await index.call('held', { cache_dir, hash_str: 'aa' })).visual, null);
  const shown = await index.call('previews', { cache_dir, frames: [{ hash_str: 'aa', frame_index: 3 }] });
  assert.deepEqual(shown.previews, [null]);
  const vector = { cache_dir, model_key: 'model', hash_str: 'aa', frame_index: 3 };
  assert.equal((await index.call('vector', vector)).vector, null);
});

test('spans of other settings, another task where it is forced, or what lay at the path before are dropped', async (t) => {
  const others: [string, Partial<SpanKey>, Partial<typeof begun>][] = [
    ['other settings', { settings: '{"decode":"keyframes"}' }, {}],
    ['forced by another task', { task_only: true, task_id: 'two' }, {}],
    ['another content at the path', { hash_str: 'bb' }, { hash_str: 'bb' }],
  ];
  for (const [name, change, asked] of others) {
    const cache_dir = await killedAt(t, 500);
    const index = await indexActor(t);
    const span = { ...key, ...change };
    const at = await index.call('begin', { cache_dir, ...begun, ...asked, span });
    assert.deepEqual([at.stored_frames, at.next_frame], [0, 0], name);
    assert.deepEqual(openIn(cache_dir), [], name);
    await index.close();
  }
  const forced = { ...key, task_only: true };
  const cache_dir = await killedAt(t, 500, forced);
  const index = await indexActor(t);
  assert.equal((await finish(index, cache_dir, forced)).kept, 432, 'a forced task goes on with its own');
});

test('a log that is cut or broken anywhere ends before that, and so does one whose previews are not all there', async (t) => {
  const expected = await whole(t);
  const left = await killedAt(t, 500);
  const bytes = readFileSync(rowsIn(left));
  const broken = (at: number) => Buffer.from(bytes).fill(bytes[at]! ^ 1, at, at + 1);
  const row = placeOf(rowsIn(left), 120) + 7;
  const cases: [string, (cache_dir: string) => void, number, number?][] = [
    ['cut in the last row', (dir) => truncateSync(rowsIn(dir), bytes.length - 5), 431],
    ['broken in a row', (dir) => writeFileSync(rowsIn(dir), broken(row)), 120],
    ['broken in the header', (dir) => writeFileSync(rowsIn(dir), broken(20)), 0],
    ['empty', (dir) => truncateSync(rowsIn(dir), 0), 0],
    ['previews cut', (dir) => truncateSync(previewsIn(dir), statSync(previewsIn(dir)).size >> 1), 300, 400],
    ['previews gone', (dir) => truncateSync(previewsIn(dir), 0), 0],
  ];
  for (const [name, damage, least, most = least] of cases) {
    const cache_dir = temporaryFolder(t);
    cpSync(left, cache_dir, { recursive: true });
    damage(cache_dir);
    const index = await indexActor(t);
    const at = await finish(index, cache_dir);
    assert.ok(at.kept >= least && at.kept <= most, `${name}: ${at.kept}`);
    await index.close();
    assert.deepEqual(stored(cache_dir), expected, name);
  }
});

test('a disk that fills up in a span or at the end leaves the spans before it, and the film goes on with more space', async (t) => {
  const expected = await whole(t);
  let most = 0;
  for (const room of [60_000, 200_000, 400_000, 550_000, 600_000]) {
    const cache_dir = temporaryFolder(t);
    const on: StoreDisk & { left: number } = {
      left: room,
      write(fd, data, position) {
        if (this.left <= 0) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
        const written = disk.write(fd, data.subarray(0, Math.min(this.left, data.byteLength)), position);
        this.left -= written;
        return written;
      },
      flush: disk.flush,
    };
    const index = await indexActor(t, { on });
    await assert.rejects(finish(index, cache_dir), storeErrors.STORE_FULL.is, String(room));
    on.left = 1e9;
    const { kept } = await finish(index, cache_dir);
    assert.ok(kept >= most, `${room}: ${kept}`);
    most = kept;
    await index.close();
    assert.deepEqual(stored(cache_dir), expected, String(room));
  }
  assert.ok(most >= 864, 'also where only the commit finds no room');
});

test('a writer that lost its lease leaves alone what another one took up', async (t) => {
  const expected = await whole(t);
  const cache_dir = temporaryFolder(t);
  const first = await indexActor(t);
  const { stage } = await first.call('begin', { cache_dir, ...begun, span: key });
  await append(first, stage, 0, 500);
  // Another thread of this process takes the lease over, as after a minute of silence.
  const second = await indexActor(t);
  const taken = await second.call('begin', { cache_dir, ...begun, span: key });
  assert.equal(taken.stored_frames, 432);
  await append(second, taken.stage, 432, 700);
  // What is read of the records is as of the last turn of the event loop.
  await new Promise(setImmediate);
  const late = { stage, ...chunk(500, 548), keep: true };
  await assert.rejects(first.call('append', late), storeErrors.STORE_IN_USE.is);
  await first.call('abort', { stage });
  await first.close();
  await append(second, taken.stage, 700, film);
  await second.call('commit', { stage: taken.stage, media });
  await second.close();
  assert.deepEqual(stored(cache_dir), expected);
});

test('what nobody takes up is removed after two weeks, and what no work goes on with at once', async (t) => {
  const cache_dir = await killedAt(t, 96, null);
  assert.equal(openIn(cache_dir).length, 1, 'a bundle that nobody goes on with');
  const index = await indexActor(t);
  const other = { cache_dir, hash_str: 'bb', model_key: 'model', dimensions: d };
  await index.call('abort', await index.call('begin', other));
  assert.deepEqual(openIn(cache_dir), []);
  const speech = { ...key, stage: 'speech' };
  await index.call('keep_span', { cache_dir, span: speech, position: 30, bytes: new Uint8Array([1]) });
  const day = (now: number, days: number) => (now - keptForMs) / 1000 + days * 24 * 3600;
  const unrelated = { ...key, hash_str: 'cc', path: '/footage/cc.mp4' };
  for (const [days, left] of [
    [1, 1],
    [-1, 0],
  ] as const) {
    for (const file of openIn(cache_dir)) utimesSync(file, 0, day(Date.now(), days));
    await index.call('kept_spans', { cache_dir, span: unrelated });
    assert.equal(openIn(cache_dir).length, left);
  }
});

test('spans of any stage are answered in order until they are forgotten', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const span = { ...key, stage: 'speech' };
  const add = (position: number, ...bytes: number[]) =>
    index.call('keep_span', { cache_dir, span, position, bytes: Uint8Array.from(bytes) });
  const all = async (of: SpanKey = span) =>
    (await index.call('kept_spans', { cache_dir, span: of })).spans.map(({ position, bytes }) => [
      position,
      ...bytes,
    ]);
  assert.deepEqual(await all(), []);
  await add(30.5, 1, 2);
  await add(61, 3);
  assert.deepEqual(await all(), [
    [30.5, 1, 2],
    [61, 3],
  ]);
  assert.deepEqual(await all(key), [], 'of another stage');
  assert.equal((await all()).length, 2, 'which dropped nothing of this one');
  await index.call('forget_spans', { cache_dir, span });
  assert.deepEqual(await all(), []);
  assert.deepEqual(openIn(cache_dir), []);
});
