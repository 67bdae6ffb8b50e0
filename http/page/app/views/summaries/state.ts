// What the view of summaries keeps, and what it asks for.
import { api } from '../../api.ts';
import { useAsk } from '../../ask.ts';
import { createSlice, useStore } from '../../store.ts';

export type Summary = Awaited<ReturnType<typeof api.listSummaries>>['summaries'][number];
export type Overview = Awaited<ReturnType<typeof api.summaryOverview>>;
export type Node = Overview['root'];
export type Match = Awaited<ReturnType<typeof api.searchSummaries>>['matches'][number];

export interface SummariesState {
  readonly words: string;
  /** Id of a collection; null: all, empty: those in none. */
  readonly collection: string | null;
  /** A node to open a summary at. */
  readonly at: string | null;
  readonly making: { readonly task_id: string; readonly name: string } | null;
  /** Changes made here: what is shown is asked for again. */
  readonly changes: number;
}

export const slice = createSlice<SummariesState>('summaries', {
  words: '',
  collection: null,
  at: null,
  making: null,
  changes: 0,
});

export function changed(): void {
  slice.update(({ changes }) => ({ changes: changes + 1 }));
}

/** `ask` of the folder that is looked at; nothing is asked while there is none. */
export function useSummariesAsk<T>(
  ask: ((cache_dir: string, signal: AbortSignal) => Promise<T>) | null,
  dependencies: readonly unknown[],
) {
  const cache_dir = useStore(({ folder }) => folder.cache_dir);
  const changes = slice.use((state) => state.changes);
  const isAsked = ask !== null && cache_dir !== null;
  return useAsk(isAsked ? (signal) => ask(cache_dir, signal) : null, [cache_dir, changes, ...dependencies]);
}

/** Media of the library that have something to be summarised. */
export async function askMedia(cache_dir: string, limit: number, signal: AbortSignal) {
  const { media, total } = await api.listLibrary({ cache_dir, limit }, { signal });
  return { media, left: total - media.length };
}
