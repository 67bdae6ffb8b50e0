import assert from 'node:assert/strict';
import test from 'node:test';
import { noModel } from '../../actors/embedder/contract.ts';
import { deviceState } from '../../actors/models/current.ts';
import type { RunsOn } from '../../actors/models/device.ts';
import { type Service, useModelAndTell, writeDeviceLine } from '../../cli/service.ts';
import { fakeHome } from './fake-context.ts';

function told(on: RunsOn | null): string {
  const texts: string[] = [];
  const screen = { write: (text: string) => void texts.push(text), columns: 80, isTerminal: false };
  writeDeviceLine(screen, { ...noModel, ...(on && { model_key: 'clip-b32', ...deviceState(on) }) });
  return texts.join('');
}

test('where a model runs is told in a line, with the reason why on no better device', () => {
  assert.equal(told({ device: 'cuda', refused: [] }), 'clip-b32 runs on CUDA\n');
  const refused = [{ device: 'cuda', reason: 'libcudnn.so.9 is not found' }] as const;
  assert.equal(
    told({ device: 'cpu', refused }),
    'clip-b32 runs on the processor (CUDA: libcudnn.so.9 is not found)\n',
  );
  assert.equal(told(null), '');
});

test('the model that a service loads just then is awaited, and told', async (t) => {
  const loading = { ...noModel, is_loading: true, requested_model_key: 'clip-b32' };
  const ready = { ...noModel, model_key: 'clip-b32', ...deviceState({ device: 'cpu', refused: [] }) };
  const states = [loading, loading, ready];
  const client = { loadedModels: async () => ({ visual: states.shift(), speech: noModel }) };
  const context = fakeHome(t).context();
  await useModelAndTell({ client, isOwn: false } as unknown as Service, context);
  assert.equal(context.said().err, 'clip-b32 runs on the processor\n');
});
