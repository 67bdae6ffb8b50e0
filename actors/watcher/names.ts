// Which names of a watched folder are looked at.
import { isMediaName } from '../decoder/media-names.ts';
import { isPartialFolderName, isPartialName } from './partial-names.ts';

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

export function isWatchedFile(name: string): boolean {
  return isMediaName(name) && !isHidden(name) && !isPartialName(name);
}

export function isWatchedFolder(name: string): boolean {
  return !isHidden(name) && !isPartialFolderName(name) && !ofSystem.has(name.toLowerCase());
}
