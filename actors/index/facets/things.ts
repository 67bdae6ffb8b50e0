// Facets of what detectors have seen in pictures: things, and how large people are. They follow what is
// stored of each content, apart from the records of media.
import { believedScore, type MeasuredClass, measuredClasses } from '../../things/contract.ts';
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

/** What the facets tell of one content. */
interface Sights {
  readonly seen: readonly string[];
  readonly unmeasured: readonly string[];
  readonly shots: readonly string[];
}

/** The facets of things of one folder. */
export function thingFacets(store: Store): readonly ContentFacet[] {
  // They are asked one after the other of the same content, whose record is long.
  let last: { readonly version: string; readonly sights: Sights } | null = null;
  const sightsOf = (hash: string): Sights => {
    const version = `${hash} ${store.things.version(hash)} ${store.people.faces.changes()}`;
    if (last?.version !== version) last = { version, sights: readSights(store, hash) };
    return last.sights;
  };
  const sizes = choices(shotSizes.map((value) => ({ value, label: shotLabels[value] })));
  return [
    contentFacet('seen', 'Things', (hash) => sightsOf(hash).seen, named),
    contentFacet('unmeasured', 'Other things, uncertain', (hash) => sightsOf(hash).unmeasured, named),
    contentFacet('shot_size', 'Shot size of people', (hash) => sightsOf(hash).shots, sizes),
  ];
}

function readSights(store: Store, hash: string): Sights {
  const tracks = readable(() => store.things.of(hash))?.tracks ?? [];
  const believed = tracks.filter(({ score }) => score >= believedScore).map((track) => track.class);
  const shots = readable(() => storedShots(store, hash, tracks)) ?? [];
  return {
    seen: believed.filter((name) => measured.has(name)),
    unmeasured: believed.filter((name) => !measured.has(name)),
    shots: shots.map(({ size }) => size),
  };
}

function contentFacet(
  name: string,
  label: string,
  valuesOf: (hash: string) => readonly string[],
  rest: Parameters<typeof multi>[2],
): ContentFacet {
  const facet = multi(
    { id: thingsPrefix + name, label, path: group },
    ({ identity }) => valuesOf(identity.hash_str),
    rest,
  );
  return { facet, keyOf: (hash) => keyOfValues(valuesOf(hash)) };
}
