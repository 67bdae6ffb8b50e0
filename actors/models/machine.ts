// What this machine has for running models, found without loading the runtime that runs them.
import { existsSync } from 'node:fs';
import { hasNvidia } from '../../runtime/process/nvidia.mjs';
import { usableMemory } from '../../runtime/usable-memory.ts';
import type { Machine } from './advice.ts';
import { type DeviceChoice, type Graphics, mayUseGraphics } from './device.ts';

/** `choice`: the device of the settings; with `cpu` a graphics device is there for others. */
export function thisMachine(choice: DeviceChoice): Machine {
  return { memoryBytes: usableMemory(), graphics: mayUseGraphics(choice, graphicsHere()) };
}

/** Linux has device files; elsewhere only trying tells. */
export function graphicsHere(): Graphics {
  if (process.platform !== 'linux') return { any: true, nvidia: true };
  const nvidia = hasNvidia();
  return { any: nvidia || existsSync('/dev/dri'), nvidia };
}
