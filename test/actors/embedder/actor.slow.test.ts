import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { definition } from '../../../actors/embedder/actor.ts';
import { embedderContract, type PictureReading } from '../../../actors/embedder/contract.ts';
import { systemClock } from '../../../runtime/clock.ts';
import type { SlotHandle } from '../../../runtime/contract.ts';
import { EngineError } from '../../../runtime/errors.ts';
import { createLog, type LogLine } from '../../../runtime/log.ts';
import { createSlotPool } from '../../../runtime/slots.ts';
import { createSupervisor } from '../../../runtime/supervisor.ts';
import { startThread } from '../../../runtime/thread.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { startInMemory } from '../../runtime/memory.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { until } from '../../until.ts';
import { cosine, DIMENSIONS, SIDE } from './graphs.ts';
import { clipFiles, clipRow, siglipFiles, siglipRow, writeModel } from './tiny.ts';

const BYTES = SIDE * SIDE * 3;
const modelsDir = temporaryFolder();
before(async () => {
  await writeModel(modelsDir, siglipRow('tiny-siglip'), siglipFiles);
  await writeModel(modelsDir, clipRow('tiny-clip'), clipFiles);
  await writeModel(modelsDir, clipRow('damaged'), { ...clipFiles, text: new Uint8Array([1, 2, 3]) });
  await writeModel(modelsDir, siglipRow('half'), siglipFiles);
  const { shape } = siglipRow('large').visual!;
  const large = siglipRow('large', { shape: { ...shape, width: 1024, height: 1024 } });
  await writeModel(modelsDir, large, siglipFiles);
  await rm(join(modelsDir, 'half', 'text.onnx'));
});

async function start(defaultModel = 'tiny-siglip', slotBytes = BYTES + 64) {
  const lines: LogLine[] = [];
  const log = createLog('test', (line) => lines.push(line));
  const pool = createSlotPool(8, slotBytes);
  const supervisor = createSupervisor({ clock: manualClock(), log, pool });
  const settings = { modelsDir, device: 'cpu', threads: 1, defaultModel };
  const embedder = await supervisor.add({
    name: 'embedder',
    contract: embedderContract,
    capacity: 16,
    turnLimitMs: 60_000,
    start: () => startInMemory(definition, { settings, log, memory: pool.memory }),
  });
  const holder = pool.holder();
  const fill = async (seed: number) => {
    const handle = await pool.acquire(holder);
    const view = pool.view(handle);
    for (let at = 0; at < view.length; at += 1) view[at] = (at * seed * 13 + (at >> 3)) & 255;
    return handle;
  };
  return { embedder, fill, pool, lines, stop: () => supervisor.stop() };
}

const withCode = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof EngineError && error.code === code && message.test(error.message);

test('before anything is asked for, no model is there, and pictures are refused', async () => {
  const { embedder, fill, stop } = await start();
  const state = await embedder.ask('state', {});
  assert.equal(state.load_status, 'unavailable');
  assert.equal(state.model_key, null);
  const pictures = [await fill(1)];
  await assert.rejects(
    embedder.ask('pictures', { model_key: 'tiny-siglip', pictures }),
    withCode('MODEL_NOT_LOADED', /"tiny-siglip" was requested, but no model is loaded/),
  );
  await stop();
});

test('a model is loaded, answers what it wants, and embeds more pictures than one run takes', async () => {
  const { embedder, fill, stop } = await start();
  const model = await embedder.ask('load', { model_key: 'tiny-siglip' });
  const fit = { fit: 'stretch', resample: 'bilinear' } as const;
  assert.deepEqual(model.shape, { width: SIDE, height: SIDE, ...fit, trim_bars: true });
  assert.equal(model.dimensions, DIMENSIONS);
  assert.equal(model.batch, 4);
  assert.deepEqual(model.state, {
    model_key: 'tiny-siglip',
    is_loading: false,
    requested_model_key: 'tiny-siglip',
    load_status: 'ready',
    fallback_from: null,
    error: null,
    device: 'cpu',
    device_reason: null,
  });
  const handles = await Promise.all([1, 2, 3, 4, 5, 6].map(fill));
  const { vectors } = await embedder.ask('pictures', { model_key: 'tiny-siglip', pictures: handles });
  assert.equal(vectors.length, 6 * DIMENSIONS);
  for (const [at, handle] of handles.entries()) {
    const one = await embedder.ask('pictures', { model_key: 'tiny-siglip', pictures: [handle] });
    assert(cosine(one.vectors, vectors.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS)) > 0.99999);
  }
  await stop();
});

test('a picture is embedded in each reading that is asked for, mirrored as if it had been drawn so', async () => {
  const { embedder, fill, pool, stop } = await start();
  const model_key = 'tiny-siglip';
  await embedder.ask('load', { model_key });
  const [first, second, swapped] = (await Promise.all([1, 2, 2].map(fill))) as [
    SlotHandle,
    SlotHandle,
    SlotHandle,
  ];
  const [from, to] = [pool.view(second), pool.view(swapped)];
  for (let at = 0; at < SIDE * SIDE * 3; at++) {
    const [pixel, channel] = [Math.floor(at / 3), at % 3];
    const [row, column] = [Math.floor(pixel / SIDE), pixel % SIDE];
    to[at] = from[(row * SIDE + SIDE - 1 - column) * 3 + channel]!;
  }
  const vectorsOf = async (pictures: SlotHandle[], readings?: PictureReading[]) => {
    const { vectors } = await embedder.ask('pictures', {
      model_key,
      pictures,
      ...(readings && { readings }),
    });
    return Array.from({ length: vectors.length / DIMENSIONS }, (_, i) =>
      vectors.subarray(i * DIMENSIONS, (i + 1) * DIMENSIONS),
    );
  };
  const plain = await vectorsOf([first, second, swapped]);
  const asked = await vectorsOf([first, second, swapped], ['plain', 'mirrored']);
  assert.equal(asked.length, 6);
  const expected = [plain[0]!, null, plain[1]!, plain[2]!, plain[2]!, plain[1]!];
  for (const [at, vector] of expected.entries()) if (vector) assert(cosine(asked[at]!, vector) > 0.99999);
  assert(cosine(plain[1]!, plain[2]!) < 0.999, 'the picture looks otherwise in a mirror');
  await stop();
});

test('texts are embedded in their order, more than one run takes', async () => {
  const { embedder, stop } = await start();
  await embedder.ask('load', { model_key: 'tiny-clip' });
  const texts = ['red car', 'car', 'a', 'b', 'c', 'red car'];
  const { vectors, unknown_words } = await embedder.ask('texts', { model_key: 'tiny-clip', texts });
  assert.deepEqual(
    unknown_words,
    texts.map(() => []),
  );
  const row = (at: number) => vectors.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS);
  assert(cosine(row(0), row(5)) > 0.99999);
  assert(cosine(row(0), row(1)) < 0.999);
  await stop();
});

test('a model asked for twice while it loads is loaded once', async () => {
  const { embedder, lines, stop } = await start();
  const ask = () => embedder.ask('load', { model_key: 'tiny-siglip' });
  const [first, second] = await Promise.all([ask(), ask()]);
  assert.deepEqual(first, second);
  await ask();
  assert.equal(lines.filter(({ message }) => message === 'visual model in use').length, 1);
  await stop();
});

test('two models asked for at once are loaded one after the other, and the last one stays', async () => {
  const { embedder, fill, stop } = await start();
  const [first, second] = await Promise.all([
    embedder.ask('load', { model_key: 'tiny-siglip' }),
    embedder.ask('load', { model_key: 'tiny-clip' }),
  ]);
  assert.deepEqual([first.model_key, second.model_key], ['tiny-siglip', 'tiny-clip']);
  await assert.rejects(
    embedder.ask('pictures', { model_key: 'tiny-siglip', pictures: [await fill(1)] }),
    withCode('MODEL_NOT_LOADED', /"tiny-clip" is loaded/),
  );
  await stop();
});

test('the state says what is loading while it loads', async () => {
  const { embedder, stop } = await start();
  const loading = embedder.ask('load', { model_key: 'tiny-siglip' });
  const state = await until(async () => {
    const now = await embedder.ask('state', {});
    return now.load_status !== 'unavailable' && now;
  });
  if (state.load_status === 'loading') {
    assert.equal(state.is_loading, true);
    assert.equal(state.requested_model_key, 'tiny-siglip');
    assert.equal(state.model_key, null);
  }
  await loading;
  assert.equal((await embedder.ask('state', {})).load_status, 'ready');
  await stop();
});

test('a model that cannot be loaded gives way to the default one, and the state says from which', async () => {
  const { embedder, stop } = await start();
  const model = await embedder.ask('load', { model_key: 'damaged' });
  assert.equal(model.model_key, 'tiny-siglip');
  assert.equal(model.state.load_status, 'ready');
  assert.equal(model.state.fallback_from, 'damaged');
  assert.equal(model.state.requested_model_key, 'damaged');
  assert.match(model.state.error ?? '', /damaged.text\.onnx/);
  await embedder.ask('texts', { model_key: 'tiny-siglip', texts: ['red'] });
  await stop();
});

test('when the default model cannot be loaded either, the state is failed and a later load can succeed', async () => {
  const { embedder, stop } = await start('damaged');
  await assert.rejects(
    embedder.ask('load', { model_key: 'damaged' }),
    withCode('MODEL_LOAD_FAILED', /damaged.text\.onnx/),
  );
  const state = await embedder.ask('state', {});
  assert.equal(state.load_status, 'failed');
  assert.equal(state.model_key, null);
  assert.equal(state.fallback_from, null);
  const model = await embedder.ask('load', { model_key: 'tiny-clip' });
  assert.equal(model.state.load_status, 'ready');
  assert.equal(model.state.error, null);
  await stop();
});

test('a key that is unknown or not downloaded is refused and changes nothing', async () => {
  const { embedder, stop } = await start();
  await embedder.ask('load', { model_key: 'tiny-siglip' });
  await assert.rejects(
    embedder.ask('load', { model_key: 'nothing' }),
    withCode('MODEL_UNKNOWN', /"nothing"/),
  );
  await assert.rejects(
    embedder.ask('load', { model_key: 'half' }),
    withCode('MODEL_NOT_DOWNLOADED', /half lacks text\.onnx$/),
  );
  await assert.rejects(
    embedder.ask('load', { model_key: 'clip-b32' }),
    withCode('MODEL_NOT_DOWNLOADED', /framehound models pull clip-b32/),
  );
  const state = await embedder.ask('state', {});
  assert.equal(state.model_key, 'tiny-siglip');
  assert.equal(state.load_status, 'ready');
  await stop();
});

test('a slot smaller than the picture of the model is refused', async () => {
  const { embedder, fill, stop } = await start('tiny-siglip', BYTES - 1);
  await embedder.ask('load', { model_key: 'tiny-siglip' });
  await assert.rejects(
    embedder.ask('pictures', { model_key: 'tiny-siglip', pictures: [await fill(1)] }),
    withCode('INVALID_MESSAGE', /a slot of 767 bytes, a picture of "tiny-siglip" has 768/),
  );
  await stop();
});

test('a cancelled call ends between two runs and the next one works', async () => {
  const { embedder, fill, stop } = await start();
  await embedder.ask('load', { model_key: 'tiny-siglip' });
  const pictures = await Promise.all([1, 2, 3, 4, 5, 6].map(fill));
  const caller = new AbortController();
  const cancelled = embedder.ask(
    'pictures',
    { model_key: 'tiny-siglip', pictures },
    { signal: caller.signal },
  );
  caller.abort();
  await assert.rejects(cancelled, withCode('CANCELLED', /./));
  const { vectors } = await embedder.ask('pictures', { model_key: 'tiny-siglip', pictures });
  assert.equal(vectors.length, 6 * DIMENSIONS);
  await stop();
});

test('a load that is cancelled leaves no model, and who else asked for it gets it', async () => {
  const { embedder, lines, stop } = await start();
  const caller = new AbortController();
  const { signal } = caller;
  const first = embedder.ask('load', { model_key: 'tiny-siglip' }, { signal });
  caller.abort();
  await assert.rejects(first, withCode('CANCELLED', /./));
  const again = new AbortController();
  const one = embedder.ask('load', { model_key: 'tiny-clip' }, { signal: again.signal });
  const other = embedder.ask('load', { model_key: 'tiny-clip' });
  again.abort();
  await assert.rejects(one, withCode('CANCELLED', /./));
  assert.equal((await other).model_key, 'tiny-clip');
  assert.deepEqual(
    lines.filter(({ level }) => level === 'error'),
    [],
  );
  await stop();
});

test('a model folder written while the program runs is found by the next load', async () => {
  const { embedder, stop } = await start();
  await assert.rejects(embedder.ask('load', { model_key: 'late' }), withCode('MODEL_UNKNOWN', /late/));
  await writeModel(modelsDir, siglipRow('late'), siglipFiles);
  assert.equal((await embedder.ask('load', { model_key: 'late' })).model_key, 'late');
  await writeFile(join(modelsDir, 'late', 'model.json'), '{"key":');
  await embedder.ask('load', { model_key: 'tiny-siglip' });
  await assert.rejects(
    embedder.ask('load', { model_key: 'late' }),
    withCode('MODEL_INVALID', /late.model\.json/),
  );
  await stop();
});

test('with nothing downloaded the starter model embeds, and names the words it does not know', async () => {
  const side = 224;
  const { embedder, fill, stop } = await start('starter-visual-3', side * side * 3 + 100);
  const model = await embedder.ask('load', { model_key: 'starter-visual-3' });
  assert.equal(model.state.load_status, 'ready');
  const { vectors } = await embedder.ask('pictures', {
    model_key: 'starter-visual-3',
    pictures: [await fill(1), await fill(2)],
  });
  assert.equal(vectors.length, 2 * model.dimensions);
  assert(
    Math.abs(cosine(vectors.subarray(0, model.dimensions), vectors.subarray(0, model.dimensions)) - 1) < 1e-4,
  );
  const texts = await embedder.ask('texts', {
    model_key: 'starter-visual-3',
    texts: ['red zyxw', 'blue zyxw'],
  });
  assert.deepEqual(texts.unknown_words, [['zyxw'], ['zyxw']]);
  await stop();
});

test('two embedders in threads of their own load, embed and end cleanly while they are at work', async () => {
  const log = createLog('test', () => {});
  const pool = createSlotPool(4, BYTES);
  const supervisor = createSupervisor({ clock: systemClock, log, pool });
  const { calls } = definition.contract;
  const module = new URL('../../../actors/embedder/actor.ts', import.meta.url);
  const settings = { modelsDir, device: 'cpu', threads: 1, defaultModel: 'tiny-siglip' };
  const start = (name: string) => () =>
    startThread({ name, module, calls, settings, memory: pool.memory, log });
  const add = (name: string) =>
    supervisor.add({
      name,
      contract: embedderContract,
      capacity: 16,
      turnLimitMs: 60_000,
      start: start(name),
    });
  const embedders = await Promise.all([add('one'), add('two')]);
  const handle = await pool.acquire(pool.holder());
  pool.view(handle).forEach((_, at, bytes) => {
    bytes[at] = at & 255;
  });
  const pictures = Array.from({ length: 40 }, () => handle);
  for (const embedder of embedders) {
    await embedder.ask('load', { model_key: 'tiny-siglip' });
    const { vectors } = await embedder.ask('pictures', { model_key: 'tiny-siglip', pictures });
    assert.equal(vectors.length, pictures.length * DIMENSIONS);
  }
  const running = embedders.map((embedder) =>
    embedder.ask('pictures', { model_key: 'tiny-siglip', pictures }),
  );
  const ended = Promise.allSettled(running);
  assert.deepEqual(await supervisor.stop(), []);
  await ended;
});

test('a model whose pictures fit no slot is refused when it is loaded, and the one before stays', async () => {
  const { embedder, stop } = await start();
  await embedder.ask('load', { model_key: 'tiny-clip' });
  await assert.rejects(
    embedder.ask('load', { model_key: 'large' }),
    withCode('MODEL_INVALID', /large.model\.json.*1024×1024 is larger than the limit of 512×512 pixels/),
  );
  assert.equal((await embedder.ask('state', {})).model_key, 'tiny-clip');
  await stop();
});
