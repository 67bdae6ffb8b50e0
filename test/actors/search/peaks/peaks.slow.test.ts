import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { modifiedMs } from '../../../../actors/decoder/contract.ts';
import { PeakRuns } from '../../../../actors/decoder/peaks/runs.ts';
import { peaksFile } from '../../../../actors/index/store/names.ts';
import { searchErrors } from '../../../../actors/search/contract.ts';
import { createPeaks, peaksOf } from '../../../../actors/search/peaks/peaks.ts';
import { writeFilm } from '../../../../bench/samples/writer/film.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { TestTurn } from '../../decoder/ask-decoder.ts';
import { mediaRecord } from '../../index/footage.ts';
import { indexActor } from '../../index/handlers.ts';

const never = new AbortController().signal;

/** A real index and a real decoder, and ten seconds of sound that are loud in the second half. */
async function setUp(t: TestContext) {
  const [index, root] = [await indexActor(t), temporaryFolder(t)];
  const cache_dir = join(root, 'analysis');
  const path = join(root, 'a.wav');
  const fill = (start: number, samples: Float32Array) => {
    for (let i = 0; i < samples.length; i++) samples[i] = start + i < 5 * 16_000 ? 0.2 : 0.8;
  };
  await writeFilm({
    path,
    sound: { encoder: 'pcm_s16le', sampleRate: 16_000, channels: 1, seconds: 10, fill },
  });
  const remember = async (hash: string, at: string, audio = 1) => {
    const stats = statSync(at, { bigint: true });
    const mark = { size_bytes: Number(stats.size), mtime_ms: modifiedMs(stats), inode: String(stats.ino) };
    const { probe } = mediaRecord(hash, at);
    const track = {
      index: 0,
      codec: 'pcm_s16le',
      sample_rate: 16_000,
      channels: 1,
      layout: null,
      language: null,
    };
    const media = {
      path: at,
      identity: { hash_str: hash, ...mark },
      probe: { ...probe, audio: audio ? [track] : [] },
    };
    await index.call('remember', { cache_dir, media });
  };
  await remember('aa', path);
  const runs = new PeakRuns();
  const asked: string[] = [];
  /** Is told of each file that the decoder is to open. */
  const result: { opening(path: string): void } = { opening: () => {} };
  const decoder = {
    ask: async (name: string, request: never, { signal }: { signal?: AbortSignal }) => {
      asked.push(name);
      if (name === 'end_peaks') return runs.end((request as { run: string }).run);
      if (signal?.aborted) throw engineErrors.CANCELLED();
      result.opening((request as { path: string }).path);
      return runs.step(request, new TestTurn(0));
    },
  };
  const ref = { ask: (name: never, request: never) => index.call(name, request) };
  const open = () => createPeaks({ index: ref, thumbnailDecoders: [decoder] } as never);
  const begun = () => asked.filter((name) => name === 'peaks').length;
  const request = { cache_dir, hash_str: 'aa', points: 4 };
  const file = peaksFile(cache_dir, 'aa');
  return { index, cache_dir, path, remember, open, begun, asked, told: result, request, file };
}

test('a sound is heard once, kept in the analysis folder, and asked for in any range', async (t) => {
  const { open, begun, request, path, file } = await setUp(t);
  const peaks = open();
  const call = { signal: never };
  const both = await Promise.all([peaks(request, call), peaks({ ...request, points: 2 }, call)]);
  const parts = begun();
  assert.deepEqual(both[0], {
    hash_str: 'aa',
    media_path: path,
    has_sound: true,
    duration_seconds: 10,
    start_seconds: 0,
    end_seconds: 10,
    peaks: [0.2, 0.2, 0.8, 0.8],
  });
  assert.deepEqual(both[1].peaks, [0.2, 0.8]);
  const range = await peaks({ ...request, start_seconds: 4, end_seconds: 60, points: 3 }, call);
  assert.deepEqual([range.end_seconds, range.peaks], [10, [0.8, 0.8, 0.8]]);
  rmSync(path);
  assert.deepEqual((await open()({ ...request, points: 2 }, call)).peaks, [0.2, 0.8]);
  assert.equal(begun(), parts, 'nothing was decoded again');
  assert.ok(existsSync(file));
});

test('what is kept damaged, or by another version, is made again', async (t) => {
  const { open, begun, request, file } = await setUp(t);
  const first = await open()(request, { signal: never });
  const good = readFileSync(file);
  const changed = (at: number) => Buffer.from(good.map((byte, i) => (i === at ? byte ^ 1 : byte)));
  for (const bytes of [
    changed(0),
    changed(4),
    changed(9),
    changed(17),
    changed(100),
    good.subarray(0, 50),
    Buffer.alloc(0),
  ]) {
    const before = begun();
    writeFileSync(file, bytes);
    assert.deepEqual(await open()(request, { signal: never }), first);
    assert.ok(begun() > before);
    assert.ok(readFileSync(file).equals(good));
  }
});

test('forgetting the media removes its peaks, and nothing is kept of what is not known', async (t) => {
  const { open, request, index, cache_dir, file } = await setUp(t);
  await open()(request, { signal: never });
  await index.call('remove_media', { cache_dir, hashes: ['aa'] });
  assert.equal(existsSync(file), false);
  const peaks = { per_second: 50, values: new Uint8Array(10) };
  assert.deepEqual(await index.call('keep_peaks', { cache_dir, hash_str: 'aa', peaks }), { stored: false });
  await assert.rejects(open()(request, { signal: never }), searchErrors.MEDIA_UNKNOWN.is);
});

test('a request that leaves ends the work, and times that do not fit are named', async (t) => {
  const { open, request, asked, path, remember } = await setUp(t);
  const leaving = new AbortController();
  const peaks = open();
  const left = peaks(request, { signal: leaving.signal });
  leaving.abort();
  await assert.rejects(left, engineErrors.CANCELLED.is);
  for (const [field, times] of [
    ['end_seconds', { start_seconds: 5, end_seconds: 5 }],
    ['end_seconds', { end_seconds: 0 }],
    ['start_seconds', { start_seconds: 10 }],
  ] as const) {
    await assert.rejects(peaks({ ...request, ...times }, { signal: never }), (error: unknown) => {
      assert.ok(searchErrors.BAD_TIME.is(error));
      return error.details['field'] === field;
    });
  }
  const before = asked.length;
  await remember('bb', path, 0);
  const silent = await peaks({ ...request, hash_str: 'bb' }, { signal: never });
  assert.deepEqual([silent.has_sound, silent.peaks, asked.length], [false, [], before]);
});

test('a file that becomes another one while it waits its turn, or as it is opened, leaves no peaks', async (t) => {
  const { open, request, path, remember, told, cache_dir } = await setUp(t);
  const b = join(dirname(path), 'b.wav');
  for (const [hash_str, trigger] of [
    ['b0', path],
    ['b1', b],
  ] as const) {
    copyFileSync(path, b);
    await remember(hash_str, b);
    rmSync(peaksFile(cache_dir, 'aa'), { force: true });
    told.opening = (opened) => {
      if (opened === trigger) appendFileSync(b, Buffer.alloc(1000));
    };
    const peaks = open();
    const [, second] = await Promise.allSettled([
      peaks(request, { signal: never }),
      peaks({ ...request, hash_str }, { signal: never }),
    ]);
    assert.equal(second.status, 'rejected', hash_str);
    assert.ok(searchErrors.MEDIA_GONE.is(second.reason));
    assert.equal(existsSync(peaksFile(cache_dir, hash_str)), false);
  }
});

test('parts that are finer than what is kept repeat it, and after its end it is silent', () => {
  const kept = { per_second: 2, values: Uint8Array.of(255, 51, 0) };
  assert.deepEqual(peaksOf(kept, 0, 2, 4), [1, 0.2, 0, 0]);
  assert.deepEqual(peaksOf(kept, 0, 1, 4), [1, 1, 0.2, 0.2]);
  assert.deepEqual(peaksOf(kept, 0, 2, 1), [1]);
});
