// The text stage: words are read in every grid frame of a file, of films only where the picture has changed, and stored as
// lines with the time in which they are seen.
import type { Request } from '../../../../runtime/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import type { PictureShape, PictureSize } from '../../../decoder/contract.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import type { WrittenLine } from '../../../index/written/contract.ts';
import type { Reading, TextModel, textReaderContract } from '../../../text-reader/contract.ts';
import { faceShape, stillSide } from '../faces/shape.ts';
import type { Item } from '../kind.ts';
import { LookingSession, loadedFor, spanFrames } from '../looking.ts';
import type { TextReader } from '../parts.ts';
import type { FileWork, SpanRules, Stage, Underway } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import { Appearances, inOrder } from './appearances.ts';
import type { TextFacts } from './facts.ts';
import { textKind } from './kind.ts';
import { keptReading, spanOf } from './span.ts';

/** Longest side of the picture in which lines are looked for, px. They are read in the picture as it is decoded. */
const lookedSide = { video: 640, audio: 640, image: 960 } as const;
/** Frames decoded ahead: they are large, and reading one takes longer than decoding it. */
const CREDIT = 3;

export const textStage: Stage = {
  kind: textKind,
  journal: 'text',
  reads: 'frames',
  open: async (task) => {
    const { textReader: reader } = task.parts;
    if (!reader) throw engineErrors.INTERNAL('an engine that only searches was asked for printed words');
    return new TextSession(task, reader, await loadedFor(modelOf(reader), task.signal));
  },
};

type Asked = Omit<Request<typeof textReaderContract, 'read'>, 'model_key'>;

const modelOf = (reader: TextReader) => ({
  load: (signal: AbortSignal) => reader.ask('load', {}, { signal }),
  unload: () => reader.ask('unload', {}),
});

class TextSession extends LookingSession<TextModel> {
  readonly #reader: TextReader;

  constructor(task: TaskContext, reader: TextReader, model: TextModel) {
    super(task, modelOf(reader), model);
    this.#reader = reader;
  }

  protected async stored(hash_str: string) {
    const { parts, request, signal } = this.task;
    const asked = { cache_dir: request.cache_dir, hashes: [hash_str] };
    const { stored } = await parts.index.ask('written_stored', asked, { signal });
    return stored[0] ? { ...stored[0], count: stored[0].lines } : null;
  }

  spans({ probe }: MediaRecord): SpanRules {
    const { hardware } = this.task.parts;
    const { decode } = this.task.request;
    const { device } = this.model;
    return { every: spanFrames, settings: { shape: this.#shapeOf(probe), device, hardware, decode } };
  }

  #shapeOf(probe: MediaRecord['probe'], shown: PictureSize = probe): PictureShape {
    const { faceSide, pool } = this.task.parts;
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
    const read = () => this.#reader.ask('read', request, { signal, slots: [asked.picture] });
    return (await this.asked(read, signal)).reading;
  }

  #store(file: FileWork<Item>, lines: WrittenLine[], looked: number) {
    const { parts, request } = this.task;
    const stored = { cache_dir: request.cache_dir, media: file.media, model_key: this.modelOf(), lines };
    const store = (from_previews: boolean) => parts.index.ask('store_written', { ...stored, from_previews });
    return this.commit(file, { looked, count: lines.length }, store);
  }

  protected factsOf(lines: number, missing_frames: number, fromPreviews: boolean) {
    const warning = 'read in stored previews, since the file is not there: small words may be missing';
    const text: TextFacts = { model_key: this.modelOf(), lines, missing_frames };
    return { text: fromPreviews ? { ...text, warning } : text };
  }
}
