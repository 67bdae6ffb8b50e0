// Thumbnails of any moments of any files, and strips of thumbnails of one film.
import { restated } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import type { AskOptions, Ref } from '../../../runtime/ref.ts';
import { Semaphore } from '../../../runtime/sync/locks.ts';
import { orAborted, sideBySide } from '../../../runtime/sync/shared-work.ts';
import { quoted } from '../../../runtime/text.ts';
import {
  clockTime,
  type decoderContract,
  isMediaError,
  mediaErrors,
  type Probe,
} from '../../decoder/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import { isSame, markOf } from '../../index/store/content-name.ts';
import { searchErrors } from '../contract.ts';
import {
  type Identities,
  type LocationParts,
  locateHash,
  locatePaths,
  type MediaLocation,
} from '../media/location.ts';
import {
  mostThumbnails,
  type SceneThumbnailsAnswer,
  type SceneThumbnailsRequest,
  type ThumbnailsAnswer,
  type ThumbnailsRequest,
} from './contract.ts';
import {
  clockSeconds,
  findPictures,
  momentsByFile,
  type PictureQuestion,
  stripSeconds,
  type ThumbnailFile,
  type ThumbnailPictureParts,
} from './pictures.ts';

type Decoder = Ref<typeof decoderContract>;

interface ThumbnailParts {
  /** Decode thumbnails, one file each at a time; at least one. */
  readonly thumbnailDecoders: readonly Decoder[];
  readonly index: Ref<typeof indexContract>;
  readonly identities: Identities;
  readonly log: Log;
}

export interface Thumbnails {
  /** One for each request, in order. Throws TOO_MANY_PICTURES. */
  thumbnails(request: ThumbnailsRequest, call: AskOptions): Promise<ThumbnailsAnswer>;
  /** Errors: BAD_TIME, HASH_MISMATCH; FILE_NOT_FOUND when the film is gone and nothing is stored of it. */
  sceneThumbnails(request: SceneThumbnailsRequest, call: AskOptions): Promise<SceneThumbnailsAnswer>;
}

/** Files worked on at the same time, beyond one for each decoder: those wait for the index. */
const AHEAD = 2;

export function createThumbnails({ thumbnailDecoders, index, identities, log }: ThumbnailParts): Thumbnails {
  const parts: ThumbnailPictureParts = { index, log, decoder: leastBusy(thumbnailDecoders) };
  const together = thumbnailDecoders.length + AHEAD;
  const shared = new SharedPictures(parts, together);
  return {
    thumbnails: async ({ cache_dir, requests, max_size }, call) => {
      expectFew(requests.length, max_size);
      const thumbnails = requests.map((): { thumbnail: string | null } => ({ thumbnail: null }));
      const files = momentsByFile(requests);
      const atPaths = files.filter(({ hash_str }) => hash_str === null).map(({ media_path }) => media_path);
      const located = new Map(
        (await locatePaths(parts, cache_dir, atPaths, call)).map((location, i) => [atPaths[i]!, location]),
      );
      await sideBySide(files.values(), together, call.signal, async (request, signal) => {
        const { media_path, hash_str, moments } = request;
        const fileCall = { ...call, signal };
        const file =
          hash_str === null
            ? located.get(media_path)!
            : await locateContent({ identities, index }, cache_dir, { ...request, hash_str }, fileCall);
        if (!file.source && !file.record) log.warn('no thumbnail: file not found', { path: media_path });
        const seconds = moments.map((moment) => moment.seconds);
        const pictures = await shared.of({ cache_dir, file, seconds, max_side: max_size }, fileCall);
        for (const [at, { index }] of moments.entries()) thumbnails[index] = { thumbnail: pictures[at]! };
      });
      return { thumbnails };
    },
    sceneThumbnails: async (request, call) => {
      const [start, end] = range(request);
      const { cache_dir, media_path, max_size } = request;
      const file = await locateScene({ identities, index }, request, call);
      const { kind, grid_frames } = await probeOf(parts, file, media_path, call);
      if (kind !== 'video') return { scene_thumbnails: null };
      const seconds = stripSeconds(start, end, grid_frames - 1);
      const pictures = await shared.of({ cache_dir, file, seconds, max_side: max_size }, call);
      const strip = seconds.flatMap((at, i): [string, string][] => {
        const image = pictures[i]!;
        return image === null ? [] : [[image, clockTime(at)]];
      });
      return { scene_thumbnails: strip };
    },
  };
}

function leastBusy(thumbnailDecoders: readonly Decoder[]): ThumbnailPictureParts['decoder'] {
  const busy = thumbnailDecoders.map(() => 0);
  return async (use) => {
    const i = busy.indexOf(Math.min(...busy));
    busy[i]!++;
    try {
      return await use(thumbnailDecoders[i]!);
    } finally {
      busy[i]!--;
    }
  };
}

function expectFew(count: number, max_size: number): void {
  const most = mostThumbnails(max_size);
  if (count <= most) return;
  const what = `${count} pictures of ${max_size} px are too many for one request; at most ${most} are possible`;
  throw searchErrors.TOO_MANY_PICTURES(`requests: ${what}`, { field: 'requests' });
}

function range({ start_time, end_time }: SceneThumbnailsRequest): [number, number] {
  const seconds = (field: string, text: string) => {
    const at = clockSeconds(text);
    if (at !== null) return at;
    throw searchErrors.BAD_TIME(`${field}: must be HH:MM:SS, not ${quoted(text)}`, { field });
  };
  const [start, end] = [seconds('start_time', start_time), seconds('end_time', end_time)];
  if (end >= start) return [start, end];
  throw searchErrors.BAD_TIME(`end_time: ${end_time} is before start_time ${start_time}`, {
    field: 'end_time',
  });
}

/**
 * A content that is nowhere, or that cannot be read, has no pictures. Throws HASH_MISMATCH naming the
 * request.
 */
async function locateContent(
  parts: LocationParts,
  cache_dir: string,
  { media_path, hash_str, moments }: ThumbnailFile & { readonly hash_str: string },
  call: AskOptions,
): Promise<MediaLocation> {
  try {
    return await locateHash(parts, cache_dir, media_path, hash_str, call);
  } catch (error) {
    if (isMediaError(error)) return { record: null, source: null, mark: null };
    if (!searchErrors.HASH_MISMATCH.is(error)) throw error;
    const item = `requests[${Math.min(...moments.map(({ index }) => index))}]`;
    throw restated(error, {
      message: `${item}.${error.message}`,
      details: { ...error.details, field: `${item}.hash_str` },
    });
  }
}

async function locateScene(
  parts: LocationParts,
  { cache_dir, media_path, hash_str }: SceneThumbnailsRequest,
  call: AskOptions,
): Promise<MediaLocation> {
  if (hash_str === undefined) return (await locatePaths(parts, cache_dir, [media_path], call))[0]!;
  return locateHash(parts, cache_dir, media_path, hash_str, call);
}

async function probeOf(
  parts: ThumbnailPictureParts,
  { record, source }: MediaLocation,
  path: string,
  call: AskOptions,
): Promise<Probe> {
  if (record) return record.probe;
  if (source !== null) return parts.decoder((decoder) => decoder.ask('probe', { path: source }, call));
  throw mediaErrors.FILE_NOT_FOUND(`media_path: ${path} does not exist and nothing is stored for it`, {
    field: 'media_path',
  });
}

// Pictures of moments for many requests. A picture that several wait for is made once, moments of a file that
// wait at the same time are one pass over it, and what was made is kept in memory as long as there is room.

/** JPEG in base64; null where there is none. */
type Picture = string | null;

interface Wanted {
  readonly pass: Pass;
  readonly outcome: PromiseWithResolvers<Picture>;
  isMade: boolean;
  waiting: number;
}

/** Takes further moments of its file until it begins. */
interface Pass {
  readonly file: MediaLocation;
  /** Requested pictures by second. */
  readonly requests: Map<number, Wanted>;
  /** Nobody waits for what is still to be made. */
  readonly leaving: AbortController;
  hasBegun: boolean;
}

/** Room for what is kept; some thousand pictures of the usual size. */
const KEPT_BYTES = 64 * 2 ** 20;

export class SharedPictures {
  readonly #parts: ThumbnailPictureParts;
  readonly #turns: Semaphore;
  readonly #passes = new Map<string, Pass[]>();
  readonly #pictures = new KeptPictures();

  /** `together`: passes at the same time. */
  constructor(parts: ThumbnailPictureParts, together: number) {
    this.#parts = parts;
    this.#turns = new Semaphore(together);
  }

  /** One for each moment. Rejects as the pass does, and with CANCELLED when the signal aborts first. */
  async of(question: PictureQuestion, { signal, ...call }: AskOptions): Promise<Picture[]> {
    const key = keyOf(question);
    const entries = question.seconds.map(
      (at) => this.#pictures.get(`${key} ${at}`) ?? this.#join(key, question, at, call),
    );
    const requests = entries.filter((entry) => typeof entry !== 'string');
    for (const request of requests) request.waiting++;
    try {
      const all = Promise.all(
        entries.map((entry) => (typeof entry === 'string' ? entry : entry.outcome.promise)),
      );
      return await (signal ? orAborted(all, signal) : all);
    } finally {
      for (const request of requests) request.waiting--;
      for (const { leaving, requests: its } of new Set(requests.map(({ pass }) => pass))) {
        const remainingRequests = [...its.values()].filter(({ isMade }) => !isMade);
        if (remainingRequests.length > 0 && remainingRequests.every(({ waiting }) => waiting === 0))
          leaving.abort();
      }
    }
  }

  #join(key: string, question: PictureQuestion, second: number, call: AskOptions): Wanted {
    const passes = (this.#passes.get(key) ?? []).filter(({ leaving }) => !leaving.signal.aborted);
    for (const { requests } of passes) {
      const request = requests.get(second);
      if (request) return request;
    }
    const most = mostThumbnails(question.max_side);
    const open = passes.find(({ hasBegun, requests }) => !hasBegun && requests.size < most);
    const pass = open ?? this.#open(key, question, call);
    const outcome = Promise.withResolvers<Picture>();
    // Waiting callers get the error; abandoned pictures have none.
    outcome.promise.catch(() => {});
    const request = { pass, outcome, isMade: false, waiting: 0 };
    pass.requests.set(second, request);
    return request;
  }

  #open(key: string, question: PictureQuestion, call: AskOptions): Pass {
    const pass: Pass = {
      file: question.file,
      requests: new Map(),
      leaving: new AbortController(),
      hasBegun: false,
    };
    this.#passes.set(key, [...(this.#passes.get(key) ?? []), pass]);
    void this.#run(key, question, pass, call);
    return pass;
  }

  async #run(key: string, question: PictureQuestion, pass: Pass, call: AskOptions): Promise<void> {
    const {
      requests,
      leaving: { signal },
    } = pass;
    try {
      await this.#turns.run(() => this.#make(key, question, pass, { ...call, signal }), {
        urgent: true,
        signal,
      });
      for (const { outcome } of requests.values()) outcome.resolve(null);
    } catch (error) {
      for (const { outcome } of requests.values()) outcome.reject(error);
    } finally {
      const others = this.#passes.get(key)!.filter((otherPass) => otherPass !== pass);
      if (others.length > 0) this.#passes.set(key, others);
      else this.#passes.delete(key);
    }
  }

  async #make(key: string, question: PictureQuestion, pass: Pass, call: AskOptions): Promise<void> {
    pass.hasBegun = true;
    for (const [second, { waiting }] of pass.requests) if (waiting === 0) pass.requests.delete(second);
    const seconds = [...pass.requests.keys()].sort((a, b) => a - b);
    const best: [key: string, picture: string][] = [];
    const tell = (i: number, jpeg: Uint8Array) => {
      const picture = Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength).toString('base64');
      const request = pass.requests.get(seconds[i]!)!;
      request.isMade = true;
      request.outcome.resolve(picture);
      return picture;
    };
    try {
      const small = await findPictures(this.#parts, { ...question, seconds }, call, (i, jpeg) => {
        best.push([`${key} ${seconds[i]}`, tell(i, jpeg)]);
      });
      for (const [i, jpeg] of small) tell(i, jpeg);
    } finally {
      // The pictures may show a new file that replaced this one meanwhile.
      const { source, mark } = pass.file;
      const now = source === null ? null : await markOf(source);
      if (mark === null || (now !== null && isSame(mark, now)))
        for (const [pictureKey, picture] of best) this.#pictures.set(pictureKey, picture);
    }
  }
}

/** Key of the pictures of one size of one content in its present file. */
function keyOf({ cache_dir, file: { record, source, mark }, max_side }: PictureQuestion): string {
  const stored = record && [cache_dir, record.identity.hash_str];
  return JSON.stringify([stored, source, mark?.size_bytes, mark?.mtime_ms, mark?.inode, max_side]);
}

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
