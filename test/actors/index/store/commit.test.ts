import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { disk, type StoreDisk } from '../../../../actors/index/store/disk.ts';
import { Environment, type Transaction } from '../../../../actors/index/store/environment.ts';
import { leaseKey } from '../../../../actors/index/store/names.ts';
import { newLease } from '../../../../actors/index/store/open-work.ts';
import { LeaseRow } from '../../../../actors/index/store/records.ts';
import type { VectorStage } from '../../../../actors/index/store/stage.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { seal } from '../../../../actors/index/store/table.ts';
import { VectorWriter, type WriterOptions } from '../../../../actors/index/store/writer.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { framesUpTo, mediaRecord, preview } from '../footage.ts';
import { someFootage } from '../handlers.ts';

const d = 32;
const films = ['aa', 'bb', 'cc'].map((hash, i) => ({ hash, vectors: someFootage(20, i) }));

function writerOf(t: TestContext, cache_dir: string, options: WriterOptions = {}) {
  const environment = Environment.open(join(cache_dir, 'records.mdb'), 'write');
  t.after(() => environment.close());
  return { environment, writer: new VectorWriter(cache_dir, environment, options) };
}

function begun(writer: VectorWriter, film: number): VectorStage {
  const { hash, vectors } = films[film]!;
  const stage = writer.begin(hash, 'model', d);
  const frames = framesUpTo(20);
  writer.append(stage, {
    frames: frames,
    vectors: Float32Array.from(vectors),
    previews: frames.map((frame) => preview(frame)),
  });
  return stage;
}

function commit(writer: VectorWriter, stage: VectorStage): number {
  const [stored] = writer.commit([{ stage, media: mediaRecord(stage.hash) }]);
  if (typeof stored === 'number') return stored;
  throw stored;
}

/** The frames of a film whose stored vectors are its own. */
function whole(t: TestContext, cache_dir: string, film: number): number {
  const store = new Store(cache_dir);
  t.after(() => store.close());
  const { hash, vectors } = films[film]!;
  return framesUpTo(20).filter((frame) => {
    const own = vectors.subarray(frame * d, (frame + 1) * d);
    const stored = store.visual.vector('model', hash, frame);
    return stored?.every((value, i) => Math.abs(value - own[i]!) < 2e-5);
  }).length;
}

/** The next transaction takes place and throws all the same, as when the disk fails behind it. */
function failAfterNext(environment: Environment): void {
  const { transact } = environment;
  environment.transact = <T>(action: (writes: Transaction) => T): T => {
    environment.transact = transact;
    transact.call(environment, action);
    throw storeErrors.STORE_UNAVAILABLE('EIO after the commit');
  };
}

test('what a commit that threw had stored all the same is not overwritten by the stages after it', (t) => {
  const cache_dir = temporaryFolder(t);
  const { environment, writer } = writerOf(t, cache_dir);
  const [first, second] = [begun(writer, 0), begun(writer, 1)];
  failAfterNext(environment);
  assert.throws(() => commit(writer, first), storeErrors.STORE_UNAVAILABLE.is);
  assert.equal(commit(writer, begun(writer, 2)), 20);
  assert.equal(commit(writer, second), 20);
  assert.deepEqual(
    [0, 1, 2].map((film) => whole(t, cache_dir, film)),
    [20, 20, 20],
  );
  assert.equal(commit(writer, begun(writer, 0)), 20);
  assert.equal(whole(t, cache_dir, 0), 20);
});

test('a commit that failed before anything was stored leaves the others alone', (t) => {
  const cache_dir = temporaryFolder(t);
  const { environment, writer } = writerOf(t, cache_dir);
  const [first, second] = [begun(writer, 0), begun(writer, 1)];
  const { transact } = environment;
  environment.transact = () => {
    environment.transact = transact;
    throw storeErrors.STORE_FULL('no space');
  };
  assert.throws(() => commit(writer, second), storeErrors.STORE_FULL.is);
  assert.equal(commit(writer, first), 20);
  assert.equal(commit(writer, begun(writer, 2)), 20);
  assert.deepEqual(
    [0, 2].map((film) => whole(t, cache_dir, film)),
    [20, 20],
  );
});

test('a writer that was suspended writes no row once another one has taken over', (t) => {
  const cache_dir = temporaryFolder(t);
  let writes = 0;
  const on: StoreDisk = {
    write: (fd, bytes, position) => {
      writes++;
      return disk.write(fd, bytes, position);
    },
    flush: disk.flush,
  };
  const { environment, writer } = writerOf(t, cache_dir, { on });
  const stage = writer.begin('aa', 'model', d);
  writer.append(stage, { frames: framesUpTo(20), vectors: films[0]!.vectors, previews: [] });
  const before = writes;
  const other = { ...newLease(), host: 'another-host', renewed_ms: Date.now() };
  environment.transact((all) => all.put(leaseKey, seal(LeaseRow, leaseKey, other)));
  assert.throws(() => commit(writer, stage), storeErrors.STORE_IN_USE.is);
  assert.equal(writes, before);
});

test('what is written is flushed before the transaction that makes it visible', (t) => {
  const cache_dir = temporaryFolder(t);
  const unflushed = new Set<number>();
  const on: StoreDisk = {
    write: (fd, bytes, position) => {
      unflushed.add(fd);
      return disk.write(fd, bytes, position);
    },
    flush: (fd) => {
      disk.flush(fd);
      unflushed.delete(fd);
    },
  };
  const { environment, writer } = writerOf(t, cache_dir, { on });
  const stage = begun(writer, 0);
  assert.ok(unflushed.size > 0);
  const { transact } = environment;
  const seen: [unflushed: number, frames: number][] = [];
  environment.transact = <T>(action: (writes: Transaction) => T): T => {
    const before = unflushed.size;
    const answer = transact.call(environment, action as (writes: Transaction) => unknown) as T;
    seen.push([before, whole(t, cache_dir, 0)]);
    return answer;
  };
  commit(writer, stage);
  const visible = seen.find(([, frames]) => frames > 0);
  assert.deepEqual(visible, [0, 20]);
});
