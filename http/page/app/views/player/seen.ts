// Detections and sounds of a file as lanes. The worker makes them from the whole answer, which takes
// longer to parse for a long film than the page may pause, and packs them: numbers cross threads without a
// copy.
import type { Operations } from '../../../../client/addresses.ts';
import type { OutputOf } from '../../../../client/request.ts';

type Seen = Pick<OutputOf<Operations['mediaSeen']>, 'things' | 'lines' | 'faces' | 'sounds'>;

export interface SeenLane {
  readonly kind: 'thing' | 'line' | 'face' | 'sound';
  /** The class of things, and the sound; '' for lines and faces. */
  readonly name: string;
  /** A begin and an end for each span, in seconds. */
  readonly spans: Float64Array<ArrayBuffer>;
  /** Printed text of each span; empty for things and faces. */
  readonly texts: readonly string[];
  readonly boxes: Boxes;
}

/**
 * Where something is seen in the picture, and when, six numbers for each: begin and end in seconds; left,
 * top, width and height, relative to the picture.
 */
export type Boxes = Float64Array<ArrayBuffer>;
const OF_BOX = 6;

type Box = [left: number, top: number, width: number, height: number];

/** Boxes at a time. */
export function boxesAt(boxes: Boxes, seconds: number): Box[] {
  const visibleBoxes: Box[] = [];
  for (let at = 0; at < boxes.length; at += OF_BOX) {
    const [start, end, x, y, width, height] = boxes.subarray(at, at + OF_BOX);
    if (start! <= seconds && seconds < end!) visibleBoxes.push([x!, y!, width!, height!]);
  }
  return visibleBoxes;
}

/** Lanes of things at most, those that are seen longest. */
const MOST_THINGS = 8;

/** Lanes for an answer of `POST /media/seen`. */
export function lanesOfSeen({ things, lines, faces, sounds }: Seen): SeenLane[] {
  const ofThings = things
    .filter(({ measured }) => measured)
    .slice(0, MOST_THINGS)
    .map(({ class: name, ranges, tracks }): SeenLane => {
      return { kind: 'thing', name, spans: packed(ranges), texts: [], boxes: packed(tracks.map(numbersOf)) };
    });
  const ofLines: SeenLane = {
    kind: 'line',
    name: '',
    spans: packed(lines.map(({ start_seconds, end_seconds }) => [start_seconds, end_seconds])),
    texts: lines.map(({ text }) => text),
    boxes: packed(lines.map(numbersOf)),
  };
  const seconds = faces.map(({ time_seconds: at }) => ({ start_seconds: at, end_seconds: at + 1, text: '' }));
  const ofFaces: SeenLane = {
    kind: 'face',
    name: '',
    spans: packed(joined(seconds).map(({ start, end }) => [start, end])),
    texts: [],
    boxes: packed(faces.map(({ time_seconds: at, box }) => [at, at + 1, ...box])),
  };
  const bySound = Map.groupBy(sounds ?? [], ({ sound }) => sound);
  const ofSounds = [...bySound].map(([name, ranges]): SeenLane => {
    const spans = packed(ranges.map(({ start_seconds, end_seconds }) => [start_seconds, end_seconds]));
    return { kind: 'sound', name, spans, texts: [], boxes: packed([]) };
  });
  return [...ofSounds, ...ofThings, ofLines, ofFaces].filter(({ spans }) => spans.length > 0);
}

interface Timed {
  readonly box: readonly number[];
  readonly start_seconds: number;
  readonly end_seconds: number;
}

function numbersOf({ start_seconds, end_seconds, box }: Timed): number[] {
  return [start_seconds, end_seconds, ...box];
}

function packed(rows: readonly (readonly number[])[]): Float64Array<ArrayBuffer> {
  return Float64Array.from(rows.flat());
}

export interface SeenSpan {
  /** Seconds from the start of the film; `end` is not part of it. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Said {
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly text: string;
}

/** Silence that does not end a speaker's span. */
const JOINED_SECONDS = 1;

export function joined(segments: readonly Said[]): SeenSpan[] {
  const spans: { start: number; end: number; text: string }[] = [];
  for (const { start_seconds: start, end_seconds: end, text } of segments) {
    const last = spans.at(-1);
    if (last && start - last.end <= JOINED_SECONDS) {
      last.end = Math.max(last.end, end);
      if (last.text !== text) last.text = `${last.text} ${text.trim()}`.slice(0, 300);
    } else spans.push({ start, end, text: text.trim().slice(0, 300) });
  }
  return spans;
}
