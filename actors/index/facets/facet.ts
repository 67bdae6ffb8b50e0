// A facet: how its value is read from the facts of a media, and its options.
import type { MediaRecord } from '../store/contract.ts';
import type { FacetKind } from './contract.ts';

// Dates as they are written, whole or in part, as stretches of time that can be compared.

/** Half-open stretch of the clock on the wall, in ms since 1970 as if that clock showed UTC. */
export interface ClockRange {
  readonly start: number;
  readonly end: number;
  /** Ms by which that clock is ahead of UTC; null when the text does not say. */
  readonly offset: number | null;
}

const form =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?)?)?$/;

/**
 * `2024`, `2024-05`, `2024-05-17`, `2024-05-17T10:11`, with seconds, fractions and an offset; null for
 * anything else.
 */
export function moment(text: string): ClockRange | null {
  const match = form.exec(text.trim());
  if (!match) return null;
  const [, years, months, days, hours, minutes, seconds, fraction, zone] = match;
  const year = Number(years);
  const month = Number(months ?? 1) - 1;
  const day = Number(days ?? 1);
  const date = Date.UTC(year, month, day);
  const time = [Number(hours ?? 0), Number(minutes ?? 0), Number(seconds ?? 0)] as const;
  // A day that the month does not have would be a day of the next month; and years before 100 mean 19xx to
  // Date.
  const real = year >= 100 && new Date(date).getUTCMonth() === month && new Date(date).getUTCDate() === day;
  const offset = zone === undefined ? null : offsetOf(zone);
  if (!real || time[0] > 23 || time[1] > 59 || time[2] > 60 || Number.isNaN(offset)) return null;
  const at = date + (time[0] * 3600 + time[1] * 60 + time[2]) * 1000;
  if (months === undefined) return { start: at, end: Date.UTC(year + 1, 0, 1), offset };
  if (days === undefined) return { start: at, end: Date.UTC(year, month + 1, 1), offset };
  if (hours === undefined) return { start: at, end: at + 86_400_000, offset };
  if (seconds === undefined) return { start: at, end: at + 60_000, offset };
  if (fraction === undefined) return { start: at, end: at + 1000, offset };
  const instant = at + Number(`0.${fraction}`) * 1000;
  return { start: instant, end: instant + 1, offset };
}

function offsetOf(zone: string): number {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  const size = hours > 23 || minutes > 59 ? Number.NaN : (hours * 60 + minutes) * 60_000;
  return zone[0] === '-' ? -size : size;
}

/**
 * Shifts that make two moments comparable: to their instants if both have an offset, else none, so that their
 * clocks are compared.
 */
function aligned(moment: ClockRange, reference: ClockRange): { shift: number; otherShift: number } {
  return moment.offset === null || reference.offset === null
    ? { shift: 0, otherShift: 0 }
    : { shift: moment.offset, otherShift: reference.offset };
}

export function isBefore(moment: ClockRange, reference: ClockRange): boolean {
  const { shift, otherShift } = aligned(moment, reference);
  return moment.end - shift <= reference.start - otherShift;
}

export function isAfter(moment: ClockRange, reference: ClockRange): boolean {
  return isBefore(reference, moment);
}

export function isWithin(moment: ClockRange, reference: ClockRange): boolean {
  const { shift, otherShift } = aligned(moment, reference);
  return (
    moment.start - shift >= reference.start - otherShift && moment.end - shift <= reference.end - otherShift
  );
}

/** One content, with every path it lies at. */
export interface MediaFacts extends Pick<MediaRecord, 'probe' | 'identity'> {
  readonly paths: readonly string[];
}

export type Meta = Readonly<Record<string, string | number | boolean | null>>;

/** Meaning of one key, parsed once and cached. */
export interface KeyReading {
  /** The stable values of the options it belongs to, each once. */
  readonly values: readonly string[];
  /** Number of a numeric facet, or the beginning of a date in ms; bounds and order use it. */
  readonly size: number | null;
  /** Moment of a date facet. */
  readonly moment: ClockRange | null;
}

export interface FacetDefinition {
  /** `group.name`; never changes its meaning. */
  readonly id: string;
  readonly label: string;
  readonly group: string;
  /** Labels from the group down to the facet itself. */
  readonly path: readonly string[];
  readonly kind: FacetKind;
  /** The value of the media as one text; null when it has none. */
  key(media: MediaFacts): string | null;
  /** Meaning of a key; null if it cannot be parsed. */
  read(key: string): KeyReading | null;
  labelOf(value: string): string;
  meta(value: string): Meta;
  /** Where an option stands: a number, or null for the most frequent first. */
  rank(value: string): number | null;
}

/** A facet of contents whose values are known by hash. */
export interface ContentFacet {
  readonly facet: FacetDefinition;
  /** Same as `Facet.key`. */
  keyOf(hash: string): string | null;
}

interface FacetName {
  readonly id: string;
  readonly label: string;
  readonly path: readonly string[];
}

type Rest = Partial<Pick<FacetDefinition, 'labelOf' | 'meta' | 'rank'>>;

function facet(
  { id, label, path }: FacetName,
  kind: FacetKind,
  key: FacetDefinition['key'],
  options: Partial<FacetDefinition>,
): FacetDefinition {
  return {
    id,
    label,
    group: path[0] ?? label,
    path: [...path, label],
    kind,
    key,
    read: (value) => ({ values: [value], size: null, moment: null }),
    labelOf: (value) => value,
    meta: () => ({}),
    rank: () => null,
    ...options,
  };
}

/** A media has one value or none. */
export function single(name: FacetName, value: FacetDefinition['key'], options: Rest = {}): FacetDefinition {
  return facet(name, 'single', value, options);
}

/** No path and no tag of a media file holds it. */
const between = '\0';

/** The key of a facet of several values. */
export function keyOfValues(values: readonly string[]): string | null {
  return values.length === 0 ? null : [...new Set(values)].sort().join(between);
}

/** A media has any number of values. `widen`: the further values that come with one, itself included. */
export function multi(
  name: FacetName,
  values: (media: MediaFacts) => readonly string[],
  {
    widen = (value: string) => [value],
    ...options
  }: Rest & { widen?(value: string): readonly string[] } = {},
): FacetDefinition {
  return facet(name, 'multi', (media) => keyOfValues(values(media)), {
    read: (key) => ({
      values: [...new Set(key.split(between).flatMap(widen))],
      size: null,
      moment: null,
    }),
    ...options,
  });
}

export function numeric(
  name: FacetName,
  value: (media: MediaFacts) => number | null,
  options: Rest = {},
): FacetDefinition {
  const key = (media: MediaFacts) => {
    const number = value(media);
    return number === null || !Number.isFinite(number) ? null : String(number);
  };
  return facet(name, 'numeric', key, {
    read: (text) => ({ values: [text], size: Number(text), moment: null }),
    rank: Number,
    ...options,
  });
}

/** Options are days. A text that is no date, or only a part of one, gives no value. */
export function date(
  name: FacetName,
  text: (media: MediaFacts) => string | null,
  options: Rest = {},
): FacetDefinition {
  return facet(name, 'date', text, {
    read: (value) => {
      const read = moment(value);
      const day = value.trim().slice(0, 10);
      return read === null || day.length < 10 ? null : { values: [day], size: read.start, moment: read };
    },
    meta: (value) => ({ year: value.slice(0, 4), month: value.slice(0, 7) }),
    rank: (value) => moment(value)?.start ?? null,
    ...options,
  });
}

/** A closed list of options in the order in which they are shown. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly meta?: Meta;
}

export function choices(list: readonly Choice[]): Required<Rest> {
  const byValue = new Map(list.map((choice, rank) => [choice.value, { ...choice, rank }]));
  return {
    labelOf: (value) => byValue.get(value)?.label ?? value,
    meta: (value) => byValue.get(value)?.meta ?? {},
    rank: (value) => byValue.get(value)?.rank ?? list.length,
  };
}

/** Classes of a number by where each begins, ascending. The value of the class the number is in. */
export interface ClassStep extends Choice {
  /** The class holds this number and larger ones, up to where the next class begins. */
  readonly from: number;
}

export function classOf(steps: readonly ClassStep[], number: number): string | null {
  return steps.findLast((step) => number >= step.from)?.value ?? null;
}

/**
 * Steps as choices whose meta says where each class begins and ends; `unit` names the fields: `min_seconds`.
 */
export function stepChoices(steps: readonly ClassStep[], unit: string): Required<Rest> {
  return choices(
    steps.map((step, i) => ({
      ...step,
      meta: { [`min_${unit}`]: step.from, [`max_${unit}`]: steps[i + 1]?.from ?? null },
    })),
  );
}

const yesOrNo = choices([
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
]);

export function flag(name: FacetName, value: (media: MediaFacts) => boolean | null): FacetDefinition {
  const key = (media: MediaFacts) => {
    const is = value(media);
    return is === null ? null : is ? 'yes' : 'no';
  };
  return single(name, key, yesOrNo);
}
