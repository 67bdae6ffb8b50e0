// What the hash of a file is, looked at once for as long as its size, time and inode stay the same.
import type { CallOptions, Ref } from '../../../runtime/ref.ts';
import { type decoderContract, type FileIdentity, mediaErrors } from '../../decoder/contract.ts';

/** What a file system says of a file without reading it. */
export type Mark = Pick<FileIdentity, 'size_bytes' | 'mtime_ms' | 'inode'>;

/** Files remembered. */
const MOST = 4096;

export class Identities {
  readonly #decoder: Ref<typeof decoderContract>;
  readonly #known = new Map<string, FileIdentity>();

  constructor(decoder: Ref<typeof decoderContract>) {
    this.#decoder = decoder;
  }

  /** Reads at most 3 MiB. Errors: those of media. */
  async of(path: string, mark: Mark, call: CallOptions): Promise<FileIdentity> {
    const known = this.#known.get(path);
    if (known && isSame(known, mark)) return known;
    const identity = await this.#decoder.ask('identify', { path }, call);
    this.#known.delete(path);
    this.#known.set(path, identity);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST) break;
      this.#known.delete(oldest);
    }
    return identity;
  }

  /** Null where the file cannot be read as a media: then nothing is known of what it is now. */
  async find(path: string, mark: Mark, call: CallOptions): Promise<FileIdentity | null> {
    try {
      return await this.of(path, mark, call);
    } catch (error) {
      if (Object.values(mediaErrors).some((row) => row.is(error))) return null;
      throw error;
    }
  }
}

export function isSame(a: Mark, b: Mark): boolean {
  return a.size_bytes === b.size_bytes && a.mtime_ms === b.mtime_ms && a.inode === b.inode;
}
