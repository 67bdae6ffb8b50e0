// Date, camera and location from the tags of a container and its streams. Writers use different names for
// each.

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
    location: first(sources, locations, plain),
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

/** A date, with or without a time, as ISO 8601; null for anything else, including a year alone. */
export function isoDate(text: string): string | null {
  const match = /^(\d{4})[-/:](\d\d)[-/:](\d\d)(?:[T ](\d\d:\d\d:\d\d)(\.\d+)?\s*(Z|[+-]\d\d:?\d\d)?)?$/.exec(
    text.trim(),
  );
  if (!match || match[1] === '0000') return null;
  const [, year, month, day, time, fraction, zone] = match;
  if (time === undefined) return `${year}-${month}-${day}`;
  const part = fraction && Number(fraction) > 0 ? fraction : '';
  const offset = zone && zone !== 'Z' ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : (zone ?? '');
  return `${year}-${month}-${day}T${time}${part}${offset}`;
}
