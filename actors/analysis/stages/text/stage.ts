// The text stage: words are read in every grid frame of a file, of films only where the picture has changed,
// and stored as lines with the time in which they are seen.
import type { Request } from '../../../../runtime/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { overlap } from '../../../../runtime/picture.ts';
import { slipsBetween } from '../../../../runtime/text.ts';
import type { PictureShape, PictureSize } from '../../../decoder/contract.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import type { WrittenLine } from '../../../index/written/contract.ts';
import {
  doubtedScore,
  searchedScore,
  shownScore,
  type TextBox,
  type TextLine,
  type TextModel,
  type TextReading,
  type textReaderContract,
} from '../../../text-reader/contract.ts';
import { faceShape, stillSide } from '../faces/file-faces.ts';
import { frameAnalysis, loadedFor, spanFrames } from '../frame-analysis.ts';
import type { WorkItem } from '../kind.ts';
import type { TextReaderActor } from '../parts.ts';
import type { FileSpans, FileWork, Stage, StageRun } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import { type TextFacts, textKind } from './kind.ts';

// Saved reading of a long film: the lines that have ended, those that may continue, and the last reading.

export interface SavedReading {
  /** Lines that have ended since the span before. */
  readonly ended: readonly WrittenLine[];
  /** Lines that may go on. */
  readonly seen: readonly unknown[];
  /** Null before the first frame. */
  readonly reading: TextReading | null;
  /** Frames that were read. */
  readonly looked: number;
  /** The first grid frame that was not. */
  readonly next: number;
}

export function spanOf({ reading, ...span }: SavedReading): Uint8Array<ArrayBuffer> {
  const blocks = reading && Buffer.from(reading.blocks).toString('base64');
  return new TextEncoder().encode(JSON.stringify({ ...span, reading: reading && { ...reading, blocks } }));
}

/** Joint content of all spans of a film, which become resumed. */
export async function savedReading(spans: FileSpans | null): Promise<SavedReading> {
  const all = (await spans?.all()) ?? [];
  let state: SavedReading = { ended: [], seen: [], reading: null, looked: 0, next: 0 };
  for (const { bytes } of all) {
    // Written by this program, whose version is part of the key.
    const { reading, ...span } = JSON.parse(new TextDecoder().decode(bytes));
    const blocks = reading && new Uint8Array(Buffer.from(reading.blocks, 'base64'));
    state = { ...span, ended: [...state.ended, ...span.ended], reading: reading && { ...reading, blocks } };
  }
  spans?.takenUp(state.looked);
  return state;
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

const modelOf = (reader: TextReaderActor) => ({
  load: (signal: AbortSignal) => reader.ask('load', {}, { signal }),
  unload: () => reader.ask('unload', {}),
});

function textRun(task: TaskContext, reader: TextReaderActor, model: TextModel): StageRun {
  const { parts, request, signal } = task;
  const { cache_dir, decode } = request;
  const { model_key, device } = model;
  const analysis = frameAnalysis(parts.log, {
    model,
    actor: modelOf(reader),
    ...{ index: parts.index, cache_dir, type: 'text', signal },
    factsOf: (lines, missing_frames, from_previews) => {
      const facts: TextFacts = { model_key, lines, missing_frames, from_previews };
      return { text: from_previews ? { ...facts, warning } : facts };
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
      const result = { type: 'text', items: lines } as const;
      return { finished: analysis.commit(file, { looked, count: lines.length }, result) };
    },
  };
}

const warning = 'read in stored previews, not in the file: small words may be missing';

/** Reads what no span holds. `looked`: frames in all. */
async function readLines(
  { media, frames, spans, signal, worked }: FileWork<WorkItem>,
  shape: PictureShape,
  read: (request: Asked) => Promise<TextReading>,
): Promise<{ lines: WrittenLine[]; looked: number }> {
  const state = await savedReading(spans);
  const lines: WrittenLine[] = [...state.ended];
  const appearances = new Appearances(state.seen);
  let { reading, looked, next } = state;
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

// Lines of text over time: what is read in one second after the other and is the same line becomes one, with
// the reading that is best.

/** Grid frames in a row in which a line may be missed and is there all the same. */
const mostMissed = 2;
/** Overlap of two boxes, as intersection over union, from which one line may be in the place of the other. */
const samePlace = 0.5;
/** Part of the letters by which two readings of one line may differ. */
const misread = 0.25;
/** Lines of one media at most: where there are more, those that are read best are kept. */
export const mostOfMedia = 50_000;

/** A line that is seen, or was a moment ago. */
interface Seen extends WrittenLine {
  readonly place: TextBox;
  /** Letters in the form in which they are compared. */
  readonly letters: string;
  /** Frames of the longest other reading of it, uncertain itself, in whose place it came. */
  readonly rival: number;
}

export class Appearances {
  #seen: Seen[];
  #ended: WrittenLine[] = [];

  /** `lines`: an earlier `state` to go on with. */
  constructor(lines: readonly unknown[] = []) {
    this.#seen = lines as Seen[];
  }

  /** Adds the lines of a grid frame; frames come in their order. */
  add(frame: number, lines: readonly TextLine[]): void {
    const isOver = ({ end }: Seen) => frame - end > mostMissed;
    this.#end(this.#seen.filter(isOver));
    let earlier = this.#seen.filter((sighting) => !isOver(sighting));
    const now: Seen[] = [];
    for (const line of lines.filter(isText)) {
      const letters = lettersOf(line.text);
      const match = bestOf(earlier, line, letters);
      if (match === null) {
        const { text, score, box } = line;
        const began = {
          text,
          score,
          box,
          best: frame,
          start: frame,
          end: frame + 1,
          place: box,
          letters,
          rival: 0,
        };
        const rivals = earlier.filter(
          (sighting) => sighting.score < shownScore && isOtherReading(sighting, began),
        );
        now.push({ ...began, rival: Math.max(0, ...rivals.map(lasts)) });
        continue;
      }
      earlier = earlier.filter((sighting) => sighting !== match);
      const { text, score, box } = line;
      const better = score > match.score ? { text, score, box, letters, best: frame } : {};
      now.push({ ...match, ...better, end: frame + 1, place: box });
    }
    this.#seen = [...earlier, ...now];
  }

  /** Lines that have ended since this was called last. */
  takeEnded(): WrittenLine[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  /** Lines that may go on, to be kept as JSON. */
  state(): readonly unknown[] {
    return this.#seen;
  }

  /** No more frames come: the lines that have not ended yet. */
  finish(): WrittenLine[] {
    this.#end(this.#seen);
    this.#seen = [];
    return this.takeEnded();
  }

  /** A line in whose place another reading of it is seen longer is not certain. */
  #end(lines: readonly Seen[]): void {
    for (const line of lines) {
      const rivals = this.#seen.filter((rival) => isOtherReading(line, rival));
      const isDoubted = Math.max(line.rival, ...rivals.map(lasts)) > lasts(line);
      this.#ended.push(plain(isDoubted ? { ...line, score: Math.min(line.score, doubtedScore) } : line));
    }
  }
}

/** In the order of their beginning, then from top to bottom; at most `mostOfMedia`. */
export function inOrder(lines: readonly WrittenLine[]): WrittenLine[] {
  const best =
    lines.length > mostOfMedia
      ? lines.toSorted((a, b) => b.score - a.score).slice(0, mostOfMedia)
      : [...lines];
  return best.sort((a, b) => a.start - b.start || a.box[1] - b.box[1] || a.box[0] - b.box[0]);
}

function plain({ text, score, box, best, start, end }: Seen): WrittenLine {
  return { text, score, box, best, start, end };
}

/** One sign that is not certain is a stroke of something else. */
function isText({ text, score }: TextLine): boolean {
  if (!(score >= searchedScore) || !/[\p{L}\p{N}]/u.test(text)) return false;
  return [...text].length > 1 || score >= shownScore;
}

/** Form in which two readings of one line are equal: case, width and spaces do not count. */
function lettersOf(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, '');
}

/** The same text goes before another one in the same place, and of several the nearest. */
function bestOf(sightings: readonly Seen[], line: TextLine, letters: string): Seen | null {
  const same = sightings.filter((sighting) => sighting.letters === letters);
  const [nearest = null] = (
    same.length > 0 ? same : sightings.filter((sighting) => isReading(sighting, line, letters))
  )
    .map((sighting) => ({ sighting, near: overlap(sighting.place, line.box) }))
    .sort((a, b) => b.near - a.near);
  return nearest?.sighting ?? null;
}

/**
 * Another reading of the same line: in its place, hardly different, and one of the two uncertain. Digits are
 * told apart.
 */
function isReading(sighting: Seen, { score, box }: TextLine, letters: string): boolean {
  if (score >= shownScore && sighting.score >= shownScore) return false;
  return digitsOf(sighting.letters) === digitsOf(letters) && isNearly(sighting, box, letters);
}

/** The same, however certain. A clock that goes on is none. */
function isOtherReading(sighting: Seen, { place, letters }: Seen): boolean {
  const others = (text: string) => text.replace(/\p{N}/gu, '');
  return others(sighting.letters) !== others(letters) && isNearly(sighting, place, letters);
}

function isNearly(sighting: Seen, place: TextBox, letters: string): boolean {
  if (overlap(sighting.place, place) < samePlace) return false;
  const most = Math.floor(misread * Math.max(sighting.letters.length, letters.length));
  return slipsBetween(sighting.letters, letters) <= most;
}

const digitsOf = (text: string) => text.replace(/\P{N}/gu, '');

const lasts = ({ start, end }: Seen) => end - start;
