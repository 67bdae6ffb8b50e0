// Names of the files in an analysis folder. A model key comes from a user's folder and a hash from a caller,
// so neither is ever part of a path before it went through here.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { engineErrors } from '../../../runtime/errors.ts';
import { quoted } from '../../../runtime/text.ts';

const maxEncoded = 96;

/**
 * A model key as part of a file name: lower case, digits, `.`, `-`, `_`; everything else as `~` and two hex
 * digits a byte.
 */
export function encodeModelKey(key: string): string {
  if (key === '') throw engineErrors.INVALID_MESSAGE('model_key is empty');
  let encoded = '';
  for (const byte of Buffer.from(key, 'utf8')) {
    const char = String.fromCharCode(byte);
    encoded += /[a-z0-9._-]/.test(char) ? char : `~${byte.toString(16).padStart(2, '0')}`;
  }
  if (encoded.length <= maxEncoded) return encoded;
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 24);
  return `${encoded.slice(0, maxEncoded - 26)}~~${digest}`;
}

/** The key that was encoded so; null for one that was too long. */
export function decodeModelKey(encoded: string): string | null {
  if (encoded.includes('~~')) return null;
  return Buffer.from(
    encoded.replaceAll(/~([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');
}

/** Lower-case hex and dashes. */
export const isHash = (text: string): boolean => /^[0-9a-f][0-9a-f-]{0,99}$/.test(text);

/** A hash, and behind it the number of a further content with the same one: `…-5a3c1`, `…-5a3c1-2`. */
const numberedHash = /^([0-9a-f]+-[0-9a-f]+)-([0-9]+)$/;

/** The hash without the number. */
export const baseHash = (hash: string): string => numberedHash.exec(hash)?.[1] ?? hash;

/** 1 for the content that was seen first. */
export const contentNumber = (hash: string): number => Number(numberedHash.exec(hash)?.[2] ?? 1);

export const numbered = (base: string, number: number): string => (number === 1 ? base : `${base}-${number}`);

/** The hash itself; throws INVALID_MESSAGE for anything else. */
export function checkedHash(hash: string): string {
  if (!isHash(hash)) {
    throw engineErrors.INVALID_MESSAGE(`hash_str ${quoted(hash.slice(0, 120))} is not a media hash`);
  }
  return hash;
}

export const databaseFile = (folder: string): string => join(folder, 'records.mdb');
export const vectorFolder = (folder: string): string => join(folder, 'vectors');
export const bundleFolders = ['vectors', 'previews', 'people'];
/** Bundles that are being written. */
export const openFolder = (folder: string): string => join(folder, 'open');
export const peaksFile = (folder: string, hash: string): string =>
  join(folder, 'peaks', checkedHash(hash).slice(0, 2), `${hash}.peaks`);

// Places of bundles, from the folder on. Their names begin with the hash.
export const vectorPlaces = (modelKey: string): string => `vectors/m-${encodeModelKey(modelKey)}/`;
export const vectorPlace = (modelKey: string, name: string): string =>
  `${vectorPlaces(modelKey)}${name.slice(0, 2)}/${name}.vectors`;
export const previewPlace = (name: string): string => `previews/${name.slice(0, 2)}/${name}.previews`;
/** Key of a bundle that no record names any more. */
export const gonePrefix = 'gone/';
export const goneKey = (place: string): string => `${gonePrefix}${place}`;

// LMDB keys are at most 1978 bytes and a path can be longer.
export const pathKey = (path: string): string => `path/${createHash('sha256').update(path).digest('hex')}`;
export const rootPrefix = 'root/';
export const rootKey = (name: string): string => `${rootPrefix}${name}`;
export const mediaKey = (hash: string): string => `media/${checkedHash(hash)}`;
export const previewKey = (hash: string): string => `previews/${checkedHash(hash)}`;
export const transcriptPrefix = 'transcript/';
export const transcriptKey = (hash: string): string => `${transcriptPrefix}${checkedHash(hash)}`;
export const speakersKey = (hash: string): string => `speakers/${checkedHash(hash)}`;
export const voicesPrefix = 'voices/';
export const voicesKey = (hash: string): string => `${voicesPrefix}${checkedHash(hash)}`;
/** `id`: made by this program. */
export const personKey = (id: string): string => `voice-person/${id}`;
/** State before the last statement about voices, for undo. */
export const voiceUndoKey = 'voice-undo';
export const modelPrefix = 'model/';
export const modelRecordKey = (modelKey: string): string => `${modelPrefix}${encodeModelKey(modelKey)}`;
export const stagePrefix = (modelKey: string): string => `visual/${encodeModelKey(modelKey)}/`;
export const stageKey = (modelKey: string, hash: string): string =>
  `${stagePrefix(modelKey)}${checkedHash(hash)}`;
export const formatKey = 'format';
export const replicaKey = 'replica';
export const leaseKey = 'writer';

/** Vectors and pictures of faces, and the columns of clusterings. */
export const peopleFolder = (folder: string): string => join(folder, 'people');
/** Place of all faces of a pair of models. */
export const faceRolls = (modelKey: string): string => `people/f-${encodeModelKey(modelKey)}/`;
export const faceRollPlace = (modelKey: string, name: string): string =>
  `${faceRolls(modelKey)}${name}.faces`;
/** `model`: encoded. */
export const faceRollPrefix = (model: string): string => `face-roll/${model}/`;
export const faceRollKey = (model: string, name: string): string => `${faceRollPrefix(model)}${name}`;
/** Contents that have faces in a roll. */
export const faceMembers = (model: string, name: string): string => `face-in/${model}/${name}/`;
export const faceModelPrefix = 'face-model/';
export const faceModelKey = (modelKey: string): string => `${faceModelPrefix}${encodeModelKey(modelKey)}`;
/** `model`: encoded. */
export const facesPrefix = (model: string): string => `faces/${model}/`;
export const facesKey = (model: string, hash: string): string => `${facesPrefix(model)}${checkedHash(hash)}`;
export const faceFactsKey = (model: string, hash: string): string =>
  `face-facts/${model}/${checkedHash(hash)}`;
export const facePlacesKey = (model: string, hash: string): string =>
  `face-places/${model}/${checkedHash(hash)}`;
export const faceChangesKey = 'face-changes';

const longestName = 1200;

/** A name of a clustering as part of a key; long ones by their checksum. */
export function encodeName(name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed());
  return encoded.length <= longestName ? encoded : `~${createHash('sha256').update(name).digest('hex')}`;
}
export const clusteringPrefix = 'people/';
export const clusteringKey = (name: string): string => `${clusteringPrefix}${encodeName(name)}`;
export const clusteringStateKey = (name: string): string => `people-state/${encodeName(name)}`;
/** Prefix of the names of its files. */
export const clusteringFiles = (name: string): string =>
  `c-${createHash('sha256').update(name).digest('hex').slice(0, 32)}.`;
