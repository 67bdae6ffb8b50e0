// Which names of a watched folder are looked at. Pure.
import { extname } from 'node:path';
import { isMediaName } from '../decoder/media-names.ts';

/** Endings that programs give to what they are still writing, a file or a folder. */
const partial = new Set(
  '.part .partial .crdownload .download .opdownload .tmp .temp .filepart .!ut .!qb .aria2 .incomplete'.split(
    ' ',
  ),
);

/** Folders of the system and of storage devices, which hold thumbnails and what was thrown away. Lower case. */
const ofSystem = new Set([
  'lost+found',
  'system volume information',
  '$recycle.bin',
  '#recycle',
  '#snapshot',
  '@eadir',
  '@recycle',
]);

export function isHidden(name: string): boolean {
  return name.startsWith('.');
}

/** Something that is still being written, or a copy that an editor keeps. */
export function isPartial(name: string): boolean {
  return (
    name.endsWith('~') ||
    name.startsWith('~$') ||
    name.startsWith('.~') ||
    partial.has(extname(name).toLowerCase())
  );
}

/** Asked of every file in every poll: endings of what is partial are no endings of media, and need no second look. */
export function isWatchedFile(name: string): boolean {
  return isMediaName(name) && !isHidden(name) && !name.startsWith('~$');
}

export function isWatchedFolder(name: string): boolean {
  return !isHidden(name) && !isPartial(name) && !ofSystem.has(name.toLowerCase());
}
