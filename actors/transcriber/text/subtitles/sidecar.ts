// Reads the subtitles beside a media file, and turns those of embedded tracks into segments.
import { createHash } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Reply, Request } from '../../../../runtime/contract.ts';
import { speechErrors, type transcriberContract } from '../../contract.ts';
import { languageCode } from '../languages.ts';
import { assEvent } from './ass.ts';
import { chooseSidecar, textCodecs } from './choose.ts';
import type { Cue, Parsed } from './cue.ts';
import { decodeText } from './encoding.ts';
import { plainSubrip, voicesOfWebvtt } from './markup.ts';
import { parseSubtitles } from './read.ts';
import { segmentsOfCues } from './segments.ts';
import { parseTtml } from './ttml.ts';

type Contract = typeof transcriberContract;

/** Ten hours of subtitles are 2 MB; a much larger file is something else. */
const MOST_BYTES = 32 * 1024 * 1024;

/** SUBTITLES_INVALID names the file that could not be read; no worse match is used in its place. */
export async function sidecar(request: Request<Contract, 'sidecar'>): Promise<Reply<Contract, 'sidecar'>> {
  const found = await findSidecar(request);
  if (!found) return null;
  const { path } = found;
  const bytes = await bytesOf(path);
  const { text } = decodeText(bytes, found.language);
  const parsed = parseSubtitles(text);
  const { segments, skipped, repaired } = segmentsOfCues(parsed);
  if (segments.length === 0) {
    const what = skipped > 0 ? `none of its ${skipped} cues can be used` : 'there is no cue in it';
    throw speechErrors.SUBTITLES_INVALID(`${path}: ${what}`, { path });
  }
  const own = parsed.language === null ? null : languageCode(parsed.language);
  const version = versionOf(bytes);
  return { path, language: found.language ?? own, segments, version, skipped, repaired };
}

export async function sidecarVersion(
  request: Request<Contract, 'sidecar_version'>,
): Promise<Reply<Contract, 'sidecar_version'>> {
  const found = await findSidecar(request);
  if (!found) return null;
  try {
    return versionOf(await bytesOf(found.path));
  } catch {
    // `sidecar` answers why it cannot be read.
    return null;
  }
}

/** Of the content, so that a copy has the same. */
function versionOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

async function findSidecar({ media_path, language }: Request<Contract, 'sidecar'>) {
  const folder = dirname(media_path);
  const found = chooseSidecar(basename(media_path), await namesIn(folder), language);
  return found && { path: join(folder, found.name), language: found.language };
}

/** SUBTITLES_INVALID for a codec that is not text, and when no event of a track that has some can be read. */
export function captions({ codec, cues }: Request<Contract, 'captions'>): Reply<Contract, 'captions'> {
  if (!textCodecs.has(codec)) {
    throw speechErrors.SUBTITLES_INVALID(`Subtitles of the codec ${codec} are not text`, { codec });
  }
  const parsed = cues.map((cue) => cuesOf(codec, cue));
  const skipped = parsed.reduce((sum, one) => sum + one.skipped, 0);
  const transcript = segmentsOfCues({ cues: parsed.flatMap((one) => one.cues), skipped });
  if (transcript.segments.length === 0 && transcript.skipped > 0) {
    const what = `None of the ${cues.length} events of the ${codec} track can be used`;
    throw speechErrors.SUBTITLES_INVALID(what, { codec });
  }
  return transcript;
}

type Event = Request<Contract, 'captions'>['cues'][number];

function cuesOf(codec: string, event: Event): Pick<Parsed, 'cues' | 'skipped'> {
  const at = { start: event.start_seconds, end: event.end_seconds };
  const cue = (text: string): Cue => ({ ...at, text, speaker: null });
  if (codec === 'ass' || codec === 'ssa') {
    const said = assEvent(event.text);
    return said ? { cues: [{ ...at, ...said }], skipped: 0 } : { cues: [], skipped: 1 };
  }
  if (codec === 'webvtt') {
    return { cues: voicesOfWebvtt(event.text).map((said) => ({ ...at, ...said })), skipped: 0 };
  }
  if (codec === 'ttml') return documentAt(event);
  // The text of mov_text is plain; its styles are after it.
  return { cues: [cue(codec === 'mov_text' ? event.text : plainSubrip(event.text))], skipped: 0 };
}

/**
 * A sample of a TTML track is a document with the times of the track; FFmpeg's encoder writes only the
 * paragraphs.
 */
function documentAt({ start_seconds, end_seconds, text }: Event): Pick<Parsed, 'cues' | 'skipped'> {
  const { cues, skipped } = parseTtml(text);
  const within = cues.map((cue) => {
    const start = Math.max(start_seconds, cue.start);
    const end = Math.min(end_seconds, cue.end ?? end_seconds);
    // Times outside those of the sample are ignored: the cue has the times of the sample.
    return start < end ? { ...cue, start, end } : { ...cue, start: start_seconds, end: end_seconds };
  });
  return { cues: within, skipped };
}

/** Empty for a folder that cannot be listed. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

async function bytesOf(path: string): Promise<Uint8Array> {
  const broken = (what: string, cause?: unknown) =>
    speechErrors.SUBTITLES_INVALID(`${path}: ${what}`, { path }, cause);
  const file = await open(path).catch((error: Error) => {
    throw broken(error.message, error);
  });
  try {
    const { size } = await file.stat();
    if (size > MOST_BYTES) throw broken(`${size} bytes are too many for subtitles`);
    // It may be a folder, or be removed meanwhile.
    return await file.readFile().catch((error: Error) => {
      throw broken(error.message, error);
    });
  } finally {
    await file.close();
  }
}
