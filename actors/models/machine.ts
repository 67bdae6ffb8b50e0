// What this machine has for running models, found without loading the runtime that runs them.
import { existsSync } from 'node:fs';
import { usableMemory } from '../../runtime/usable-memory.ts';
import type { Machine } from './advice.ts';
import type { DeviceChoice } from './device.ts';

/** `choice`: the device of the settings; with `cpu` a graphics device is there for others. */
export function thisMachine(choice: DeviceChoice): Machine {
  return { memoryBytes: usableMemory(), graphics: choice !== 'cpu' && hasGpu() };
}

/** Linux has device files; elsewhere only trying tells. */
export function hasGpu(): boolean {
  return process.platform !== 'linux' || existsSync('/dev/dri') || existsSync('/dev/nvidiactl');
}
