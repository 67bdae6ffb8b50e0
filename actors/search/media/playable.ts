// What a browser has to know of a file before it tries to play it. Asked of the file itself once, as long as
// it is the same.
import type { CallOptions, Ref } from '../../../runtime/ref.ts';
import { type decoderContract, isMediaError } from '../../decoder/contract.ts';
import type { MediaFile } from '../contract.ts';

export type PlayableFile = Pick<MediaFile, 'path' | 'kind' | 'mark'>;

/** Files of which it is kept. */
const most = 2000;

export class PlayableTypes {
  readonly #decoder: Ref<typeof decoderContract>;
  /** The latest last. */
  readonly #known = new Map<string, string | null>();

  constructor(decoder: Ref<typeof decoderContract>) {
    this.#decoder = decoder;
  }

  /** Null for a still, and for what cannot be read. */
  async of({ path, kind, mark }: PlayableFile, call: CallOptions): Promise<string | null> {
    if (kind === 'image') return null;
    const key = JSON.stringify([path, mark]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = await this.#decoder.ask('playable', { path }, call).catch((error) => {
      if (isMediaError(error)) return null;
      throw error;
    });
    this.#known.set(key, found);
    if (this.#known.size > most) this.#known.delete(this.#known.keys().next().value!);
    return found;
  }
}
