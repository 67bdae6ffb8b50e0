import assert from 'node:assert/strict';
import test from 'node:test';
import type { embedderContract } from '../../../../actors/embedder/contract.ts';
import { createVisualModels } from '../../../../actors/search/models/visual-models.ts';
import { manualClock } from '../../../../runtime/clock.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import type { Ref } from '../../../../runtime/ref.ts';

/** An embedder that opens whatever it is asked for. */
function willing(): Ref<typeof embedderContract> {
  let open: string | null = null;
  const state = () => ({
    model_key: open,
    is_loading: false,
    requested_model_key: open,
    load_status: 'ready' as const,
    fallback_from: null,
    error: null,
    device: 'cpu' as const,
  });
  const ask = async (name: string, request: unknown) => {
    if (name === 'load') open = (request as { model_key: string }).model_key;
    return { ...state(), model_key: open, dimensions: 2, state: state() };
  };
  return { name: 'embedder', phase: 'ready', ask, feed: () => assert.fail() } as unknown as Ref<
    typeof embedderContract
  >;
}

test('a switch whose clearing fails ends, and the model can be asked for again', async () => {
  let broken = false;
  const models = createVisualModels({
    pictureEmbedder: willing(),
    textEmbedder: willing(),
    clock: manualClock(),
    changed: async () => {
      if (broken) throw engineErrors.ACTOR_CRASHED('index ended while it worked on drop');
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

test('words are read while who looks at pictures is in the middle of a batch', async () => {
  const pictureEmbedder = willing();
  let inBatch = false;
  const busy = (...question: Parameters<typeof pictureEmbedder.ask>) =>
    inBatch ? new Promise<never>(() => {}) : pictureEmbedder.ask(...question);
  const models = createVisualModels({
    pictureEmbedder: { ...pictureEmbedder, ask: busy } as typeof pictureEmbedder,
    textEmbedder: willing(),
    clock: manualClock(),
    changed: async () => {},
  });
  await models.load('first');
  inBatch = true;
  assert.equal((await models.open('words')).model_key, 'first');
});
