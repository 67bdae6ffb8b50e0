// What the hash of a file is, looked at once for as long as its size, time and inode stay the same.
import type { CallOptions, Ref } from '../../../runtime/ref.ts';
import { type decoderContract, type FileIdentity, isMediaError } from '../../decoder/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import { type NamedContent, nameContent } from '../../index/store/content-name.ts';

/** What a file system says of a file without reading it. */
export type Mark = Pick<FileIdentity, 'size_bytes' | 'mtime_ms' | 'inode'>;

/** Files remembered. */
const MOST = 4096;

export class Identities {
  readonly #decoder: Ref<typeof decoderContract>;
  readonly #index: Ref<typeof indexContract>;
  readonly #known = new Map<string, FileIdentity>();

  constructor(decoder: Ref<typeof decoderContract>, index: Ref<typeof indexContract>) {
    this.#decoder = decoder;
    this.#index = index;
  }

  /**
   * With the hash by which the folder knows the content. Reads at most 3 MiB, and more only where the hash
   * alone does not tell which of its contents it is. Errors: those of media and of the store.
   */
  async of(cache_dir: string, path: string, mark: Mark, call: CallOptions): Promise<NamedContent> {
    const known = this.#known.get(path);
    const found = known && isSame(known, mark) ? known : await this.#decoder.ask('identify', { path }, call);
    const parts = { decoder: this.#decoder, index: this.#index, cache_dir, call };
    const named = await nameContent(parts, path, found);
    this.#known.delete(path);
    this.#known.set(path, { ...named.identity, hash_str: found.hash_str });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST) break;
      this.#known.delete(oldest);
    }
    return named;
  }

  /** Null where the file cannot be read as a media: then nothing is known of what it is now. */
  async find(cache_dir: string, path: string, mark: Mark, call: CallOptions): Promise<NamedContent | null> {
    try {
      return await this.of(cache_dir, path, mark, call);
    } catch (error) {
      if (isMediaError(error)) return null;
      throw error;
    }
  }
}

export function isSame(a: Mark, b: Mark): boolean {
  return a.size_bytes === b.size_bytes && a.mtime_ms === b.mtime_ms && a.inode === b.inode;
}
