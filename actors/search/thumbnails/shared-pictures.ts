// Pictures of moments for many requests. A picture that several wait for is made once, moments of a file that
// wait at the same time are one pass over it, and what was made is kept in memory as long as there is room.
import type { CallOptions } from '../../../runtime/ref.ts';
import { Semaphore } from '../../../runtime/sync/locks.ts';
import { orAborted } from '../../../runtime/sync/shared-work.ts';
import { isSame, markOf } from '../../index/store/content-name.ts';
import type { MediaLocation } from '../media/location.ts';
import { mostThumbnails } from './contract.ts';
import { findPictures, type PictureParts, type PictureQuestion } from './pictures.ts';

/** JPEG in base64; null where there is none. */
type Picture = string | null;

interface Wanted {
  readonly pass: Pass;
  readonly made: PromiseWithResolvers<Picture>;
  isMade: boolean;
  /** Requests that wait for it. */
  waiting: number;
}

/** Takes further moments of its file until it begins. */
interface Pass {
  readonly file: MediaLocation;
  /** By second. */
  readonly wanted: Map<number, Wanted>;
  /** Nobody waits for what is still to be made. */
  readonly leaving: AbortController;
  hasBegun: boolean;
}

/** Room for what is kept; some thousand pictures of the usual size. */
const KEPT_BYTES = 64 * 2 ** 20;

export class SharedPictures {
  readonly #parts: PictureParts;
  readonly #turns: Semaphore;
  readonly #passes = new Map<string, Pass[]>();
  readonly #kept = new KeptPictures();

  /** `together`: passes at the same time. */
  constructor(parts: PictureParts, together: number) {
    this.#parts = parts;
    this.#turns = new Semaphore(together);
  }

  /** One for each moment. Rejects as the pass does, and with CANCELLED when the signal aborts first. */
  async of(question: PictureQuestion, { signal, ...call }: CallOptions): Promise<Picture[]> {
    const key = keyOf(question);
    const found = question.seconds.map(
      (at) => this.#kept.get(`${key} ${at}`) ?? this.#join(key, question, at, call),
    );
    const wanted = found.filter((one) => typeof one !== 'string');
    for (const one of wanted) one.waiting++;
    try {
      const all = Promise.all(found.map((one) => (typeof one === 'string' ? one : one.made.promise)));
      return await (signal ? orAborted(all, signal) : all);
    } finally {
      for (const one of wanted) one.waiting--;
      for (const { leaving, wanted: its } of new Set(wanted.map(({ pass }) => pass))) {
        const left = [...its.values()].filter(({ isMade }) => !isMade);
        if (left.length > 0 && left.every(({ waiting }) => waiting === 0)) leaving.abort();
      }
    }
  }

  #join(key: string, question: PictureQuestion, second: number, call: CallOptions): Wanted {
    const passes = (this.#passes.get(key) ?? []).filter(({ leaving }) => !leaving.signal.aborted);
    for (const { wanted } of passes) {
      const found = wanted.get(second);
      if (found) return found;
    }
    const most = mostThumbnails(question.max_side);
    const open = passes.find(({ hasBegun, wanted }) => !hasBegun && wanted.size < most);
    const pass = open ?? this.#open(key, question, call);
    const made = Promise.withResolvers<Picture>();
    // Whoever waits is told; those that were given up have nobody.
    made.promise.catch(() => {});
    const wanted = { pass, made, isMade: false, waiting: 0 };
    pass.wanted.set(second, wanted);
    return wanted;
  }

  #open(key: string, question: PictureQuestion, call: CallOptions): Pass {
    const pass: Pass = {
      file: question.file,
      wanted: new Map(),
      leaving: new AbortController(),
      hasBegun: false,
    };
    this.#passes.set(key, [...(this.#passes.get(key) ?? []), pass]);
    void this.#run(key, question, pass, call);
    return pass;
  }

  async #run(key: string, question: PictureQuestion, pass: Pass, call: CallOptions): Promise<void> {
    const {
      wanted,
      leaving: { signal },
    } = pass;
    try {
      await this.#turns.run(() => this.#make(key, question, pass, { ...call, signal }), {
        urgent: true,
        signal,
      });
      for (const { made } of wanted.values()) made.resolve(null);
    } catch (error) {
      for (const { made } of wanted.values()) made.reject(error);
    } finally {
      const others = this.#passes.get(key)!.filter((other) => other !== pass);
      if (others.length > 0) this.#passes.set(key, others);
      else this.#passes.delete(key);
    }
  }

  async #make(key: string, question: PictureQuestion, pass: Pass, call: CallOptions): Promise<void> {
    pass.hasBegun = true;
    for (const [second, { waiting }] of pass.wanted) if (waiting === 0) pass.wanted.delete(second);
    const seconds = [...pass.wanted.keys()].sort((a, b) => a - b);
    const best: [key: string, picture: string][] = [];
    const tell = (i: number, jpeg: Uint8Array) => {
      const picture = Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength).toString('base64');
      const one = pass.wanted.get(seconds[i]!)!;
      one.isMade = true;
      one.made.resolve(picture);
      return picture;
    };
    try {
      const small = await findPictures(this.#parts, { ...question, seconds }, call, (i, jpeg) => {
        best.push([`${key} ${seconds[i]}`, tell(i, jpeg)]);
      });
      for (const [i, jpeg] of small) tell(i, jpeg);
    } finally {
      // Of a file that was replaced meanwhile they may show the new one.
      const { source, mark } = pass.file;
      const now = source === null ? null : await markOf(source);
      if (mark === null || (now !== null && isSame(mark, now)))
        for (const [one, picture] of best) this.#kept.set(one, picture);
    }
  }
}

/** Of the pictures of one size of one content, as it lies there now. */
function keyOf({ cache_dir, file: { record, source, mark }, max_side }: PictureQuestion): string {
  const stored = record && [cache_dir, record.identity.hash_str];
  return JSON.stringify([stored, source, mark?.size_bytes, mark?.mtime_ms, mark?.inode, max_side]);
}

/** Those that were asked for last. */
class KeptPictures {
  readonly #byKey = new Map<string, string>();
  #bytes = 0;

  get(key: string): string | undefined {
    const picture = this.#byKey.get(key);
    if (picture !== undefined) {
      this.#byKey.delete(key);
      this.#byKey.set(key, picture);
    }
    return picture;
  }

  set(key: string, picture: string): void {
    this.#bytes += picture.length - (this.#byKey.get(key)?.length ?? 0);
    this.#byKey.delete(key);
    this.#byKey.set(key, picture);
    for (const [oldest, { length }] of this.#byKey) {
      if (this.#bytes <= KEPT_BYTES) break;
      this.#byKey.delete(oldest);
      this.#bytes -= length;
    }
  }
}
