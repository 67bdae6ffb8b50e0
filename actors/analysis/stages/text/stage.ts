// The text stage: words are read in every grid frame of a file, of films only where the picture has changed,
// and stored as lines with the time in which they are seen.
import type { Request } from '../../../../runtime/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import type { PictureShape, PictureSize } from '../../../decoder/contract.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import type { WrittenLine } from '../../../index/written/contract.ts';
import type { Reading, TextModel, textReaderContract } from '../../../text-reader/contract.ts';
import { faceShape, stillSide } from '../faces/file-faces.ts';
import { frameAnalysis, loadedFor, spanFrames } from '../frame-analysis.ts';
import type { Item } from '../kind.ts';
import type { TextReader } from '../parts.ts';
import type { FileSpans, FileWork, Stage, StageRun } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import { Appearances, inOrder } from './appearances.ts';
import { type TextFacts, textKind } from './kind.ts';

// What is kept of the reading of a long film: the lines that have ended, those that may go on, and the last
// reading.

export interface SavedReading {
  /** Lines that have ended since the span before. */
  readonly ended: readonly WrittenLine[];
  /** Lines that may go on. */
  readonly seen: readonly unknown[];
  /** Null before the first frame. */
  readonly reading: Reading | null;
  /** Frames that were read. */
  readonly looked: number;
  /** The first grid frame that was not. */
  readonly next: number;
}

export function spanOf({ reading, ...kept }: SavedReading): Uint8Array<ArrayBuffer> {
  const blocks = reading && Buffer.from(reading.blocks).toString('base64');
  return new TextEncoder().encode(JSON.stringify({ ...kept, reading: reading && { ...reading, blocks } }));
}

/** What all spans of a film hold together; it is told to them as taken up. */
export async function savedReading(spans: FileSpans | null): Promise<SavedReading> {
  const all = (await spans?.all()) ?? [];
  let kept: SavedReading = { ended: [], seen: [], reading: null, looked: 0, next: 0 };
  for (const { bytes } of all) {
    // Written by this program, whose version is part of the key.
    const { reading, ...span } = JSON.parse(new TextDecoder().decode(bytes));
    const blocks = reading && new Uint8Array(Buffer.from(reading.blocks, 'base64'));
    kept = { ...span, ended: [...kept.ended, ...span.ended], reading: reading && { ...reading, blocks } };
  }
  spans?.takenUp(kept.looked);
  return kept;
}

/**
 * Longest side of the picture in which lines are looked for, px. They are read in the picture as it is
 * decoded.
 */
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
    return textRun(task, reader, await loadedFor(modelOf(reader), task.signal));
  },
};

type Asked = Omit<Request<typeof textReaderContract, 'read'>, 'model_key'>;

const modelOf = (reader: TextReader) => ({
  load: (signal: AbortSignal) => reader.ask('load', {}, { signal }),
  unload: () => reader.ask('unload', {}),
});

function textRun(task: TaskContext, reader: TextReader, model: TextModel): StageRun {
  const { parts, request, signal } = task;
  const { cache_dir, decode } = request;
  const { model_key, device } = model;
  const analysis = frameAnalysis(parts.log, {
    model,
    actor: modelOf(reader),
    stored: async (hash_str) => {
      const query = { cache_dir, hashes: [hash_str] };
      const [stored] = (await parts.index.ask('written_stored', query, { signal })).stored;
      return stored ? { ...stored, count: stored.lines } : null;
    },
    factsOf: (lines, missing_frames, from_previews) => {
      const found: TextFacts = { model_key, lines, missing_frames, from_previews };
      return { text: from_previews ? { ...found, warning } : found };
    },
  });
  const shapeOf = (probe: MediaRecord['probe'], shown: PictureSize = probe): PictureShape => {
    const side = probe.kind === 'image' ? stillSide : parts.faceSide;
    return faceShape(shown, side, parts.pool.memory.slotBytes);
  };
  return {
    ...analysis.run,
    spans: ({ probe }) => {
      const settings = { shape: shapeOf(probe), device, hardware: parts.hardware, decode };
      return { every: spanFrames, settings };
    },
    work: async (file) => {
      const { media, previews } = file;
      const read = async (input: Asked) => {
        const call = { signal: file.signal, slots: [input.picture] };
        const ask = () => reader.ask('read', { ...input, model_key }, call);
        return (await analysis.askModel(ask, file.signal)).reading;
      };
      const { lines, looked } = await readLines(file, shapeOf(media.probe, previews ?? media.probe), read);
      const stored = { cache_dir, media, model_key, lines };
      const store = (from_previews: boolean) =>
        parts.index.ask('store_written', { ...stored, from_previews });
      return { finished: analysis.commit(file, { looked, count: lines.length }, store) };
    },
  };
}

const warning = 'read in stored previews, not in the file: small words may be missing';

/** Reads what no span holds. `looked`: frames in all. */
async function readLines(
  { media, frames, spans, signal, worked }: FileWork<Item>,
  shape: PictureShape,
  read: (request: Asked) => Promise<Reading>,
): Promise<{ lines: WrittenLine[]; looked: number }> {
  const kept = await savedReading(spans);
  const lines: WrittenLine[] = [...kept.ended];
  const appearances = new Appearances(kept.seen);
  let { reading, looked, next } = kept;
  if (next < media.probe.grid_frames) {
    const request = { shape, from: next, preview: false, credit: CREDIT, signal };
    let ended: WrittenLine[] = [];
    for await (const { frame_index, picture } of frames(request)) {
      const { width, height } = shape;
      const side = lookedSide[media.probe.kind];
      reading = await read({ picture, width, height, side, before: reading });
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
