// Pictures of moments: those that are looked at are asked for in batches, what has scrolled away is not
// waited for, and the latest ones are kept.

import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { api, ServiceError } from './api.ts';
import { Icon, type IconName } from './parts.ts';
import { get, type State, subscribe } from './store.ts';

// A map of at most so many entries: the one that was not asked for for the longest time goes first.

interface Bounded<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  readonly size: number;
  clear(): void;
}

export function createBounded<V>(most: number): Bounded<V> {
  const entries = new Map<string, V>();
  return {
    get: (key) => {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set: (key, value) => {
      entries.delete(key);
      entries.set(key, value);
      for (const oldest of entries.keys()) {
        if (entries.size <= most) break;
        entries.delete(oldest);
      }
    },
    get size() {
      return entries.size;
    },
    clear: () => entries.clear(),
  };
}

/** Kept pictures; one of a tile is some 15 KB. */
const KEPT = 1500;
const BATCH = 24;
const BATCHES_AT_ONCE = 2;
/** Pictures of the same draw are asked for together, and those of a fast scroll not at all. */
const GATHER_MS = 40;

interface Wanted {
  readonly media_path: string;
  readonly second: number;
  readonly side: number;
  /** Components that show it; none: it is not needed any more. */
  readonly shown: Set<(picture: string | null) => void>;
}
interface Batch {
  readonly keys: readonly string[];
  readonly aborter: AbortController;
}

const cache = createBounded<string | null>(KEPT);
const openRequests = new Map<string, Wanted>();
const batches = new Set<Batch>();
let isGathering = false;

/**
 * Its address for an `img`; undefined while it is awaited, null where there is none (sound). `side`: the
 * longest, px.
 */
export function usePicture(media_path: string, seconds: number, side = 320): string | null | undefined {
  const second = Math.max(0, Math.round(seconds * 100) / 100);
  const key = `${side} ${second} ${media_path}`;
  const [shown, show] = useState<{ key: string; picture: string | null | undefined }>({
    key,
    picture: cache.get(key),
  });
  useEffect(() => {
    const cached = cache.get(key);
    show({ key, picture: cached });
    // A path that is not known yet is empty.
    if (cached !== undefined || media_path === '') return;
    const listener = (picture: string | null) => show({ key, picture });
    const entry = openRequests.get(key) ?? { media_path, second, side, shown: new Set() };
    entry.shown.add(listener);
    openRequests.set(key, entry);
    gather();
    return () => {
      entry.shown.delete(listener);
      if (entry.shown.size === 0) drop(key);
    };
  }, [key]);
  return shown.key === key ? shown.picture : cache.get(key);
}

function drop(key: string): void {
  if (openRequests.get(key)?.shown.size === 0) openRequests.delete(key);
  for (const batch of batches)
    if (!batch.keys.some((requestKey) => openRequests.has(requestKey))) batch.aborter.abort();
}

function gather(ms = GATHER_MS): void {
  if (isGathering) return;
  isGathering = true;
  setTimeout(() => {
    isGathering = false;
    askNext();
  }, ms);
}

function askNext(): void {
  const { cache_dir } = get().folder;
  if (cache_dir === null || !isAnswering(get())) return;
  const pendingKeys = new Set([...batches].flatMap(({ keys }) => keys));
  const open = [...openRequests].filter(([key]) => !pendingKeys.has(key));
  while (batches.size < BATCHES_AT_ONCE && open.length > 0) {
    // The latest requests are in view now. All pictures of a batch have one size.
    const { side } = open.at(-1)![1];
    const chosen: [string, Wanted][] = [];
    for (let at = open.length - 1; at >= 0 && chosen.length < BATCH; at--)
      if (open[at]![1].side === side) chosen.push(...open.splice(at, 1));
    void askFor(cache_dir, side, chosen);
  }
}

async function askFor(
  cache_dir: string,
  max_size: number,
  chosen: readonly [string, Wanted][],
): Promise<void> {
  const batch: Batch = { keys: chosen.map(([key]) => key), aborter: new AbortController() };
  batches.add(batch);
  /** A busy service says when to come again. */
  let pause = GATHER_MS;
  try {
    const requests = chosen.map(([, { media_path, second }]) => ({ media_path, time_seconds: second }));
    const { signal } = batch.aborter;
    const { thumbnails } = await api.thumbnails({ cache_dir, max_size, requests }, { signal });
    for (const [at, [key]] of chosen.entries()) keep(key, thumbnails[at]?.thumbnail ?? null);
  } catch (error) {
    // Away, signed out, or refused: they are asked for when that has passed. Anything else would fail again:
    // no picture.
    const isPassing =
      error instanceof ServiceError && ([0, 401, 503].includes(error.status) || error.isOfLicense);
    if (isPassing && error.status === 503) pause = 1000 * (error.retryAfter ?? 1);
    if (!isPassing && !batch.aborter.signal.aborted) for (const [key] of chosen) keep(key, null);
  } finally {
    batches.delete(batch);
    if (openRequests.size > 0) gather(pause);
  }
}

function keep(key: string, thumbnail: string | null): void {
  const picture = thumbnail === null ? null : `data:image/jpeg;base64,${thumbnail}`;
  cache.set(key, picture);
  for (const show of openRequests.get(key)?.shown ?? []) show(picture);
  openRequests.delete(key);
}

export function watchPictures(): void {
  let before = get();
  subscribe(() => {
    const now = get();
    const isBack = !isAnswering(before) && isAnswering(now);
    const isKnown = before.folder.cache_dir !== now.folder.cache_dir;
    // Another folder, or analysed anew: a path may have another content by now, or a drive be back.
    if (now.folder.loaded !== before.folder.loaded) cache.clear();
    before = now;
    if (isBack || isKnown) gather();
  });
}

function isAnswering({ service, session, refusal }: State): boolean {
  return service === 'up' && session !== null && refusal === null;
}

// A small picture of a moment beside what is said of it; an icon where there is none, and while it is
// awaited.

const SIDE = 160;

interface PictureProps {
  readonly media_path: string;
  readonly seconds: number;
  readonly icon: IconName;
}

export function Picture({ media_path, seconds, icon }: PictureProps) {
  const picture = usePicture(media_path, seconds, SIDE);
  return html`<span class="thumbnail">${picture ? html`<img src=${picture} alt="" draggable=${false} />` : html`<${Icon} name=${icon} />`}</span>`;
}
