// Date, camera and location from the tags of a container and its streams. Writers use different names for
// each.

import { isUnsetDate } from '../contract.ts';

export type Tags = Readonly<Record<string, string>>;

export interface TagFacts {
  readonly creation_date: string | null;
  readonly camera_make: string | null;
  readonly camera_model: string | null;
  readonly location: string | null;
}

/** In order of preference: local time with a UTC offset before plain UTC. */
const dates = [
  'com.apple.quicktime.creationdate',
  'creation_time',
  'date_recorded',
  'DATE_RECORDED',
  'date',
  'DATE',
];
const makes = [
  'com.apple.quicktime.make',
  'com.android.manufacturer',
  'make',
  'manufacturer',
  'product_name',
];
const models = ['com.apple.quicktime.model', 'com.android.model', 'model'];
const locations = ['com.apple.quicktime.location.ISO6709', 'location', 'LOCATION'];

/** `sources`: the tags of the container, then those of its streams. */
export function readTags(sources: readonly Tags[]): TagFacts {
  return {
    creation_date: first(sources, dates, isoDate),
    camera_make: first(sources, makes, plain),
    camera_model: first(sources, models, plain),
    location: first(sources, locations, place),
  };
}

function first(sources: readonly Tags[], names: readonly string[], read: (text: string) => string | null) {
  for (const name of names) {
    for (const tags of sources) {
      // Some names have a language suffix: location-eng.
      const key = Object.keys(tags).find((key) => key === name || key.startsWith(`${name}-`));
      const value = key === undefined ? null : read(tags[key]!);
      if (value !== null) return value;
    }
  }
  return null;
}

const plain = (text: string) => (text.trim() === '' ? null : text.trim());

/** Null for 0,0 in ISO 6709 or in decimals, which recorders without a fix write. */
function place(text: string): string | null {
  return /^[+-]?0+(\.0+)?[+-]0+(\.0+)?(?![\d.])/.test(text.trim()) ? null : plain(text);
}

/**
 * A date, with or without a time, as ISO 8601; XMP may leave out the seconds. Null for anything else,
 * including a year alone.
 */
export function isoDate(text: string): string | null {
  const match =
    /^(\d{4})[-/:](\d\d)[-/:](\d\d)(?:[T ](\d\d:\d\d)(?:(:\d\d)(\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?$/.exec(
      text.trim(),
    );
  if (!match || match[1] === '0000') return null;
  const [, year, month, day, time, seconds = ':00', fraction, zone] = match;
  if (time === undefined) return setDate(`${year}-${month}-${day}`);
  const part = fraction && Number(fraction) > 0 ? fraction : '';
  const offset = zone && zone !== 'Z' ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : (zone ?? '');
  return setDate(`${year}-${month}-${day}T${time}${seconds}${part}${offset}`);
}

/** Null for the date of a clock that was never set. */
function setDate(date: string): string | null {
  return isUnsetDate(date) ? null : date;
}

// EXIF (CIPA DC-008): camera, time and location of a photograph, from the TIFF structure in the file.

export interface ExifFacts {
  readonly make: string | null;
  readonly model: string | null;
  /** ISO 8601, with a UTC offset when the camera recorded one. */
  readonly taken: string | null;
  /** `lat,lon` in degrees. */
  readonly location: string | null;
}

const MAKE = 0x010f;
const MODEL = 0x0110;
const DATE_TIME = 0x0132;
const EXIF_IFD = 0x8769;
const GPS_IFD = 0x8825;
const DATE_TIME_ORIGINAL = 0x9003;
const DATE_TIME_DIGITIZED = 0x9004;
const OFFSET_TIME = 0x9010;
const OFFSET_TIME_ORIGINAL = 0x9011;
const OFFSET_TIME_DIGITIZED = 0x9012;

const sizes: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8 };
/** A larger count means that this is no valid directory. */
const mostEntries = 512;

type Value = string | readonly number[];
type Directory = ReadonlyMap<number, Value>;

/** Reads an EXIF block, with or without the leading `Exif\0\0`. Unreadable fields are null. */
export function readExif(block: Uint8Array): ExifFacts {
  const named = block[0] === 0x45 && block[1] === 0x78;
  const bytes = named ? block.subarray(6) : block;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = bytes[0] === 0x49;
  if (bytes.length < 8 || view.getUint16(2, little) !== 42) return nothing;
  const main = directory(view, view.getUint32(4, little), little);
  const exif = directory(view, pointer(main.get(EXIF_IFD)), little);
  const gps = directory(view, pointer(main.get(GPS_IFD)), little);
  return {
    make: text(main.get(MAKE)),
    model: text(main.get(MODEL)),
    taken:
      exifDate(text(exif.get(DATE_TIME_ORIGINAL)), text(exif.get(OFFSET_TIME_ORIGINAL))) ??
      exifDate(text(exif.get(DATE_TIME_DIGITIZED)), text(exif.get(OFFSET_TIME_DIGITIZED))) ??
      exifDate(text(main.get(DATE_TIME)), text(exif.get(OFFSET_TIME))),
    location: location(gps),
  };
}

const nothing: ExifFacts = { make: null, model: null, taken: null, location: null };

function directory(view: DataView, start: number, little: boolean): Directory {
  const entries = new Map<number, Value>();
  if (start < 8 || start + 2 > view.byteLength) return entries;
  const count = view.getUint16(start, little);
  if (count > mostEntries) return entries;
  for (let i = 0; i < count; i++) {
    const at = start + 2 + i * 12;
    if (at + 12 > view.byteLength) break;
    const type = view.getUint16(at + 2, little);
    const items = view.getUint32(at + 4, little);
    const length = (sizes[type] ?? 0) * items;
    const from = length <= 4 ? at + 8 : view.getUint32(at + 8, little);
    if (length === 0 || from + length > view.byteLength) continue;
    entries.set(view.getUint16(at, little), readValue(view, type, items, from, little));
  }
  return entries;
}

function readValue(view: DataView, type: number, items: number, from: number, little: boolean): Value {
  if (type === 2) {
    const bytes = new Uint8Array(view.buffer, view.byteOffset + from, items);
    return new TextDecoder().decode(bytes).replace(/\0[\s\S]*$/, '');
  }
  return Array.from({ length: Math.min(items, 16) }, (_, i) => {
    const at = from + i * sizes[type]!;
    if (type === 3) return view.getUint16(at, little);
    if (type === 5) return view.getUint32(at, little) / view.getUint32(at + 4, little);
    if (type === 10) return view.getInt32(at, little) / view.getInt32(at + 4, little);
    return sizes[type] === 4 ? view.getUint32(at, little) : view.getUint8(at);
  });
}

const pointer = (value: Value | undefined) => (typeof value === 'object' ? (value[0] ?? 0) : 0);

function text(value: Value | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** `2021:05:06 07:08:09` as ISO 8601. */
function exifDate(date: string | null, offset: string | null): string | null {
  const match = /^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)/.exec(date ?? '');
  if (!match || match[1] === '0000') return null;
  const zone = /^[+-]\d\d:\d\d$/.test(offset ?? '') ? offset : '';
  return setDate(`${match[1]}-${match[2]}-${match[3]}T${match[4]}${zone}`);
}

function location(gps: Directory): string | null {
  const latitude = degrees(gps.get(2), gps.get(1), 'S');
  const longitude = degrees(gps.get(4), gps.get(3), 'W');
  if (latitude === null || longitude === null) return null;
  // Cameras without a fix write 0,0, a point in the Gulf of Guinea.
  return latitude === 0 && longitude === 0 ? null : `${latitude.toFixed(6)},${longitude.toFixed(6)}`;
}

function degrees(value: Value | undefined, side: Value | undefined, negative: string): number | null {
  if (typeof value !== 'object' || value.length < 3) return null;
  const sum = value[0]! + value[1]! / 60 + value[2]! / 3600;
  if (!Number.isFinite(sum)) return null;
  return side === negative ? -sum : sum;
}
