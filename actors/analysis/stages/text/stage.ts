// The text stage: words are read in every grid frame of a file, of films only where the picture has changed, and stored as
// lines with the time in which they are seen.
import type { Request } from '../../../../runtime/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { mediaErrors, type PictureShape, type PictureSize } from '../../../decoder/contract.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import type { WrittenLine } from '../../../index/written/contract.ts';
import { modelErrors } from '../../../models/contract.ts';
import type { Reading, TextModel, textReaderContract } from '../../../text-reader/contract.ts';
import { expectUnchanged } from '../../media/survey.ts';
import { faceShape, stillSide } from '../faces/shape.ts';
import type { Item } from '../kind.ts';
import type { TextReader } from '../parts.ts';
import type { FileWork, SpanRules, Stage, StageSession, Underway } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import { Appearances, inOrder } from './appearances.ts';
import type { TextFacts } from './facts.ts';
import { textKind } from './kind.ts';
import { keptReading, spanOf } from './span.ts';

/** Longest side of the picture in which lines are looked for, px. They are read in the picture as it is decoded. */
const lookedSide = { video: 640, audio: 640, image: 960 } as const;
/** Frames in a span: two minutes of footage. */
const spanFrames = 120;
/** Frames decoded ahead: they are large, and reading one takes longer than decoding it. */
const CREDIT = 3;

export const textStage: Stage = {
  kind: textKind,
  journal: 'text',
  reads: 'frames',
  open: async (task) => {
    const { textReader: reader } = task.parts;
    if (!reader) throw engineErrors.INTERNAL('an engine that only searches was asked for printed words');
    const model = await reader.ask('load', {}, { signal: task.signal }).catch(async (error) => {
      // The actor may have loaded it by now all the same.
      if (task.signal.aborted) await reader.ask('unload', {}).catch(() => {});
      throw error;
    });
    return new TextSession(task, reader, model);
  },
};

type Asked = Omit<Request<typeof textReaderContract, 'read'>, 'model_key'>;

class TextSession implements StageSession {
  readonly #task: TaskContext;
  readonly #reader: TextReader;
  readonly #model: TextModel;
  /** Files in which words were read before, by content. */
  readonly #stored = new Map<string, TextFacts>();

  constructor(task: TaskContext, reader: TextReader, model: TextModel) {
    this.#task = task;
    this.#reader = reader;
    this.#model = model;
  }

  modelOf(): string {
    return this.#model.model_key;
  }

  applies({ probe }: MediaRecord): boolean {
    return probe.grid_frames > 0;
  }

  /** What was read in previews stands until the file is there again. */
  async isStored({ identity: { hash_str } }: MediaRecord, _: Item, isGone: boolean): Promise<boolean> {
    const { parts, request, signal } = this.#task;
    const asked = { cache_dir: request.cache_dir, hashes: [hash_str] };
    const { stored } = await parts.index.ask('written_stored', asked, { signal });
    const [found = null] = stored;
    if (found?.model_key !== this.modelOf() || (found.from_previews && !isGone)) return false;
    this.#stored.set(hash_str, factsOf(this.modelOf(), found.lines, 0, found.from_previews));
    return true;
  }

  storedFacts({ identity }: MediaRecord) {
    return { text: this.#stored.get(identity.hash_str) ?? null };
  }

  spans({ probe }: MediaRecord): SpanRules {
    const { hardware } = this.#task.parts;
    const { decode } = this.#task.request;
    const { device } = this.#model;
    return { every: spanFrames, settings: { shape: this.#shapeOf(probe), device, hardware, decode } };
  }

  #shapeOf(probe: MediaRecord['probe'], shown: PictureSize = probe): PictureShape {
    const { faceSide, pool } = this.#task.parts;
    return faceShape(shown, probe.kind === 'image' ? stillSide : faceSide, pool.memory.slotBytes);
  }

  async work(file: FileWork<Item>): Promise<Underway> {
    const { lines, looked } = await this.#read(file);
    return { finished: this.#store(file, lines, looked) };
  }

  async #read({ media, previews, frames, spans, signal, worked }: FileWork<Item>) {
    const kept = await keptReading(spans);
    const lines: WrittenLine[] = [...kept.ended];
    const appearances = new Appearances(kept.seen);
    let { reading, looked, next } = kept;
    const shape = this.#shapeOf(media.probe, previews ?? media.probe);
    if (next < media.probe.grid_frames) {
      const wanted = { shape, from: next, preview: false, credit: CREDIT, signal };
      let ended: WrittenLine[] = [];
      for await (const { frame_index, picture } of frames(wanted)) {
        const { width, height } = shape;
        const side = lookedSide[media.probe.kind];
        reading = await this.#lines({ picture, width, height, side, before: reading }, signal);
        appearances.add(frame_index, reading.lines);
        ended.push(...appearances.takeEnded());
        looked++;
        next = frame_index + 1;
        worked(1);
        if (!spans?.isDue(looked)) continue;
        lines.push(...ended);
        await spans.keep(looked, spanOf({ ended, seen: appearances.state(), reading, looked, next }));
        ended = [];
      }
      lines.push(...ended);
    }
    return { lines: inOrder([...lines, ...appearances.finish()]), looked };
  }

  async #lines(asked: Asked, signal: AbortSignal): Promise<Reading> {
    const request = { ...asked, model_key: this.modelOf() };
    const call = { signal, slots: [asked.picture] };
    try {
      return (await this.#reader.ask('read', request, call)).reading;
    } catch (error) {
      // An actor that came back after a crash has no model yet.
      if (!modelErrors.MODEL_NOT_LOADED.is(error)) throw error;
      await this.#reader.ask('load', {}, { signal });
      return (await this.#reader.ask('read', request, call)).reading;
    }
  }

  async #store({ media, previews }: FileWork<Item>, lines: WrittenLine[], looked: number) {
    const { path, probe } = media;
    if (looked === 0 && probe.grid_frames > 0) {
      throw mediaErrors.DECODE_FAILED(`${path}: none of its pictures can be decoded`, { path });
    }
    const from_previews = previews !== null;
    if (!from_previews) await expectUnchanged(media);
    const { parts, request } = this.#task;
    const model_key = this.modelOf();
    // Not cancellable: a commit that was begun is finished, and what is finished stays.
    await parts.index.ask('store_written', {
      cache_dir: request.cache_dir,
      media,
      model_key,
      lines,
      from_previews,
    });
    const missing = Math.max(0, probe.grid_frames - looked);
    return { text: factsOf(model_key, lines.length, missing, from_previews) };
  }

  /** The model is used by nobody else; what it takes is given back. */
  async close(): Promise<void> {
    await this.#reader.ask('unload', {}).catch((error) => {
      this.#task.parts.log.warn('the model that reads words cannot be freed', { error });
    });
  }
}

function factsOf(model_key: string, lines: number, missing_frames: number, fromPreviews: boolean): TextFacts {
  const warning = 'read in stored previews, since the file is not there: small words may be missing';
  return { model_key, lines, missing_frames, ...(fromPreviews && { warning }) };
}
