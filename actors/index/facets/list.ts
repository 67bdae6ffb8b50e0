// The facets there are. Left out on purpose: exact seconds, exact numbers of frames, levels of codecs,
// timecodes.

import { posix, win32 } from 'node:path';
import { bibliographicCodes } from '../../../runtime/languages.ts';
import { isUnsetDate } from '../../decoder/contract.ts';
import {
  type ClassStep,
  classOf,
  date,
  type FacetDefinition,
  flag,
  type MediaFacts,
  moment,
  multi,
  numeric,
  single,
  stepChoices,
} from './facet.ts';
import { pictureFacets } from './picture.ts';

// Facets of where a media comes from: camera, place, time, and where its file lies.

const source = ['Source'] as const;
const time = ['Time'] as const;
const file = ['File'] as const;
const description = ['Description'] as const;

/** Side of a cell of the map, in degrees: 11 km from north to south. */
const cell = 0.1;

/**
 * Latitude and longitude in degrees, from `lat,lon` or ISO 6709 (`+48.2082+016.3738+171/`); null for anything
 * else.
 */
export function coordinates(location: string): { latitude: number; longitude: number } | null {
  const plain = /^\s*([+-]?\d+(?:\.\d+)?)\s*,\s*([+-]?\d+(?:\.\d+)?)\s*$/.exec(location);
  const iso = /^([+-]\d+(?:\.\d+)?)([+-]\d+(?:\.\d+)?)/.exec(location.trim());
  const latitude = plain ? Number(plain[1]) : iso ? degrees(iso[1] ?? '', 2) : Number.NaN;
  const longitude = plain ? Number(plain[2]) : iso ? degrees(iso[2] ?? '', 3) : Number.NaN;
  const real = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return real ? { latitude, longitude } : null;
}

/**
 * ISO 6709 counts degrees, or degrees and minutes, or seconds as well, told apart by the number of digits.
 */
function degrees(text: string, digits: number): number {
  const sign = text[0] === '-' ? -1 : 1;
  const whole = text.slice(1).split('.')[0]?.length ?? 0;
  const value = Number(text.slice(1));
  if (whole <= digits) return sign * value;
  if (whole === digits + 2) return sign * (Math.trunc(value / 100) + (value % 100) / 60);
  if (whole !== digits + 4) return Number.NaN;
  const minutes = Math.trunc(value / 100) % 100;
  return sign * (Math.trunc(value / 10_000) + minutes / 60 + (value % 100) / 3600);
}

function cellOf({ probe }: MediaFacts): string | null {
  const at = probe.location === null ? null : coordinates(probe.location);
  if (!at) return null;
  // Adding 0 makes -0 a 0.
  const near = (value: number) => (Math.round(value / cell) * cell + 0).toFixed(1);
  return `${near(at.latitude)},${near(at.longitude)}`;
}

function cellLabel(value: string): string {
  const [latitude = 0, longitude = 0] = value.split(',').map(Number);
  const side = (degree: number, names: string) => `${Math.abs(degree)}° ${names[degree < 0 ? 1 : 0]}`;
  return `${side(latitude, 'NS')}, ${side(longitude, 'EW')}`;
}

function cellMeta(value: string) {
  const [latitude = 0, longitude = 0] = value.split(',').map(Number);
  return { latitude, longitude, cell_degrees: cell };
}

/** The name with its blanks made one; makers pad theirs. */
const plain = (name: string | null) => name?.replace(/\s+/g, ' ').trim() || null;

/** Null without a date that can be read, and for that of a clock that was never set. */
function created({ probe: { creation_date: date } }: MediaFacts): string | null {
  return date === null || moment(date) === null || isUnsetDate(date) ? null : date;
}

function setDate(date: string): string | null {
  return isUnsetDate(date) ? null : date;
}

const bytes: readonly ClassStep[] = [
  { value: 'under_10mb', label: 'Under 10 MB', from: 0 },
  { value: '10mb_100mb', label: '10 to 100 MB', from: 1e7 },
  { value: '100mb_1gb', label: '100 MB to 1 GB', from: 1e8 },
  { value: '1gb_10gb', label: '1 to 10 GB', from: 1e9 },
  { value: '10gb_100gb', label: '10 to 100 GB', from: 1e10 },
  { value: 'over_100gb', label: 'Over 100 GB', from: 1e11 },
];

/** A drive letter or a share makes it a path of Windows, whatever machine this is. */
const syntax = (path: string) => (/^([A-Za-z]:|\\\\)/.test(path) ? win32 : posix);

const folderOf = (path: string) => syntax(path).dirname(path);

/** The folder and those above it; the root only for what lies in it. */
export function foldersAbove(folder: string): readonly string[] {
  const { dirname } = syntax(folder);
  const above: string[] = [folder];
  for (let at = dirname(folder); at !== '.'; ) {
    const next = dirname(at);
    if (next === at) break;
    above.push(at);
    at = next;
  }
  return above;
}

function folderMeta(value: string) {
  const above = foldersAbove(value);
  return { parent: above[1] ?? null, depth: above.length };
}

export function extensionOf(path: string): string | null {
  const ending = syntax(path).extname(path).slice(1).toLowerCase();
  return ending === '' ? null : ending;
}

export const originFacets: readonly FacetDefinition[] = [
  single({ id: 'source.camera_make', label: 'Camera make', path: source }, ({ probe }) =>
    plain(probe.camera_make),
  ),
  single({ id: 'source.camera_model', label: 'Camera model', path: source }, ({ probe }) =>
    plain(probe.camera_model),
  ),
  flag({ id: 'source.has_location', label: 'Has location', path: source }, (media) => cellOf(media) !== null),
  single({ id: 'source.location', label: 'Location', path: source }, cellOf, {
    labelOf: cellLabel,
    meta: cellMeta,
  }),
  multi(
    { id: 'description.keyword', label: 'Keywords', path: description },
    ({ probe }) => probe.xmp?.keywords ?? [],
  ),
  multi(
    { id: 'description.person', label: 'People named in the file', path: description },
    ({ probe }) => probe.xmp?.people ?? [],
  ),
  date({ id: 'time.creation_date', label: 'Creation date', path: time }, created),
  numeric({ id: 'time.year', label: 'Year', path: time }, (media) => {
    const text = created(media);
    return text === null ? null : Number(text.slice(0, 4));
  }),
  single(
    { id: 'time.month', label: 'Month', path: time },
    (media) => created(media)?.match(/^\d{4}-\d\d/)?.[0] ?? null,
    { rank: (value) => moment(value)?.start ?? null, meta: (value) => ({ year: value.slice(0, 4) }) },
  ),
  date({ id: 'file.modified_date', label: 'Modified', path: file }, ({ identity }) =>
    // A time of the file system may lie outside the range of Date.
    Math.abs(identity.mtime_ms) <= 8.64e15 ? setDate(new Date(identity.mtime_ms).toISOString()) : null,
  ),
  multi({ id: 'file.folder', label: 'Folder', path: file }, ({ paths }) => paths.map(folderOf), {
    widen: foldersAbove,
    labelOf: (value) => syntax(value).basename(value) || value,
    meta: folderMeta,
  }),
  multi({ id: 'file.extension', label: 'Extension', path: file }, ({ paths }) =>
    paths.flatMap((path) => extensionOf(path) ?? []),
  ),
  single(
    { id: 'file.size_class', label: 'File size', path: file },
    ({ identity }) => classOf(bytes, identity.size_bytes),
    stepChoices(bytes, 'bytes'),
  ),
];

// Facets of sound and subtitles: codecs, channels, rates and languages.

const sound = ['Technical', 'Audio'] as const;
const text = ['Technical', 'Subtitles'] as const;

const codecs: Readonly<Record<string, string>> = {
  aac: 'AAC',
  mp3: 'MP3',
  opus: 'Opus',
  vorbis: 'Vorbis',
  flac: 'FLAC',
  alac: 'Apple Lossless',
  ac3: 'Dolby Digital (AC-3)',
  eac3: 'Dolby Digital Plus (E-AC-3)',
  pcm_s16le: 'PCM 16 bit',
  pcm_s16be: 'PCM 16 bit',
  pcm_s24le: 'PCM 24 bit',
  pcm_s24be: 'PCM 24 bit',
  pcm_f32le: 'PCM 32 bit float',
};

/** `stereo`, `5.1`, or `16_channels` where the file gives only a number. */
export function layoutOf(layout: string | null, channels: number): string {
  // Where the speakers stand, in brackets, is no difference a person looks for.
  const name = (layout ?? '').replace(/\(.*\)$/, '').trim();
  if (name !== '' && !/^\d+ channels$/.test(name)) return name;
  if (channels === 1) return 'mono';
  return channels === 2 ? 'stereo' : `${channels}_channels`;
}

function layoutLabel(value: string): string {
  const many = /^(\d+)_channels$/.exec(value);
  if (many) return `${many[1]} channels`;
  return value.charAt(0).toUpperCase() + value.slice(1);
}

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** Files of one archive say the same few tags over and over. */
const mostTags = 1000;
const languageTags = new Map<string, string | null>();

/**
 * One code for a language however the file writes it: `eng`, `en` and `EN` are `en`; null when it is not
 * known which.
 */
export function languageOf(tag: string | null): string | null {
  if (tag === null) return null;
  const cachedTag = languageTags.get(tag);
  if (cachedTag !== undefined) return cachedTag;
  const language = canonical(tag);
  if (languageTags.size < mostTags) languageTags.set(tag, language);
  return language;
}

function canonical(tag: string): string | null {
  const code = tag.trim().replaceAll('_', '-').toLowerCase();
  if (/^(|und|mul|mis|zxx|qaa|unk)$/.test(code)) return null;
  try {
    return Intl.getCanonicalLocales(bibliographicCodes[code] ?? code)[0] ?? null;
  } catch {
    // Not a tag of a language, but what the file says all the same.
    return code;
  }
}

function languageLabel(value: string): string {
  try {
    return languageNames.of(value) ?? value;
  } catch {
    return value; // Not a tag of a language.
  }
}

const languages = (streams: readonly { readonly language: string | null }[]) =>
  streams.flatMap(({ language }) => languageOf(language) ?? []);

const first = ({ probe }: MediaFacts) => probe.audio[0];

export const soundFacets: readonly FacetDefinition[] = [
  flag({ id: 'technical.has_audio', label: 'Has audio', path: sound }, ({ probe }) =>
    probe.kind === 'image' ? null : probe.audio.length > 0,
  ),
  multi(
    { id: 'technical.audio_codec', label: 'Audio codec', path: sound },
    ({ probe }) => probe.audio.map(({ codec }) => codec),
    { labelOf: (value) => codecs[value] ?? value },
  ),
  multi(
    { id: 'technical.audio_layout', label: 'Audio layout', path: sound },
    ({ probe }) => probe.audio.map(({ layout, channels }) => layoutOf(layout, channels)),
    { labelOf: layoutLabel },
  ),
  numeric({ id: 'technical.audio_tracks', label: 'Audio tracks', path: sound }, ({ probe }) =>
    probe.audio.length > 0 ? probe.audio.length : null,
  ),
  numeric(
    { id: 'technical.audio_sample_rate', label: 'Sample rate', path: sound },
    (media) => first(media)?.sample_rate ?? null,
    { labelOf: (value) => `${Number(value) / 1000} kHz` },
  ),
  multi(
    { id: 'technical.audio_language', label: 'Audio language', path: sound },
    ({ probe }) => languages(probe.audio),
    { labelOf: languageLabel },
  ),
  flag({ id: 'technical.has_subtitles', label: 'Has subtitles', path: text }, ({ probe }) =>
    probe.kind === 'image' ? null : probe.subtitles.length > 0,
  ),
  multi(
    { id: 'technical.subtitle_language', label: 'Subtitle language', path: text },
    ({ probe }) => languages(probe.subtitles),
    { labelOf: languageLabel },
  ),
];

export const facets: readonly FacetDefinition[] = [...pictureFacets, ...soundFacets, ...originFacets];
