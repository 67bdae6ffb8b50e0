// What this machine has for running models, found without loading the runtime that runs them.
import { existsSync, readFileSync } from 'node:fs';
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

/**
 * Whether the processor has instructions that multiply bytes and add up the products (VNNI). Elsewhere bytes
 * are not faster, or sums of products overflow. Linux tells; on others nothing was measured.
 */
export function multipliesBytes(): boolean {
  if (process.platform !== 'linux' || process.arch !== 'x64') return false;
  return /^flags\b.*\bavx(512)?_vnni\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
}
