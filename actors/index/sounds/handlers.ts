// Handlers about music and singing.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract, Reply, Request } from '../../../runtime/contract.ts';
import { inScope, type ScopeParts } from '../facets/scope.ts';
import { LoadedItems } from '../results/loaded-items.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import { withinOf } from '../written/handlers.ts';
import type { Sound, SoundTerm, soundMessages } from './contract.ts';

type SoundContract = Contract<typeof soundMessages>;

export function soundHandlers(parts: ScopeParts): Handlers<SoundContract> {
  const loaded = new LoadedItems('sounds');
  return {
    find_sounds: (request, turn) => find(parts, loaded, request, () => turn.throwIfCancelled()),
  };
}

async function find(
  parts: ScopeParts,
  loaded: LoadedItems<'sounds'>,
  request: Request<SoundContract, 'find_sounds'>,
  pause: () => void,
): Promise<Reply<SoundContract, 'find_sounds'>> {
  const { cache_dir, terms, scope, max_results } = request;
  const open = (store: Store) => loaded.hashes(store);
  const {
    data: knownHashes,
    hashes: passing,
    sightings,
  } = await inScope(parts, request, open, (all) => all, pause);
  const listened = new Set(knownHashes);
  const hashes = (passing ?? knownHashes).filter((hash) => listened.has(hash));
  const isWithin = withinOf(scope.ranges, sightings?.ranges ?? null) ?? (() => true);
  return parts.folders.with(cache_dir, (store) => {
    if (!loaded.readOn(store, hashes)) return { done: false, matches: [], looked: hashes.length };
    const matches = hashes.flatMap((hash_str) => {
      pause();
      const items = readable(() => loaded.items(store, hash_str));
      const { duration_seconds = 0 } = readable(() => store.media.byHash(hash_str))?.probe ?? {};
      const ranges = items === null ? [] : soundRanges(items, terms, Math.ceil(duration_seconds));
      const path = ranges.length === 0 ? null : readable(() => store.media.pathOf(hash_str));
      if (!path) return [];
      return ranges
        .filter(({ start, end }) => isWithin(hash_str, start, end))
        .map((range) => ({ hash_str, path, ...range }));
    });
    matches.sort((a, b) => b.confidence - a.confidence || b.end - b.start - (a.end - a.start));
    return {
      done: true,
      matches: matches.slice(0, max_results).map(({ confidence: _, ...match }) => match),
      looked: hashes.length,
    };
  });
}

type SoundRange = Omit<Sound, 'sound'>;

/** Ascending ranges of seconds in which all terms are true. `seconds`: of the file. */
export function soundRanges(
  items: readonly Sound[],
  terms: readonly SoundTerm[],
  seconds: number,
): SoundRange[] {
  let ranges: SoundRange[] = [{ start: 0, end: seconds, confidence: 1 }];
  for (const { sound, negated } of terms) {
    const soundItems = items.filter((item) => item.sound === sound);
    const holding: readonly SoundRange[] = negated ? gapsOf(soundItems, seconds) : soundItems;
    ranges = ranges.flatMap((a) =>
      holding.map((b) => ({
        start: Math.max(a.start, b.start),
        end: Math.min(a.end, b.end),
        confidence: Math.min(a.confidence, b.confidence),
      })),
    );
    ranges = ranges.filter(({ start, end }) => start < end);
  }
  return ranges;
}

/** `ranges`: ascending, of one sound. */
function gapsOf(ranges: readonly SoundRange[], seconds: number): SoundRange[] {
  const starts = [0, ...ranges.map(({ end }) => end)];
  return starts.map((start, i) => ({ start, end: ranges[i]?.start ?? seconds, confidence: 1 }));
}
