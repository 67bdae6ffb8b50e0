import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Check } from 'typebox/value';
import { analysisErrors, MediaPropertiesAnswer } from '../../../../actors/analysis/contract.ts';
import { propertiesEntry } from '../../../../actors/analysis/media/properties.ts';
import type { Probe } from '../../../../actors/decoder/contract.ts';
import { type MediaRecord, storeErrors } from '../../../../actors/index/store/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import type { FakeFile } from '../fake-file.ts';
import { world } from '../fakes.ts';

const none = new AbortController().signal;

async function propertiesWorld(files: readonly FakeFile[], options: { folder?: boolean } = {}) {
  const w = await world(files);
  const cache_dir = join(w.folder, 'cache');
  if (options.folder ?? true) mkdirSync(cache_dir);
  const ask = (media_paths: readonly string[] = w.paths, signal: AbortSignal = none) =>
    w.analysis.properties({ cache_dir, media_paths, model_key: 'fake' }, signal);
  return { ...w, ask };
}

function record(probe: Partial<Probe>, rate?: { num: number; den: number }): MediaRecord {
  const video = rate && ({ frame_rate: rate } as Probe['video']);
  const timecode = { text: '01:00:00:00', drop_frame: true, rate: { num: 30000, den: 1001 } };
  const rest = { kind: 'video', duration_seconds: 0, width: 4, height: 2, timecode, ...probe, video };
  return {
    path: '/a',
    identity: { hash_str: 'h', size_bytes: 1, mtime_ms: 1, inode: '1' },
    probe: rest as Probe,
  };
}

test('rates and durations are written as people read them', () => {
  const both = new Set(['h']);
  for (const [probe, rate, fps, runtime] of [
    [{ duration_seconds: 10.01 }, { num: 30000, den: 1001 }, 29.97, '00:00:10'],
    [{ duration_seconds: 3599.999 }, { num: 24000, den: 1001 }, 23.976, '01:00:00'],
    [{ duration_seconds: 86_400.5 }, { num: 25, den: 1 }, 25, '24:00:00'],
    [{ duration_seconds: 2 }, { num: 0, den: 1 }, null, '00:00:02'],
    [{ kind: 'image' }, undefined, 0, null],
    [{ kind: 'audio', duration_seconds: 61.9 }, undefined, 0, '00:01:01'],
    [{ kind: 'audio', duration_seconds: 0 }, undefined, 0, null],
  ] as const) {
    const entry = propertiesEntry(record(probe, rate), both, both);
    assert.deepEqual([entry.fps, entry.runtime], [fps, runtime]);
    assert.deepEqual([entry.timecode_rate, entry.drop_frame], [29.97, true]);
  }
});

test('sound has no visual analysis and a still no transcript, whatever is stored for the hash', () => {
  const both = new Set(['h']);
  const cached = (kind: Probe['kind']) => {
    const { video_cached, audio_cached } = propertiesEntry(record({ kind }), both, both);
    return [video_cached, audio_cached];
  };
  assert.deepEqual(
    [cached('video'), cached('image'), cached('audio')],
    [
      [true, true],
      [true, false],
      [false, true],
    ],
  );
});

test('each file is answered once, in the order asked for, with what is stored of it', async () => {
  const w = await propertiesWorld([
    { name: 'a', frames: 3 },
    { name: 'b', frames: 2 },
    { name: 'still', frames: 1, kind: 'image' },
  ]);
  const [a, b, still] = w.paths as [string, string, string];
  await w.run(none, false, [a]);
  w.state.transcribed.add('b');
  const answer = await w.ask([still, b, a, b]);
  assert.ok(Check(MediaPropertiesAnswer, answer));
  assert.deepEqual(Object.keys(answer.media_properties), [still, b, a]);
  const of = (path: string) => answer.media_properties[path]!;
  assert.deepEqual([of(a).video_cached, of(b).video_cached, of(still).video_cached], [true, false, false]);
  assert.deepEqual([of(a).audio_cached, of(b).audio_cached], [false, true]);
  assert.deepEqual([of(a).hash_str, of(a).runtime, of(still).runtime], ['a', '00:00:03', null]);
  assert.deepEqual(answer.unreadable, {});
  await w.end();
});

test('files that cannot be read are left out and told why; when none can, it is an error that says so', async () => {
  const w = await propertiesWorld([{ name: 'a', frames: 3 }]);
  const gone = join(w.folder, 'gone.mp4');
  const answer = await w.ask([...w.paths, gone]);
  assert.deepEqual(Object.keys(answer.media_properties), w.paths);
  assert.match(answer.unreadable[gone] ?? '', /gone\.mp4.*file not found/);
  const many = Array.from({ length: 9 }, (_, i) => join(w.folder, `gone-${i}`));
  await assert.rejects(w.ask(many), (error) => {
    assert.ok(analysisErrors.NO_MEDIA.is(error));
    assert.equal(error.status, 400);
    assert.match(error.message, /gone-0.*gone-4.*and 4 more$/);
    return true;
  });
  await w.end();
});

test('a file that is known is answered without being probed again', async () => {
  const w = await propertiesWorld([{ name: 'a', frames: 3 }]);
  await w.ask();
  const before = w.state.probing.all;
  await w.ask();
  assert.deepEqual([before, w.state.probing.all, w.state.remembered], [1, 1, 1]);
  await w.end();
});

test('a file that is edited in place and keeps its time is read again', async () => {
  const w = await propertiesWorld([{ name: 'a', frames: 3 }]);
  const [path] = w.paths as [string];
  const { atimeMs, mtimeMs } = statSync(path);
  utimesSync(path, atimeMs / 1000, Math.floor(mtimeMs / 1000));
  await w.ask();
  writeFileSync(path, readFileSync(path).fill(65));
  utimesSync(path, atimeMs / 1000, Math.floor(mtimeMs / 1000));
  await w.ask();
  assert.deepEqual([w.state.probing.all, w.state.remembered], [2, 2]);
  await w.end();
});

test('a known file is probed again when other XMP lies beside it, and named only once', async () => {
  const w = await propertiesWorld([{ name: 'a', frames: 3 }]);
  const [path] = w.paths as [string];
  await w.ask();
  writeFileSync(`${path}.xmp`, '<x/>');
  await w.ask();
  // The fake prober says nothing of XMP, so it is news each time.
  assert.deepEqual([w.state.probing.all, w.state.remembered], [2, 2]);
  rmSync(`${path}.xmp`);
  await w.ask();
  assert.equal(w.state.probing.all, 2);
  await w.end();
});

test('a folder that is not there yet or cannot be written is answered all the same, without remembering', async () => {
  const absent = await propertiesWorld([{ name: 'a', frames: 3 }], { folder: false });
  assert.equal(Object.keys((await absent.ask()).media_properties).length, 1);
  assert.equal(absent.state.remembered, 0);
  await absent.end();
  const w = await propertiesWorld([{ name: 'a', frames: 3 }]);
  w.state.readOnly = true;
  assert.equal(Object.keys((await w.ask()).media_properties).length, 1);
  w.state.unavailable = true;
  await assert.rejects(w.ask(), storeErrors.STORE_UNAVAILABLE.is);
  await w.end();
});

test('many files are surveyed a few at a time, and cancelling ends it', async () => {
  const files = Array.from({ length: 300 }, (_, i) => ({ name: `f${i}`, frames: 1 }));
  const w = await propertiesWorld(files);
  assert.equal(Object.keys((await w.ask()).media_properties).length, 300);
  assert.ok(w.state.probing.most <= 4);
  await w.end();
  const slow = await propertiesWorld(files);
  const release = Promise.withResolvers<void>();
  slow.state.holdProbes = release.promise;
  const stop = new AbortController();
  const asked = slow.ask(slow.paths, stop.signal);
  stop.abort();
  await assert.rejects(asked, engineErrors.CANCELLED.is);
  release.resolve();
  assert.ok(slow.state.probing.all < 10);
  await slow.end();
});

test('a file that ended the engine twice is left alone', async () => {
  const w = await propertiesWorld([{ name: 'a', frames: 3 }]);
  const seen: string[] = [];
  const write = w.journal.write.bind(w.journal);
  w.journal.write = (entry) => {
    if (entry.type === 'stage-start') seen.push(entry.key);
    write(entry);
  };
  await w.ask();
  const { history } = w.journal;
  for (const pid of [-1, -2]) {
    history.take({ type: 'stage-start', time: 0, pid, task_id: '', key: seen[0]! });
    history.died({ pid, how: '' });
  }
  w.state.media.clear();
  await assert.rejects(w.ask(), (error) => analysisErrors.NO_MEDIA.is(error) && /twice/.test(error.message));
  assert.equal(w.state.probing.all, 1);
  await w.end();
});

test('a file that cannot be read is looked at once, until it changes, if only within its size and time', async () => {
  const w = await propertiesWorld([{ name: 'a', frames: 3 }]);
  const [path = ''] = w.paths;
  const keepTime = () => utimesSync(path, 1, 1);
  keepTime();
  w.state.files.delete(path);
  const lines = () => readFileSync(w.journalPath, 'utf8').split('\n').length;
  const refused = (error: unknown) => analysisErrors.NO_MEDIA.is(error) && /not media/.test(error.message);
  await assert.rejects(w.ask(), refused);
  const after = lines();
  for (let i = 0; i < 5; i++) await assert.rejects(w.ask(), refused);
  assert.equal(lines(), after, 'looks leave nothing in the journal');
  w.state.files.set(path, { name: 'a', frames: 3 });
  writeFileSync(path, readFileSync(path).fill(65));
  keepTime();
  assert.equal(Object.keys((await w.ask()).media_properties).length, 1);
  await w.end();
});

test('a path that is what is left of a name that is not UTF-8 is refused for that', {
  skip: process.platform === 'linux' ? false : 'file names are always text here',
}, async () => {
  const w = await propertiesWorld([{ name: 'a', frames: 3 }]);
  writeFileSync(Buffer.from(`${w.folder}/caf\xe9.mp4`, 'latin1'), '');
  const { unreadable } = await w.ask([...w.paths, join(w.folder, 'caf\ufffd.mp4'), join(w.folder, 'no.mp4')]);
  const reasons = Object.values(unreadable);
  assert.match(reasons[0] ?? '', /not valid UTF-8; rename it/);
  assert.match(reasons[1] ?? '', /file not found/);
  await w.end();
});
