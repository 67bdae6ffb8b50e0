// The picture stage: every grid frame of a file is decoded, embedded unless its picture is that of a frame
// before, and stored as a vector with its preview. Files that are decoded side by side fill the batches of
// the model together.
import type { Request } from '../../../../runtime/contract.ts';
import { engineErrors, fromFields } from '../../../../runtime/errors.ts';
import type { Log } from '../../../../runtime/log.ts';
import type { SlotPool } from '../../../../runtime/slots.ts';
import { type DecodeMode, mediaErrors, type PictureSize } from '../../../decoder/contract.ts';
import type { VisualModel } from '../../../embedder/contract.ts';
import type { indexContract } from '../../../index/contract.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import { analysisErrors } from '../../contract.ts';
import { expectUnchanged } from '../../media/survey.ts';
import type { WorkItem } from '../kind.ts';
import type { IndexActor } from '../parts.ts';
import type { FileWork, SpanRules, Stage, StageRun, StartedWork } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import { EdgeSearch, edgesIfReadable, Liveliness, type PictureEdges } from './edges.ts';
import { createEmbedding, type Embedding, Sink } from './embedding.ts';
import { pictureKind } from './kind.ts';
import { SceneRun } from './scenes.ts';

export const pictureStage: Stage = {
  kind: pictureKind,
  journal: 'visual',
  reads: 'frames',
  open: async (task) => {
    const { model_key, scenes_only } = task.request;
    if (scenes_only) return new SceneRun(task);
    if (model_key === null) {
      throw analysisErrors.INVALID_REQUEST('model_key: is required to analyse pictures');
    }
    return new PictureRun(task, await task.parts.models.use(model_key, task.signal));
  },
};

/** Facts about a film beside its frames. */
interface Told {
  readonly previews: PictureSize | null;
  readonly edges: PictureEdges | null;
}

/** Frames in a span: two minutes of footage. */
const spanFrames = 120;

class PictureRun implements StageRun {
  readonly #model: VisualModel;
  readonly #index: IndexActor;
  readonly #pool: SlotPool;
  readonly #cacheDir: string;
  readonly #signal: AbortSignal;
  readonly #embedding: Embedding;
  readonly #commits: Commits;
  readonly #mode: DecodeMode;
  readonly #liveliness = new Liveliness();
  readonly #log: Log;
  /** Settings that change pictures and vectors, beside the model. */
  readonly #settings: Readonly<Record<string, unknown>>;
  /** Contents whose stored result comes from previews. */
  readonly #seenInPreviews = new Set<string>();
  readonly contributors;

  constructor({ parts, request, signal }: TaskContext, model: VisualModel) {
    const { embedder, models, index, pool } = parts;
    this.#model = model;
    this.#index = index;
    this.#pool = pool;
    this.#cacheDir = request.cache_dir;
    this.#signal = signal;
    this.#commits = new Commits(index);
    const { decode, reuse = 'exact' } = request;
    this.#mode = decode;
    this.#log = parts.log;
    this.#embedding = createEmbedding({ embedder, models, index, pool, model, reuse, signal });
    const { dimensions, shape, batch, state } = model;
    const { preview, hardware } = parts;
    this.#settings = { dimensions, shape, batch, device: state.device, preview, hardware, decode, reuse };
    this.contributors = { join: this.#embedding.open, leave: this.#embedding.shut };
  }

  modelOf(): string {
    return this.#model.model_key;
  }

  applies({ probe }: MediaRecord): boolean {
    return probe.grid_frames > 0;
  }

  /** Results from previews stand until the file is back. */
  async isStored({ identity }: MediaRecord, _: WorkItem, isGone: boolean): Promise<boolean> {
    const request = {
      cache_dir: this.#cacheDir,
      model_key: this.#model.model_key,
      hashes: [identity.hash_str],
    };
    const { stored, from_previews } = await this.#index.ask('stored', request, { signal: this.#signal });
    const fromPreviews = from_previews[0] ?? false;
    if (!stored[0] || (fromPreviews && !isGone)) return false;
    if (fromPreviews) this.#seenInPreviews.add(identity.hash_str);
    return true;
  }

  storedFacts({ probe, identity }: MediaRecord) {
    const frames = probe.grid_frames;
    const isFromPreviews = this.#seenInPreviews.has(identity.hash_str);
    return { frames, missing_frames: 0, ...(isFromPreviews && { frames_from_previews: frames }) };
  }

  spans(): SpanRules {
    return { every: spanFrames, settings: this.#settings };
  }

  /** The last pictures are embedded while the decoder goes on with the next file. */
  async work(file: FileWork<WorkItem>): Promise<StartedWork> {
    const { media, previews, worked, signal, spans } = file;
    if (previews) expectLargeEnough(media, previews, this.#model);
    // Not cancellable: a stage that was begun has to be known here, or nobody would end it.
    const begun = await this.#index.ask('begin', {
      cache_dir: this.#cacheDir,
      hash_str: media.identity.hash_str,
      model_key: this.#model.model_key,
      dimensions: this.#model.dimensions,
      ...(spans && { span: spans.key }),
    });
    const { stage, stored_frames, next_frame } = begun;
    spans?.takenUp(stored_frames);
    const sink = new Sink(begun, spans, worked);
    const failed = new AbortController();
    sink.done.catch((error) => failed.abort(error));
    const giveUp = async (error: unknown): Promise<never> => {
      this.#embedding.drop(sink);
      await sink.quiet;
      await this.#index.ask('abort', { stage }).catch(() => {});
      // The first cause, not the cancel it led to.
      throw failed.signal.aborted && !signal.aborted ? failed.signal.reason : error;
    };
    try {
      const search = this.#edgeSearch(file, failed.signal);
      await this.#decode(file, { sink, search }, next_frame, failed.signal);
      this.#embedding.close(sink);
      const edges = await this.#withoutBatches(async () => {
        return search && edgesIfReadable(search, file.reader!, media, this.#log);
      });
      return { finished: this.#commit(media, sink, { previews, edges }).catch(giveUp) };
    } catch (error) {
      return giveUp(error);
    }
  }

  async #decode(
    { media, frames }: FileWork<WorkItem>,
    { sink, search }: { readonly sink: Sink; readonly search: EdgeSearch | null },
    from: number,
    signal: AbortSignal,
  ): Promise<void> {
    search?.takeUp(sink.looks);
    if (from >= media.probe.grid_frames) return;
    const { shape, batch } = this.#model;
    const credit = Math.max(2, Math.min(batch, this.#pool.count >> 2));
    // The frame before is seen once more: only it tells whether the first one begins another shot.
    const first = Math.max(0, from - 1);
    const small = search ? { small: search.small } : {};
    for await (const frame of frames({ shape, from: first, preview: true, credit, signal, ...small })) {
      const { frame_index, picture, preview } = frame;
      if (frame_index < from) this.#embedding.show(sink, frame_index, picture);
      else if (preview) this.#embedding.add({ file: sink, frame: frame_index, slot: picture, preview });
      else throw engineErrors.INTERNAL(`${media.path}: frame ${frame_index} came without a preview`);
      const mayBegin = frame_index >= from && sink.looks.at(-1) === frame_index;
      await search?.see(frame_index, mayBegin, frame.small);
    }
  }

  /** Work during which no batch waits for pictures of this reader. */
  async #withoutBatches<T>(work: () => Promise<T>): Promise<T> {
    this.#embedding.shut();
    try {
      return await work();
    } finally {
      this.#embedding.open();
    }
  }

  /** Search for the pictures at which the shots begin; null where shots begin at grid frames. */
  #edgeSearch({ media, reader, previews }: FileWork<WorkItem>, signal: AbortSignal): EdgeSearch | null {
    if (previews || !reader || this.#mode !== 'exact' || media.probe.kind !== 'video') return null;
    return new EdgeSearch(media, this.#liveliness, signal);
  }

  async #commit(media: MediaRecord, sink: Sink, { previews, edges }: Told) {
    const from_previews = previews !== null;
    const decoded = await sink.done;
    const { path, probe } = media;
    if (sink.taken + decoded === 0 && probe.grid_frames > 0) {
      throw mediaErrors.DECODE_FAILED(`${path}: none of its pictures can be decoded`, { path });
    }
    if (!from_previews) await expectUnchanged(media);
    // Not cancellable: a commit that was begun is finished, and what is finished stays.
    const vectors = await this.#commits.commit({
      stage: sink.stage,
      media,
      from_previews,
      ...(edges && { edges }),
    });
    const { reused } = sink;
    return {
      frames: vectors,
      missing_frames: probe.grid_frames - vectors,
      ...(reused > 0 && { frames_reused: reused }),
      ...(from_previews && { frames_from_previews: vectors }),
    };
  }

  async close(): Promise<void> {}
}

/**
 * A preview that is smaller than what the model looks at would be enlarged, where the file itself would not.
 * Throws PREVIEWS_TOO_SMALL.
 */
function expectLargeEnough(
  { path, probe }: MediaRecord,
  previews: PictureSize,
  { model_key, shape }: VisualModel,
): void {
  const least = { width: Math.min(shape.width, probe.width), height: Math.min(shape.height, probe.height) };
  if (previews.width >= least.width && previews.height >= least.height) return;
  const [has, needs] = [previews, shape].map(({ width, height }) => `${width}x${height}`);
  throw analysisErrors.PREVIEWS_TOO_SMALL(
    `${path}: its stored previews have ${has} pixels, but ${model_key} looks at ${needs}; analyse the file itself`,
    { path },
  );
}

/** In one transaction at most, so that searches do not wait long for it. */
const mostTogether = 16;

type Commit = Request<typeof indexContract, 'commit'>;

interface Waiting {
  readonly commit: Commit;
  readonly resolve: (vectors: number) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Stages that are ready while others are being stored are stored together: a transaction waits for the disk
 * however much it holds.
 */
class Commits {
  readonly #index: IndexActor;
  #waiting: Waiting[] = [];
  #isBusy = false;

  constructor(index: IndexActor) {
    this.#index = index;
  }

  /** Answers the number of vectors. */
  commit(commit: Commit): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#waiting.push({ commit, resolve, reject });
    if (!this.#isBusy) void this.#send();
    return promise;
  }

  /** Each film has files that are flushed one after the other: it goes alone. */
  #together(): number {
    const film = this.#waiting.findIndex(({ commit }) => commit.media.probe.grid_frames > 1);
    return Math.min(mostTogether, film < 0 ? this.#waiting.length : Math.max(1, film));
  }

  async #send(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const together = this.#waiting.splice(0, this.#together());
      try {
        const all = together.map(({ commit }) => commit);
        const { stored } = await this.#index.ask('commit_all', { all });
        for (const [i, { resolve, reject }] of together.entries()) {
          const { vectors, error } = stored[i]!;
          if (error === null) resolve(vectors);
          else reject(fromFields(error));
        }
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    this.#isBusy = false;
  }
}
