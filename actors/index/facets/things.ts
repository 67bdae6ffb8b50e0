// Facets of what detectors have seen in pictures: things, and how large people are. They follow what is stored of each
// content, apart from the records of media.
import { believedScore, type MeasuredClass, measuredClasses } from '../../things/contract.ts';
import type { Track } from '../../things/tracks.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import { type ShotSize, shotSizes } from '../things/contract.ts';
import { storedShots } from '../things/stored-shots.ts';
import { type ContentFacet, choices, keyOfValues, multi } from './facet.ts';

const group = ['Things'] as const;
/** What the id of every facet of things begins with. */
export const thingsPrefix = 'things.';

const measured: ReadonlySet<string> = new Set<MeasuredClass>(measuredClasses);
const shotLabels: Readonly<Record<ShotSize, string>> = {
  close_up: 'Close-up',
  medium: 'Medium shot',
  wide: 'Wide shot',
};

const named = { labelOf: (value: string) => value.charAt(0).toUpperCase() + value.slice(1) };

/** The facets of things of one folder; the values of a content are read anew each time. */
export function thingFacets(store: Store): readonly ContentFacet[] {
  const tracksOf = (hash: string) => readable(() => store.things.of(hash))?.tracks ?? [];
  const classes = (isMeasured: boolean) => (hash: string) =>
    tracksOf(hash)
      .filter(({ class: name, score }) => score >= believedScore && measured.has(name) === isMeasured)
      .map(({ class: name }) => name);
  const shots = (hash: string) =>
    (readable(() => storedShots(store, hash, tracksOf(hash))) ?? []).map(({ size }) => size);
  const sizes = choices(shotSizes.map((value) => ({ value, label: shotLabels[value] })));
  return [
    contentFacet('seen', 'Things', classes(true), named),
    contentFacet('unmeasured', 'Other things, uncertain', classes(false), named),
    contentFacet('shot_size', 'Shot size of people', shots, sizes),
  ];
}

function contentFacet(
  name: string,
  label: string,
  valuesOf: (hash: string) => readonly (Track['class'] | ShotSize)[],
  rest: Parameters<typeof multi>[2],
): ContentFacet {
  const facet = multi(
    { id: thingsPrefix + name, label, path: group },
    ({ identity }) => valuesOf(identity.hash_str),
    rest,
  );
  return { facet, keyOf: (hash) => keyOfValues(valuesOf(hash)) };
}
