// State of the view of summaries, and its requests.
import { api, useAsk } from '../../api.ts';
import { beforeAnalysis, useIsNew } from '../../folder.ts';
import { createSlice, useStore } from '../../store.ts';
import { uses } from '../../words/summaries.ts';
import { t } from '../../words.ts';

export type ListedSummary = Awaited<ReturnType<typeof api.listSummaries>>['summaries'][number];
export type Overview = Awaited<ReturnType<typeof api.summaryOverview>>;
export type OverviewNode = Overview['root'];
export type MatchedSummary = Awaited<ReturnType<typeof api.searchSummaries>>['matches'][number];

interface SummariesState {
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
  const isNew = useIsNew();
  const isAsked = ask !== null && cache_dir !== null;
  return useAsk(isAsked ? (signal) => ask(cache_dir, signal) : null, [
    cache_dir,
    changes,
    isNew,
    ...dependencies,
  ]);
}

/** Media of the library that have something to be summarised. */
export async function askMedia(cache_dir: string, limit: number, signal: AbortSignal) {
  const listed = api.listLibrary({ cache_dir, limit }, { signal });
  const { media, total } = await listed.catch(beforeAnalysis({ media: [], total: 0 }));
  return { media, remaining: total - media.length };
}

// Name of a summary: its own, or a phrase for its purpose if it has none.

export function titleOf(name: string): string {
  if (Object.hasOwn(uses, name)) return t(uses[name as keyof typeof uses]);
  return /^[a-z]+(_[a-z]+)+$/.test(name) ? name.replaceAll('_', ' ') : name;
}

// A summary as rows of a tree: those that can be seen, and where a key leads.

export interface SummaryBranch {
  readonly node_id: string;
  readonly parent_id: string | null;
  readonly text: string;
  readonly is_leaf: boolean;
  readonly search_range: readonly [number, number];
  readonly children: readonly Twig[];
}

interface Twig {
  readonly node_id: string;
  readonly text_preview: string;
  readonly is_leaf: boolean;
  readonly search_range: readonly [number, number];
}

export interface TreeLine {
  readonly node_id: string;
  readonly parent_id: string | null;
  /** From 1. */
  readonly level: number;
  readonly text: string;
  readonly isLeaf: boolean;
  readonly isOpen: boolean;
  readonly range: readonly [number, number];
  /** From 1, among its siblings. */
  readonly place: number;
  readonly siblings: number;
}

/** `branches`: nodes that were read; the children of others are not shown yet. */
export function rowsOf(
  root: SummaryBranch,
  branches: ReadonlyMap<string, SummaryBranch>,
  open: ReadonlySet<string>,
): TreeLine[] {
  const rows: TreeLine[] = [];
  const { node_id, text, is_leaf: isLeaf, search_range: range } = root;
  const isOpen = open.has(node_id);
  rows.push({ node_id, parent_id: null, level: 1, text, isLeaf, isOpen, range, place: 1, siblings: 1 });
  const below = (parent: SummaryBranch, level: number) => {
    for (const [at, child] of parent.children.entries()) {
      const { node_id: id, text_preview, is_leaf, search_range } = child;
      const isChildOpen = open.has(id);
      rows.push({
        node_id: id,
        parent_id: parent.node_id,
        level,
        text: text_preview,
        isLeaf: is_leaf,
        isOpen: isChildOpen,
        range: search_range,
        place: at + 1,
        siblings: parent.children.length,
      });
      const branch = branches.get(id);
      if (isChildOpen && branch) below(branch, level + 1);
    }
  };
  if (isOpen) below(root, 2);
  return rows;
}

export type TreeStep = 'up' | 'down' | 'open' | 'close' | 'first' | 'last';

/** Where a key leads: another row, or a row that is opened or closed. */
export function stepped(
  rows: readonly TreeLine[],
  selected: string,
  step: TreeStep,
): { readonly select: string; readonly toggle: boolean } {
  const at = Math.max(
    0,
    rows.findIndex(({ node_id }) => node_id === selected),
  );
  const row = rows[at];
  const to = (place: number) => ({
    select: rows[Math.max(0, Math.min(rows.length - 1, place))]?.node_id ?? selected,
    toggle: false,
  });
  if (!row) return { select: selected, toggle: false };
  if (step === 'first') return to(0);
  if (step === 'last') return to(rows.length - 1);
  if (step === 'up') return to(at - 1);
  if (step === 'down') return to(at + 1);
  const toggle = { select: row.node_id, toggle: true };
  if (step === 'open') return row.isLeaf ? to(at) : row.isOpen ? to(at + 1) : toggle;
  if (row.isOpen && !row.isLeaf) return toggle;
  return { select: row.parent_id ?? row.node_id, toggle: false };
}

/** Parts of a text, those of the ranges marked; ranges count code points and may overlap. */
export function marked(
  text: string,
  ranges: readonly (readonly [number, number])[],
): { text: string; isMarked: boolean }[] {
  const points = [...text];
  const isIn = points.map((_, at) => ranges.some(([start, end]) => start <= at && at < end));
  const parts: { text: string; isMarked: boolean }[] = [];
  for (const [at, point] of points.entries()) {
    const isMarked = isIn[at] ?? false;
    const last = parts.at(-1);
    if (last && last.isMarked === isMarked) last.text += point;
    else parts.push({ text: point, isMarked });
  }
  return parts;
}

/** Seconds of a range that pictures stand for, evenly. */
export function secondsIn([start, end]: readonly [number, number], count: number): number[] {
  const length = Math.max(0, end - start);
  const n = Math.max(1, Math.min(count, Math.floor(length)));
  return Array.from({ length: n }, (_, at) => start + Math.floor((length * (at + 0.5)) / n));
}
