// Where the files of public models lie, and the systems their graphs run on.
import type { OperatingSystem } from '../contract.ts';
import type { ModelFile } from '../model-file.ts';

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
