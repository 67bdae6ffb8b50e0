import assert from 'node:assert/strict';
import test from 'node:test';
import { noModel } from '../../actors/embedder/contract.ts';
import { deviceState } from '../../actors/models/current.ts';
import type { RunsOn } from '../../actors/models/device.ts';
import { writeDeviceLine } from '../../cli/service.ts';

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
