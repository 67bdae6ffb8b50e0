// Resources of this machine for models, found without loading the runtime.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { usableMemory } from '../../runtime/process/limits.ts';
import { cudaProvider, hasNvidia } from '../../runtime/process/nvidia.ts';
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
 * True if the processor has instructions that multiply bytes and add up the products (VNNI). Without them
 * bytes are not faster, or sums of products overflow. Linux reports them; other systems were not measured.
 */
export function multipliesBytes(): boolean {
  if (process.platform !== 'linux' || process.arch !== 'x64') return false;
  return /^flags\b.*\bavx(512)?_vnni\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
}

// Reasons why CUDA does not work, by the files on this machine: the runtime does not name a missing library.

/** Null where nothing is found to be wrong. `files`: of the provider. */
export function cudaFault(
  device: 'cuda' | 'tensorrt',
  files: readonly string[] = cudaProvider(),
): string | null {
  const paths = device === 'cuda' ? files : files.map((path) => path.replace(/_cuda\.so$/, '_tensorrt.so'));
  if (!paths.every((path) => existsSync(path))) return 'its provider for onnxruntime is not installed';
  // The runtime has loaded its own by then.
  const missing = new Set(paths.flatMap(missingLibraries).filter((name) => !/^libonnx/.test(name)));
  if (missing.size === 0) return null;
  return `${[...missing].join(', ')} ${missing.size === 1 ? 'is' : 'are'} not found`;
}

/** All that the loader of Linux does not find, where an error of loading names the first alone. */
function missingLibraries(path: string): string[] {
  const { stdout } = spawnSync('ldd', [path], { encoding: 'utf8' });
  return Array.from((stdout ?? '').matchAll(/^\s*(\S+) => not found$/gm), ([, name]) => name!);
}
