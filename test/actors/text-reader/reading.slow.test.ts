import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { modelErrors, noModelErrors } from '../../../actors/models/contract.ts';
import { definition } from '../../../actors/text-reader/actor.ts';
import { type TextReading, textReaderContract } from '../../../actors/text-reader/contract.ts';
import { createLog } from '../../../runtime/log.ts';
import type { Picture } from '../../../runtime/picture.ts';
import { createSlotPool } from '../../../runtime/slots.ts';
import { createSupervisor } from '../../../runtime/supervisor.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { startInMemory } from '../../runtime/memory.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { tinyRecognizer, writeTextModel, written } from './graphs.ts';

const modelsDir = temporaryFolder();
before(async () => {
  await writeTextModel(modelsDir);
});

async function startReader(t: TestContext, folder = modelsDir) {
  const log = createLog('test', () => {});
  const pool = createSlotPool(1, 320 * 480 * 3);
  const supervisor = createSupervisor({ clock: manualClock(), log, pool });
  t.after(() => supervisor.stop());
  const reader = await supervisor.add({
    name: 'text-reader',
    contract: textReaderContract,
    capacity: 16,
    turnLimitMs: 60_000,
    start: () =>
      startInMemory(definition, {
        settings: { modelsDir: folder, device: 'cpu', threads: 1 },
        log,
        memory: pool.memory,
      }),
  });
  const handle = await pool.acquire(pool.holder());
  const read = async (picture: Picture, earlier: TextReading | null = null) => {
    const { model_key } = await reader.ask('load', {});
    pool.view(handle).set(picture.data);
    const { width, height } = picture;
    const request = { model_key, picture: handle, width, height, side: 320, before: earlier };
    return reader.ask('read', request);
  };
  return { reader, read };
}

const texts = ({ lines }: TextReading) => lines.map(({ text }) => text);
const upper = { text: 'RGB', x: 64, y: 64 };
const lower = { text: 'BBRG', x: 192, y: 200 };

test('lines are read from top to bottom, with a score and a box within the picture', async (t) => {
  const { read } = await startReader(t);
  const {
    reading,
    looked,
    read: count,
  } = await read(written(320, 240, lower, upper, { text: 'G', x: 0, y: 224 }));
  assert.deepEqual(texts(reading), ['RGB', 'BRG', 'G']);
  assert.deepEqual([looked, count], [1, 3]);
  const [first, , last] = reading.lines;
  assert.ok(first!.score > 0.9, `${first!.score}`);
  const [x, y, w, h] = first!.box;
  // 48×16 px that have grown by 19.2 in all.
  assert.deepEqual([x * 320, y * 240, w * 320, h * 240].map(Math.round), [54, 54, 68, 35]);
  assert.ok(last!.box[0] === 0 && last!.box[1] + last!.box[3] <= 1);
});

test('a picture that has not changed is not looked at again', async (t) => {
  const { read } = await startReader(t);
  const picture = written(320, 240, upper, lower);
  const first = await read(picture);
  const second = await read(picture, first.reading);
  assert.deepEqual(second, { reading: first.reading, looked: 0, read: 0 });
});

test('where a line changes it alone is read, and the others stay', async (t) => {
  const { read } = await startReader(t);
  const first = await read(written(320, 240, upper, lower));
  const second = await read(written(320, 240, upper, { ...lower, text: 'BBRR' }), first.reading);
  assert.deepEqual(texts(second.reading), ['RGB', 'BR']);
  assert.equal(second.read, 1);
  assert.ok(second.looked < 0.6, `${second.looked}`);
  const third = await read(written(320, 240, upper), second.reading);
  assert.deepEqual([texts(third.reading), third.read], [['RGB'], 0]);
  const fourth = await read(written(320, 240, upper, { text: 'GR', x: 160, y: 66 }), third.reading);
  assert.deepEqual([texts(fourth.reading), fourth.read], [['RGB', 'GR'], 1]);
});

test('what is read with the picture before it is what is read without', async (t) => {
  const { read } = await startReader(t);
  let reading: TextReading | null = null;
  for (let step = 0; step < 8; step++) {
    const line = { text: 'RGBG'.slice(step % 3), x: 32 * step, y: 90 + 12 * step };
    const picture = written(320, 240, ...(step % 2 ? [upper, line] : [line]), lower);
    const alone = await read(picture);
    const gated = await read(picture, reading);
    assert.deepEqual(texts(gated.reading), texts(alone.reading), `step ${step}`);
    reading = gated.reading;
  }
});

test('where all has changed and no line was, lines are looked for when a smaller picture shows text', async (t) => {
  const { read } = await startReader(t);
  const grey = (picture: Picture) => {
    for (let at = 0; at < picture.data.length; at += 3) {
      const pixel = picture.data.subarray(at, at + 3);
      if (pixel.every((value) => value === 0)) pixel.fill(60);
    }
    return picture;
  };
  const first = await read(written(320, 240));
  const second = await read(grey(written(320, 240)), first.reading);
  assert.deepEqual([texts(second.reading), second.looked], [[], 0], 'what has changed is no text');
  const third = await read(written(320, 240, upper), second.reading);
  assert.deepEqual([texts(third.reading), third.looked, third.read], [['RGB'], 1, 1]);
  const fourth = await read(grey(written(320, 240, lower)), third.reading);
  assert.deepEqual([texts(fourth.reading), fourth.looked], [['BRG'], 1]);
});

test('a picture of another size is read as the first one', async (t) => {
  const { read } = await startReader(t);
  const { reading } = await read(written(320, 240, upper));
  const other = await read(written(320, 480, upper), reading);
  assert.deepEqual([texts(other.reading), other.looked], [['RGB'], 1]);
});

test('a picture of one colour has no text', async (t) => {
  const { read } = await startReader(t);
  assert.deepEqual((await read(written(320, 240))).reading.lines, []);
});

test('without a model the command that brings one is named', async (t) => {
  const empty = temporaryFolder(t);
  const { reader } = await startReader(t, empty);
  await assert.rejects(reader.ask('load', {}), (error) => {
    assert.ok(noModelErrors.NO_TEXT_MODEL.is(error));
    assert.match((error as Error).message, /framehound models pull pp-ocr-v4/);
    return true;
  });
});

test('a dictionary that does not fit the graph is told by name', async (t) => {
  const folder = temporaryFolder(t);
  await writeTextModel(folder, { recognizer: tinyRecognizer(9) });
  const { reader } = await startReader(t, folder);
  await assert.rejects(reader.ask('load', {}), (error) => {
    assert.ok(modelErrors.MODEL_LOAD_FAILED.is(error));
    assert.match(
      (error as Error).message,
      /keys\.txt: .*rec\.onnx tells 9 characters apart, and the dictionary has 3/,
    );
    return true;
  });
});

test('a graph of something else is refused by what it lacks', async (t) => {
  const folder = temporaryFolder(t);
  await writeTextModel(folder);
  await writeFile(join(folder, 'tiny-text', 'det.onnx'), tinyRecognizer());
  const { reader } = await startReader(t, folder);
  await assert.rejects(
    reader.ask('load', {}),
    /det\.onnx: .*input x|det\.onnx: has no output sigmoid_0\.tmp_0/,
  );
});
