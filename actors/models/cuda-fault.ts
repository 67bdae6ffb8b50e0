// What the files on this machine tell of a CUDA that does not work: the runtime names no library that it
// lacks.
import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';
import { cudaProvider } from '../../runtime/process/nvidia.mjs';
import { missingLibraries } from './shared-libraries/missing.ts';

const modules = () => dirname(dirname(findPackageJSON('onnxruntime-node', import.meta.url)!));

/** Null where nothing is found to be wrong. `files`: of the provider. */
export function cudaFault(
  device: 'cuda' | 'tensorrt',
  files: readonly string[] = cudaProvider(modules()),
): string | null {
  const paths = device === 'cuda' ? files : files.map((path) => path.replace(/_cuda\.so$/, '_tensorrt.so'));
  if (!paths.every((path) => existsSync(path))) return 'its provider for onnxruntime is not installed';
  // The runtime has loaded its own by then.
  const missing = new Set(
    paths.flatMap((path) => missingLibraries(path)).filter((name) => !/^libonnx/.test(name)),
  );
  if (missing.size === 0) return null;
  return `${[...missing].join(', ')} ${missing.size === 1 ? 'is' : 'are'} not found`;
}
