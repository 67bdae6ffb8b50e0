// What a facet is: how its value is read from the facts of a media, and the options a person can choose from.
import type { MediaRecord } from '../store/contract.ts';
import type { FacetKind } from './contract.ts';
import { type Moment, moment } from './moments.ts';

/** One content, with every path it lies at. */
export interface MediaFacts extends Pick<MediaRecord, 'probe' | 'identity'> {
  readonly paths: readonly string[];
}

export type Meta = Readonly<Record<string, string | number | boolean | null>>;

/** What one key means: parsed once and kept. */
export interface Reading {
  /** The stable values of the options it belongs to, each once. */
  readonly values: readonly string[];
  /** Of a numeric facet its number, of a date the beginning in ms; what bounds and order go by. */
  readonly size: number | null;
  /** Of a date facet. */
  readonly moment: Moment | null;
}

export interface Facet {
  /** `group.name`; never changes its meaning. */
  readonly id: string;
  readonly label: string;
  readonly group: string;
  /** Labels from the group down to the facet itself. */
  readonly path: readonly string[];
  readonly kind: FacetKind;
  /** The value of the media as one text; null when it has none. */
  key(media: MediaFacts): string | null;
  /** What a key means; null when it cannot be read. */
  read(key: string): Reading | null;
  labelOf(value: string): string;
  meta(value: string): Meta;
  /** Where an option stands: a number, or null for the most frequent first. */
  rank(value: string): number | null;
}

/** A facet of contents whose values are known by hash. */
export interface ContentFacet {
  readonly facet: Facet;
  /** As `Facet.key`. */
  keyOf(hash: string): string | null;
}

interface FacetName {
  readonly id: string;
  readonly label: string;
  readonly path: readonly string[];
}

type Rest = Partial<Pick<Facet, 'labelOf' | 'meta' | 'rank'>>;

function facet(
  { id, label, path }: FacetName,
  kind: FacetKind,
  key: Facet['key'],
  rest: Partial<Facet>,
): Facet {
  return {
    id,
    label,
    group: path[0] ?? label,
    path: [...path, label],
    kind,
    key,
    read: (one) => ({ values: [one], size: null, moment: null }),
    labelOf: (value) => value,
    meta: () => ({}),
    rank: () => null,
    ...rest,
  };
}

/** A media has one value or none. */
export function single(name: FacetName, value: Facet['key'], rest: Rest = {}): Facet {
  return facet(name, 'single', value, rest);
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
  { widen = (value: string) => [value], ...rest }: Rest & { widen?(value: string): readonly string[] } = {},
): Facet {
  return facet(name, 'multi', (media) => keyOfValues(values(media)), {
    read: (key) => ({
      values: [...new Set(key.split(between).flatMap(widen))],
      size: null,
      moment: null,
    }),
    ...rest,
  });
}

export function numeric(
  name: FacetName,
  value: (media: MediaFacts) => number | null,
  rest: Rest = {},
): Facet {
  const key = (media: MediaFacts) => {
    const number = value(media);
    return number === null || !Number.isFinite(number) ? null : String(number);
  };
  return facet(name, 'numeric', key, {
    read: (own) => ({ values: [own], size: Number(own), moment: null }),
    rank: Number,
    ...rest,
  });
}

/** Options are days. A text that is no date, or only a part of one, gives no value. */
export function date(name: FacetName, text: (media: MediaFacts) => string | null, rest: Rest = {}): Facet {
  return facet(name, 'date', text, {
    read: (own) => {
      const read = moment(own);
      const day = own.trim().slice(0, 10);
      return read === null || day.length < 10 ? null : { values: [day], size: read.start, moment: read };
    },
    meta: (value) => ({ year: value.slice(0, 4), month: value.slice(0, 7) }),
    rank: (value) => moment(value)?.start ?? null,
    ...rest,
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
export interface Step extends Choice {
  /** The class holds this number and larger ones, up to where the next class begins. */
  readonly from: number;
}

export function classOf(steps: readonly Step[], number: number): string | null {
  return steps.findLast((step) => number >= step.from)?.value ?? null;
}

/**
 * Steps as choices whose meta says where each class begins and ends; `unit` names the fields: `min_seconds`.
 */
export function stepChoices(steps: readonly Step[], unit: string): Required<Rest> {
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

export function flag(name: FacetName, value: (media: MediaFacts) => boolean | null): Facet {
  const key = (media: MediaFacts) => {
    const is = value(media);
    return is === null ? null : is ? 'yes' : 'no';
  };
  return single(name, key, yesOrNo);
}
