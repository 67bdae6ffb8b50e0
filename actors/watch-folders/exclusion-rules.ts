// What an exclusion has to look like; the room of the watcher says what it means. Pure.
import type { Exclusions } from '../watcher/contract.ts';

/** Lower case, with the dot, each once, in the order in which they came. */
export function normalizeExtensions(extensions: readonly string[]): string[] {
  return [...new Set(extensions.map((extension) => `.${bare(extension).normalize('NFC').toLowerCase()}`))];
}

/** What is wrong with one exclusion, as words that follow the name of the field; null when it can be used. */
export function exclusionComplaint(field: keyof Exclusions, exclusion: string): string | null {
  const what = complaint(field, exclusion);
  return what === null ? null : `holds ${JSON.stringify(exclusion)}, which ${what}`;
}

function complaint(field: keyof Exclusions, exclusion: string): string | null {
  if (exclusion.includes('\0')) return 'has a NUL character';
  if (field === 'excluded_folder_globs') return /[^\\/\s]/.test(exclusion) ? null : 'is no name';
  if (/[\\/]/.test(exclusion)) return 'has a separator';
  if (field === 'excluded_extensions') return bare(exclusion).trim() === '' ? 'is no extension' : null;
  return exclusion.trim() === '' ? 'is no name' : null;
}

function bare(extension: string): string {
  return extension.trim().replace(/^\.+/, '');
}
