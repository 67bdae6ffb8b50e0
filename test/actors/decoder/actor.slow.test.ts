import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { copyTurned } from '../../../actors/decoder/pixels/geometry.ts';
import { EngineError } from '../../../runtime/errors.ts';
import { askFrames, askIdentity, askPicture, askProbe, stampShape } from './ask-decoder.ts';
import { type Expected, oddFiles } from './footage/odd-files.ts';
import { readStamp } from './footage/stamp.ts';

async function outcome<T>(work: () => Promise<T>): Promise<T | EngineError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
}

function expectError(path: string, error: EngineError, expected: readonly Expected[]) {
  const allowed = expected.flatMap((one) => (one.kind === 'error' ? one.codes : []));
  assert.ok((allowed as string[]).includes(error.code), `${error.code}: ${error.message}`);
  assert.ok(error.message.startsWith(path), error.message);
}

for (const file of oddFiles) {
  describe(file.name, () => {
    const kinds = file.expected.map(({ kind }) => kind);

    test('the probe tells what it is or why it cannot', async () => {
      const path = await file.make();
      const probe = await outcome(() => askProbe(path));
      if (probe instanceof EngineError) return expectError(path, probe, file.expected);
      const expected = file.expected.find(({ kind }) => kind === probe.kind);
      assert.ok(expected || kinds.includes('video'), `taken for ${probe.kind}`);
      if (expected?.kind === 'image') {
        assert.deepEqual([probe.width, probe.height], [expected.width, expected.height]);
        assert.equal(probe.grid_frames, 1);
      }
      if (expected?.kind === 'audio') assert.ok(Math.abs(probe.duration_seconds - expected.seconds) < 0.2);
    });

    test('its frames come, or an error that names it', async () => {
      const path = await file.make();
      const got = await outcome(() => askFrames({ path, preview: { max_side: 640, quality: 80 } }));
      if (got instanceof EngineError) {
        if (kinds.includes('audio')) assert.equal(got.code, 'NO_PICTURE');
        else if (!file.expected.some((one) => one.kind === 'video' && one.frames === 0)) {
          expectError(path, got, file.expected);
        }
        return;
      }
      assert.ok(kinds.includes('video') || kinds.includes('image'));
      const least = file.expected.map((one) => (one.kind === 'video' ? Math.floor(one.frames / 30) : 1));
      assert.ok(got.length >= Math.min(...least), `${got.length} frames`);
      for (const { preview } of got) assert.deepEqual(preview?.subarray(0, 2), Uint8Array.of(0xff, 0xd8));
    });

    test('a moment of it comes, or an error that names it', async () => {
      const path = await file.make();
      const got = await outcome(() => askPicture(path, 1.5));
      if (got instanceof EngineError) assert.ok(got.message.startsWith(path), got.message);
    });
  });
}

test('a still of any format holds the same picture', async () => {
  for (const file of oddFiles.filter(({ name }) => name.startsWith('a still') && name.includes('still.'))) {
    const [got] = await askFrames({ path: await file.make(), shape: stampShape });
    assert.equal(readStamp(got!.rgb, stampShape.width, stampShape.height), 7, file.name);
  }
});

test('a still is shown upright', async () => {
  const file = oddFiles.find(({ name }) => name.endsWith('turned.jpg'))!;
  const { width, height } = stampShape;
  const [got] = await askFrames({
    path: await file.make(),
    shape: { ...stampShape, width: height, height: width },
  });
  const back = new Uint8Array(got!.rgb.length);
  const turned = { data: got!.rgb, width: height, height: width, stride: height * 3, depth: 3 };
  copyTurned(turned, { rotation: 270, mirrored: false }, 0, 0, {
    data: back,
    width,
    height,
    stride: width * 3,
    depth: 3,
  });
  assert.equal(readStamp(back, width, height), 7);
});

test('damage costs only the GOP it is in', async () => {
  const film = oddFiles.find(({ name }) => name === 'bytes changed in one GOP')!;
  const got = await askFrames({ path: await film.make() });
  const intact = got.filter(({ second }) => second < 2 || second >= 4);
  assert.deepEqual(
    intact.map(({ second, rgb }) => [second, readStamp(rgb, stampShape.width, stampShape.height)]),
    [
      [0, 0],
      [1, 30],
      [4, 120],
    ],
  );
});

test('a file that is not there, and a folder, are refused by name', async () => {
  for (const ask of [askProbe, askIdentity, (path: string) => askFrames({ path })]) {
    await assert.rejects(ask('/nowhere/film.mp4'), { code: 'FILE_NOT_FOUND', message: /nowhere\/film\.mp4/ });
    await assert.rejects(ask(import.meta.dirname), { code: 'FILE_UNREADABLE' });
  }
});
