// A file of the fake prober: what is in it, and what goes wrong with it.
import type { Static } from 'typebox';
import { mediaErrors, type Probe } from '../../../actors/decoder/contract.ts';
import {
  type Section,
  type SectionsOf,
  SectionTable,
  sectionErrors,
} from '../../../actors/decoder/frames/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';

export interface FakeFile {
  readonly name: string;
  readonly frames: number;
  readonly kind?: 'video' | 'audio' | 'image';
  /** Content; files of the same content have the same hash. */
  readonly content?: string;
  /** The same picture stays for so many frames; a new one every frame when left out. */
  readonly still?: number;
  /** The feed fails at this frame, this many times. */
  readonly failAt?: number;
  failures?: number;
  /** Frames that are left out. */
  readonly missing?: readonly number[];
  /** Frames of which parts are missing. */
  readonly damaged?: readonly number[];
  readonly error?: 'crash' | 'hang' | 'decode';
  /** Frames at which a decoder can begin; several decoders can work on the film then. */
  readonly entries?: readonly number[];
  /** How often its sections were asked for. */
  asked?: number;
  /** Reading on does not lead from one section to the next. */
  readonly apart?: boolean;
  /** The decoders find that the film ends before this frame, and not where it says. */
  readonly endsAt?: number;
  /** Seconds at which it cuts between two pictures without texture. */
  readonly cuts?: readonly number[];
  /** Complaints of its probe, and of XMP beside it. */
  readonly warnings?: { readonly probe: string; readonly xmp: string };
  /** Has sound, as long as there are frames. */
  readonly sound?: boolean;
  /** Text of an embedded track of the language, a second each. */
  readonly captions?: { readonly language: string; readonly texts: readonly string[] };
}

/** The sections of a film, each about so many frames long. */
export function sectionsOf(file: FakeFile, from: number, frames: number): Section[] {
  const { entries = [], asked = 0 } = file;
  file.asked = asked + 1;
  const sections: Section[] = [];
  for (const frame of entries) {
    const last = sections.at(-1)?.frame ?? from;
    if (frame >= last + frames) sections.push({ frame, pts: frame, position: frame });
  }
  return sections;
}

export function damageOf({ damaged = [] }: FakeFile, frame: number): { readonly is_damaged?: true } {
  return damaged.includes(frame) ? { is_damaged: true } : {};
}

/** Throws what goes wrong with the file at this frame. */
export function failAt(file: FakeFile, path: string, frame: number): void {
  if (frame !== file.failAt || (file.failures ?? 1) <= 0) return;
  file.failures = (file.failures ?? 1) - 1;
  if (file.error === 'hang') throw engineErrors.ACTOR_STUCK('decoder hangs', { role: 'decoder' });
  if (file.error === 'crash') throw engineErrors.ACTOR_CRASHED('decoder ended');
  throw mediaErrors.DECODE_FAILED(`${path}: broken at ${frame}`);
}

/** The frames that a request is for, those that are missing among them. */
export function* framesOf(
  { frames, apart = false, endsAt = frames }: FakeFile,
  from: number,
  sections: Static<typeof SectionsOf> | undefined,
): Generator<number> {
  if (!sections) {
    for (let i = from; i < Math.min(frames, endsAt); i++) yield i;
    return;
  }
  const table = new SectionTable(sections.table);
  for (let at = table.take(sections.taker); at !== null; at = table.take(sections.taker)) {
    const to = sections.all[at + 1]?.frame ?? frames;
    for (let i = sections.all[at]!.frame; i < Math.min(to, endsAt); i++) {
      if (apart && i === to - 1) throw sectionErrors.SECTIONS_APART();
      yield i;
    }
    if (endsAt < to) table.endBefore(at + 1);
  }
}

/** What every byte of a frame is: something else where it is not of the size of the model. */
export function byteOf({ still = 1, cuts }: FakeFile, frame: number, forModel: boolean): number {
  if (cuts) return byteOfShot(cuts, frame);
  return (Math.floor(frame / still) + (forModel ? 0 : 100)) % 256;
}

function byteOfShot(cuts: readonly number[], second: number): number {
  return cuts.filter((cut) => cut <= second).length % 2 === 0 ? 20 : 220;
}

interface AskedParts {
  readonly parts: readonly { readonly from: number; readonly to: number }[];
  readonly width: number;
  readonly height: number;
}

/** When the pictures of a film with cuts are shown. */
export function timesOf({ cuts, frames }: FakeFile): number[] {
  return cuts ? Array.from({ length: frames * 25 }, (_, picture) => picture / 25) : [];
}

/** Pictures within parts of a film with cuts; none of a film that cannot be read in parts. */
export async function* partsOf(file: FakeFile, { parts, width, height }: AskedParts) {
  const { cuts } = file;
  if (!cuts) return;
  const [all, bytes] = [timesOf(file), width * height * 3];
  for (const [part, { from, to }] of parts.entries()) {
    const seconds = all.filter((at) => from <= at && at <= to);
    const pictures = new Uint8Array(seconds.length * bytes);
    for (const [i, at] of seconds.entries()) pictures.fill(byteOfShot(cuts, at), i * bytes, (i + 1) * bytes);
    yield { part, seconds, pictures };
  }
}

export function probeOf(file: FakeFile): Probe {
  const kind = file.kind ?? 'video';
  return {
    kind,
    container: 'fake',
    size_bytes: 1,
    duration_seconds: file.frames,
    ...(file.warnings && {
      warning: file.warnings.probe,
      xmp: { keywords: [], people: [], sidecars: [], warning: file.warnings.xmp },
    }),
    grid_frames: kind === 'audio' ? 0 : file.frames,
    width: 4,
    height: 2,
    video: null,
    audio:
      file.sound || kind === 'audio'
        ? [{ index: 1, codec: 'fake', sample_rate: 48_000, channels: 2, layout: null, language: null }]
        : [],
    subtitles: file.captions ? [{ index: 2, codec: 'subrip', language: file.captions.language }] : [],
    timecode: { text: '00:00:00:00', drop_frame: false, rate: { num: 1, den: 1 } },
    creation_date: null,
    camera_make: null,
    camera_model: null,
    location: null,
  };
}
