// The scenes of contents: of what is loaded from memory, of everything else as they are stored.
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import { scenedOf } from '../store/visual-stages.ts';
import { type Scened, sceneRanges } from './catalog.ts';
import { unpackFrames } from './frames.ts';
import type { Shots } from './shots.ts';
import type { VisualIndex } from './visual-index.ts';

export interface SceneList {
  readonly model_key: string;
  /** Start, end, start, end... of grid frames, half-open, ascending. */
  readonly scenes: Int32Array<ArrayBuffer>;
  /** Null where edges are on the grid. *Borrowed*. */
  readonly shots: Shots | null;
}

/** Scenes by hash, in order; null for a content that no model analysed. `pause` may throw to stop. */
export function scenesOf(
  store: Store,
  visual: VisualIndex,
  modelKey: string | null,
  hashes: readonly string[],
  pause: () => void,
): { lists: (SceneList | null)[]; unreadable: string[] } {
  const loaded = visual.ifLoaded(store, modelKey);
  const unreadable = new Set<string>();
  const stored = (key: string, hash: string): Scened | null =>
    readable(
      () => {
        const stage = store.visual.stage(key, hash);
        if (stage === null) return null;
        return { frames: unpackFrames(stage.frame_runs), ...scenedOf(stage) };
      },
      () => unreadable.add(hash),
    );
  const by = (key: string, hash: string): SceneList | null => {
    const media = (key === modelKey ? loaded?.catalog.get(hash) : undefined) ?? stored(key, hash);
    return media && { model_key: key, scenes: sceneRanges(media), shots: media.shots };
  };
  const lists = hashes.map((hash) => {
    pause();
    return modelKey === null ? null : by(modelKey, hash);
  });
  const others = hashes.flatMap((hash, i) => (lists[i] === null && !unreadable.has(hash) ? [i] : []));
  const models = others.length === 0 ? [] : store.visual.storedBy(others.map((i) => hashes[i]!));
  for (const [at, i] of others.entries()) {
    pause();
    const last = models[at]!.at(-1);
    if (last !== undefined) lists[i] = by(last, hashes[i]!);
  }
  return { lists, unreadable: [...unreadable] };
}
