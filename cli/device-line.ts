// Writes where the visual model runs, and why on no better device: a slow run has its reason in the first line.
import type { ModelState } from '../actors/embedder/contract.ts';
import { deviceText } from '../actors/models/device.ts';
import { printable, type Screen } from './terminal.ts';

export function writeDeviceLine(screen: Screen, state: ModelState): void {
  const { model_key, device, device_reason } = state;
  if (model_key === null || device === null) return;
  const reason = device_reason ? ` (${printable(device_reason)})` : '';
  screen.write(`${model_key} runs on ${deviceText(device)}${reason}\n`);
}
