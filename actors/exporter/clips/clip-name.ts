// Names of the files of clips.
import { basename, extname } from 'node:path';
import { safeName } from '../filename.ts';
import type { ClipSpec } from './contract.ts';

/** Endings that a clip can have, which a given name may bring along. */
const endings = /\.(mp4|mov|m4v|m4a|mkv|webm|ts|wav|flac|mp3|ogg)$/i;

/** Safe on every system and without an ending: as given, else that of the source with start and end. */
export function clipName({ media_path, start_seconds, end_seconds, output_name }: ClipSpec): string {
  if (output_name !== undefined) return safeName(output_name.replace(endings, ''), 'clip');
  const name = basename(media_path, extname(media_path));
  return `${safeName(name, 'clip')}_${dotted(start_seconds)}-${dotted(end_seconds)}`;
}

/** `HH.MM.SS.mmm`: colons are not allowed everywhere. */
function dotted(seconds: number): string {
  const ms = Math.round(seconds * 1000);
  const part = (value: number, digits: number) => String(value).padStart(digits, '0');
  const clock = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${clock.map((value) => part(value, 2)).join('.')}.${part(ms % 1000, 3)}`;
}
