// Which names of a watched folder are looked at.
import { isMediaName } from '../decoder/media-names.ts';

// Names that programs give to files while they write, download or copy them: such a file is looked at when it
// has its own name. Programs that write under the final name (Finder, Explorer, robocopy, curl, wget, most
// renders) are caught by size and time alone; hidden names, as of rsync and Syncthing, are left anyway.

/** The last ending of the name, in lower case. */
const endings = new Set([
  // What many programs take, Firefox and WinSCP among them.
  ...['part', 'partial', 'tmp', 'temp', 'filepart'],
  // Browsers: Chrome and Edge, Safari (a folder that holds the file), Opera.
  ...['crdownload', 'download', 'opdownload'],
  // Download managers: aria2 (the note beside the file), Free Download Manager, Thunder, and others.
  ...['aria2', 'fdmdownload', 'xltd', 'downloading'],
  // Peer to peer: uTorrent, BitTorrent, qBittorrent, Resilio Sync, BitComet, Vuze.
  ...['!ut', '!bt', '!qb', '!sync', 'bc!', 'az!'],
]);

/** Of a Mac: the name, then `.sb-`, eight digits and six characters. */
const aSafeSave = /\.sb-[0-9a-f]{8}-[0-9a-z]{6}$/i;

const patterns = [
  // Backups and copies of editors and of Sonarr (`.partial~`); notes of who has a document open.
  /~$/,
  /^~\$/,
  /^\.~/,
  // Syncthing on Windows.
  /^~syncthing~/i,
  aSafeSave,
  // yt-dlp joins picture and sound in `name.temp.mp4`: its tools go by the last ending.
  /\.temp\.[0-9a-z]{1,5}$/i,
];

export function isPartialName(name: string): boolean {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return (name.includes('.') && endings.has(ending)) || patterns.some((pattern) => pattern.test(name));
}

/** A folder that holds a partial file under its own name; other folders may be called as they like. */
export function isPartialFolderName(name: string): boolean {
  return /\.download$/i.test(name) || aSafeSave.test(name);
}

/**
 * Folders of the system and of storage devices, which hold thumbnails and what was thrown away. Lower case.
 */
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
