import assert from 'node:assert/strict';
import test from 'node:test';
import type { embedderContract } from '../../../../actors/embedder/contract.ts';
import { OwnedModels } from '../../../../actors/search/models/visual-models.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import type { Ref } from '../../../../runtime/ref.ts';
import { manualClock } from '../../../runtime/manual-clock.ts';
import { world } from '../../analysis/fakes.ts';

/** An embedder that opens whatever it is asked for; what it was asked to load is written down. */
function willing(asked: string[] = []): Ref<typeof embedderContract> {
  let open: string | null = null;
  const state = () => ({
    model_key: open,
    is_loading: false,
    requested_model_key: open,
    load_status: 'ready' as const,
    fallback_from: null,
    error: null,
    device: 'cpu' as const,
    device_reason: null,
  });
  const ask = async (name: string, request: unknown) => {
    if (name === 'load') {
      const { model_key } = request as { model_key: string };
      asked.push(model_key);
      open = model_key === 'broken' ? 'default' : model_key;
    }
    return { ...state(), model_key: open, dimensions: 2, state: state() };
  };
  return { name: 'embedder', phase: 'ready', ask, feed: () => assert.fail() } as unknown as Ref<
    typeof embedderContract
  >;
}

function owned() {
  const [pictures, texts]: [string[], string[]] = [[], []];
  const models = new OwnedModels({
    pictureEmbedder: willing(pictures),
    textEmbedder: willing(texts),
    opensPictures: () => true,
    clock: manualClock(),
    changed: async () => {},
  });
  return { models, pictures, texts };
}

test('a switch whose clearing fails ends, and the model can be asked for again', async () => {
  let broken = false;
  const models = new OwnedModels({
    pictureEmbedder: willing(),
    textEmbedder: willing(),
    opensPictures: () => true,
    clock: manualClock(),
    changed: async () => {
      if (broken) throw engineErrors.ACTOR_CRASHED('index ended while working on drop');
    },
  });
  await models.load('first');
  broken = true;
  await assert.rejects(models.load('second'), engineErrors.ACTOR_CRASHED.is);
  assert.equal(models.state.is_loading, false);
  assert.equal(models.state.load_status, 'failed');
  broken = false;
  assert.equal((await models.load('second')).model_key, 'second');
});

test('an embedder of pictures opens a model that cannot fail when a picture is asked for, any other at once', async () => {
  const [pictures, texts]: [string[], string[]] = [[], []];
  const pictureEmbedder = { ...willing(pictures), phase: 'idle' } as Ref<typeof embedderContract>;
  const textEmbedder = willing(texts);
  const models = new OwnedModels({
    pictureEmbedder,
    textEmbedder,
    opensPictures: (key) => key !== 'included',
    clock: manualClock(),
    changed: async () => {},
  });
  assert.equal((await models.load('included')).model_key, 'included');
  assert.deepEqual([pictures, texts], [[], ['included']]);
  await models.open('pictures');
  assert.deepEqual([pictures, texts], [['included'], ['included']]);
  assert.equal((await models.load('broken')).model_key, 'default');
  assert.deepEqual(pictures, ['included', 'broken']);
});

test('texts are embedded while the picture embedder is in the middle of a batch', async () => {
  const pictureEmbedder = willing();
  let inBatch = false;
  const busy = (...question: Parameters<typeof pictureEmbedder.ask>) =>
    inBatch ? new Promise<never>(() => {}) : pictureEmbedder.ask(...question);
  const models = new OwnedModels({
    pictureEmbedder: { ...pictureEmbedder, ask: busy } as typeof pictureEmbedder,
    textEmbedder: willing(),
    opensPictures: () => true,
    clock: manualClock(),
    changed: async () => {},
  });
  await models.load('first');
  inBatch = true;
  assert.equal((await models.open('texts')).model_key, 'first');
});

test('a model that is used comes into use in both embedders, and is asked of pictures alone from then on', async () => {
  const { models, pictures, texts } = owned();
  assert.equal((await models.use('first')).model_key, 'first');
  assert.equal(models.active(), 'first');
  assert.deepEqual(texts, ['first']);
  pictures.length = 0;
  // As after a crash of the picture embedder: whoever needs the model asks for it again.
  await models.use('first');
  assert.deepEqual([pictures, texts, models.loads.ready], [['first'], ['first'], 1]);
});

test('when the default model takes its place, that is the model an analysis uses', async () => {
  const { models } = owned();
  const { model_key } = await models.use('broken');
  assert.deepEqual([model_key, models.state.fallback_from], ['default', 'broken']);
  assert.equal((await models.use(model_key)).model_key, 'default');
  assert.equal(models.loads.ready, 1);
});

test('using a model waits until the load of another one has ended', async () => {
  const { models } = owned();
  const loading = models.load('first');
  const using = models.use('second');
  assert.equal((await loading).model_key, 'first');
  assert.equal((await using).model_key, 'second');
  assert.equal(models.active(), 'second');
});

test('who waits for a model leaves when it is cancelled, and the load goes on', async () => {
  const { models } = owned();
  const cancel = new AbortController();
  const loading = models.load('first');
  const [same, other] = [models.use('first', cancel.signal), models.use('second', cancel.signal)];
  cancel.abort();
  await assert.rejects(same, engineErrors.CANCELLED.is);
  await assert.rejects(other, engineErrors.CANCELLED.is);
  assert.equal((await loading).model_key, 'first');
  await assert.rejects(models.use('second', cancel.signal), engineErrors.CANCELLED.is);
  assert.equal(models.active(), 'first');
});

test('loads are counted once each, with the seconds they took', async () => {
  const w = await world([]);
  const { models } = w.search;
  const loading = models.load('fake');
  w.clock.advance(1_500);
  await Promise.all([loading, models.load('fake')]);
  await models.load('fake');
  assert.deepEqual(models.loads, { ready: 1, failed: 0, seconds: 1.5 });
  await w.end();
  await assert.rejects(models.load('big'));
  assert.deepEqual(models.loads, { ready: 1, failed: 1, seconds: 1.5 });
});

test('a key of a model from before is the model that has taken its place, and nothing is called a fallback', async () => {
  const { models, pictures, texts } = owned();
  const { model_key, fallback_from } = await models.load('starter-visual');
  assert.deepEqual({ model_key, fallback_from }, { model_key: 'starter-visual-3', fallback_from: null });
  assert.equal((await models.use('starter-visual')).model_key, 'starter-visual-3');
  assert.ok([...pictures, ...texts].every((key) => key === 'starter-visual-3'));
});
