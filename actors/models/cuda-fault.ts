// What the files on this machine tell of a CUDA that does not work: the runtime names no library that it
// lacks.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';
import { cudaProvider } from '../../runtime/process/nvidia.mjs';

const modules = () => dirname(dirname(findPackageJSON('onnxruntime-node', import.meta.url)!));

/** Null where nothing is found to be wrong. `files`: of the provider. */
export function cudaFault(
  device: 'cuda' | 'tensorrt',
  files: readonly string[] = cudaProvider(modules()),
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
