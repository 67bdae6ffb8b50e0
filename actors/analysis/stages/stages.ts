// What is done with one file: survey (which file is it, what is in it), then the visual stage.
import { stat } from 'node:fs/promises';
import { EngineError, engineErrors } from '../../../runtime/errors.ts';
import type { Lane } from '../../../runtime/mailbox.ts';
import type { Ref } from '../../../runtime/ref.ts';
import type { SlotPool } from '../../../runtime/slots.ts';
import {
  type DecodeMode,
  type decoderContract,
  mediaErrors,
  modifiedMs,
  type PreviewShape,
} from '../../decoder/contract.ts';
import type { VisualModel } from '../../embedder/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import { type Embedding, Sink } from './picture/embedding.ts';

type Decoder = Ref<typeof decoderContract>;
type Index = Ref<typeof indexContract>;

export interface SurveyOptions {
  readonly lane: Lane;
  /** Stores what a file turned out to be. */
  remember(media: MediaRecord): Promise<unknown>;
}

/**
 * Identity and facts of a file, from the store when the file has not changed since. Stored when answered, unless `how`
 * says otherwise.
 */
export async function survey(
  path: string,
  cacheDir: string,
  prober: Decoder,
  index: Index,
  signal: AbortSignal,
  watched: Watched,
  how: SurveyOptions = {
    lane: 'later',
    remember: (media) => index.ask('remember', { cache_dir: cacheDir, media }, { signal }),
  },
): Promise<MediaRecord> {
  const options = { signal, lane: how.lane };
  const stats = await stat(path, { bigint: true }).catch((error) => {
    const code = (error as NodeJS.ErrnoException).code;
    const row = code === 'ENOENT' ? mediaErrors.FILE_NOT_FOUND : mediaErrors.FILE_UNREADABLE;
    throw row(`${path}: ${row.meaning.toLowerCase()} (${code})`, { path }, error);
  });
  const asked = {
    cache_dir: cacheDir,
    path,
    size_bytes: Number(stats.size),
    mtime_ms: modifiedMs(stats),
    inode: String(stats.ino),
  };
  const known = await index.ask('known', asked, options);
  if (known) return known;
  return watched(`${stats.size}-${stats.mtimeNs}`, async () => {
    const identity = await prober.ask('identify', { path }, options);
    const probe = await prober.ask('probe', { path }, options);
    const media = { path, identity, probe };
    await how.remember(media);
    return media;
  });
}

/** Runs `work` so that a crash in it is known afterwards. `mark`: size and time of the file, its content is not known yet. */
export type Watched = (mark: string, work: () => Promise<MediaRecord>) => Promise<MediaRecord>;

export interface VisualParts {
  readonly cacheDir: string;
  readonly decode: DecodeMode;
  readonly preview: PreviewShape;
  readonly model: VisualModel;
  readonly index: Index;
  readonly embedding: Embedding;
  readonly pool: SlotPool;
}

/** The pictures are decoded; their vectors may still be on the way. */
export interface VisualWork {
  /** Resolves to the frames stored when everything is committed and flushed. */
  readonly finished: Promise<number>;
}

/**
 * Decodes every grid frame of a file and sends it on. Resolves when decoding is done, so that the decoder is free for
 * the next file while the last vectors are made. On any error or cancel nothing of the stage stays.
 */
export async function lookAt(
  media: MediaRecord,
  decoder: Decoder,
  parts: VisualParts,
  onFrames: (frames: number) => void,
  signal: AbortSignal,
): Promise<VisualWork> {
  const { cacheDir, model, index, embedding } = parts;
  // Not cancellable: a stage that was begun has to be known here, or nobody would end it.
  const { stage } = await index.ask('begin', {
    cache_dir: cacheDir,
    hash_str: media.identity.hash_str,
    model_key: model.model_key,
    dimensions: model.dimensions,
  });
  const sink = new Sink(stage, onFrames);
  const failed = new AbortController();
  sink.done.catch((error) => failed.abort(error));
  const giveUp = async (error: unknown): Promise<never> => {
    embedding.drop(sink);
    await sink.quiet;
    await index.ask('abort', { stage }).catch(() => {});
    // The first cause, not the cancel it led to.
    throw failed.signal.aborted && !signal.aborted ? failed.signal.reason : error;
  };

  try {
    await decodeInto(media, decoder, parts, sink, AbortSignal.any([signal, failed.signal]));
    sink.close();
  } catch (error) {
    return giveUp(error);
  }
  return { finished: finish(media, parts, sink).catch(giveUp) };
}

async function decodeInto(
  media: MediaRecord,
  decoder: Decoder,
  { decode, preview, model, embedding, pool }: VisualParts,
  sink: Sink,
  signal: AbortSignal,
): Promise<void> {
  const request = { path: media.path, shape: model.shape, preview, mode: decode, from_frame: 0 };
  for await (const frame of decoder.feed('frames', request, { signal, credit: feedCredit(model, pool) })) {
    if (!frame.preview)
      throw engineErrors.INTERNAL(`${media.path}: frame ${frame.frame_index} came without a preview`);
    embedding.add({ file: sink, frame: frame.frame_index, slot: frame.picture, preview: frame.preview });
  }
}

async function finish(media: MediaRecord, parts: VisualParts, sink: Sink): Promise<number> {
  const frames = await sink.done;
  if (frames === 0 && media.probe.grid_frames > 0) {
    throw mediaErrors.DECODE_FAILED(`${media.path}: none of its pictures can be decoded`, {
      path: media.path,
    });
  }
  await unchanged(media);
  // Not cancellable: a commit that was begun is finished, and what is finished stays.
  const { vectors } = await parts.index.ask('commit', { stage: sink.stage, media });
  return vectors;
}

/** Throws FILE_CHANGED when the file is not the one that was surveyed any more. */
export async function unchanged({ path, identity }: MediaRecord): Promise<void> {
  const now = await stat(path, { bigint: true }).catch((error) => {
    throw mediaErrors.FILE_CHANGED(`${path}: went away while it was read`, { path }, error);
  });
  if (Number(now.size) === identity.size_bytes && modifiedMs(now) === identity.mtime_ms) return;
  throw mediaErrors.FILE_CHANGED(`${path}: changed while it was read`, { path });
}

/** Slots a decoder may be ahead with. */
export function feedCredit(model: VisualModel, pool: SlotPool): number {
  return Math.max(2, Math.min(model.batch, pool.count >> 2));
}

/** True for an error after which the same stage may succeed: a crash or a full mailbox, not a bad file. */
export function worthAnotherTry(error: unknown): boolean {
  return error instanceof EngineError && error.retryable;
}
