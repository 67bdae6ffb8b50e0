// Saved searches, which the service runs on every new file: how many of their hits are new, and a message
// when one comes in while the page is open, whatever it shows.
import { useMemo } from 'preact/hooks';
import type { SearchHit, SearchStanding } from '../../../events/searches/contract.ts';
import { api } from './api.ts';
import { go } from './navigation.ts';
import { momentArgument } from './route.ts';
import { createSlice, get, subscribe, useStore } from './store.ts';
import { join, onHit } from './tasks.ts';
import { nameOf } from './times.ts';
import { toast } from './toasts.ts';
import { savedWords } from './words/search.ts';
import { t } from './words.ts';

/** Other programs save searches, too. */
const READ_EVERY_MS = 30_000;
/** Hits of one folder that is analysed are told together. */
const GATHER_MS = 1000;

/** Saved searches of all folders; null until they are read. */
const saved = createSlice<{ readonly all: readonly SearchStanding[] | null }>('saved', { all: null });

/** Also to be called when one was saved, changed or removed. */
export async function readSaved(): Promise<void> {
  if (get().session === null || get().service === 'away') return;
  const { searches } = await api.listSavedSearches();
  saved.update({ all: searches });
  for (const { search_id } of searches) join({ search_id });
}

/** Saved searches of the current folder, the latest first. */
export function useSaved(): readonly SearchStanding[] | null {
  const all = saved.use((state) => state.all);
  const cache_dir = useStore(({ folder }) => folder.cache_dir);
  return useMemo(
    () => all?.filter(({ request }) => request.cache_dir === cache_dir).reverse() ?? null,
    [all, cache_dir],
  );
}

export function useNewHits(): number {
  return (useSaved() ?? []).reduce((sum, { new_hits }) => sum + new_hits, 0);
}

export function watchSearches(): void {
  const read = () => void readSaved().catch(() => {});
  let { session, returns } = get();
  subscribe(() => {
    const now = get();
    if (now.session === session && now.returns === returns) return;
    ({ session, returns } = now);
    if (session === null) saved.update({ all: null });
    read();
  });
  let gathered: SearchHit[] = [];
  onHit((hit) => {
    gathered.push(hit);
    if (gathered.length > 1) return;
    setTimeout(() => {
      tell(gathered);
      gathered = [];
      read();
    }, GATHER_MS);
  });
  setInterval(() => document.visibilityState === 'visible' && read(), READ_EVERY_MS);
  read();
}

function tell(hits: readonly SearchHit[]): void {
  const { folder, route } = get();
  const [first, ...others] = hits.filter(({ cache_dir }) => cache_dir === folder.cache_dir);
  // The list of the hits shows it by itself.
  if (!first || (route.view === 'search' && route.argument === 'saved')) return;
  const { name, hash_str, media_path, moments } = first;
  const label = t(savedWords.show);
  if (others.length > 0) {
    const run = () => go('search', 'saved');
    toast(t(savedWords.cameIn, { n: others.length + 1 }), { action: { label, run } });
    return;
  }
  const seconds = moments[0]?.time_seconds ?? 0;
  const run = () => go('player', momentArgument({ hash_str, seconds }));
  toast(t(savedWords.cameInOne, { name, file: nameOf(media_path) }), { action: { label, run } });
}
