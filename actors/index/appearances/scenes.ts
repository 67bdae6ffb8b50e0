// Where somebody is seen, scene by scene: those that show them longest first.
import type { FrameRanges } from '../people/moments.ts';

/** Half-open ranges of grid frames. */
interface SceneAppearance {
  readonly hash: string;
  /** From the first to the last second in which they are seen. */
  readonly start: number;
  readonly end: number;
  /** Around them; null where nobody knows of scenes. */
  readonly scene: readonly [number, number] | null;
  /** In which they are seen. */
  readonly seconds: number;
}

/** Seconds without them that end an appearance where no scenes are known. */
const mostBetween = 2;

/**
 * `scenes`: of one content, start, end, start, end...; null where there are none. Of the same length the
 * order is that of `hashes`, then of time.
 */
export function appearancesInScenes(
  seen: FrameRanges,
  hashes: readonly string[],
  scenes: (hash: string) => Int32Array | null,
): SceneAppearance[] {
  const found = hashes.flatMap((hash) => {
    const ranges = seen.get(hash);
    return ranges === undefined ? [] : ofContent(hash, ranges, scenes(hash));
  });
  // Stable: what is equally long stays in order.
  return found.sort((a, b) => b.seconds - a.seconds);
}

function ofContent(hash: string, ranges: Uint32Array, scenes: Int32Array | null): SceneAppearance[] {
  const found: SceneAppearance[] = [];
  let last: { start: number; end: number; seconds: number; scene: readonly [number, number] | null } | null =
    null;
  const close = () => {
    if (last !== null) found.push({ hash, ...last });
    last = null;
  };
  const take = (start: number, end: number, scene: readonly [number, number] | null) => {
    const before = last;
    const goesOn =
      before !== null &&
      (scene === null
        ? before.scene === null && start - before.end <= mostBetween
        : before.scene?.[0] === scene[0]);
    if (goesOn) last = { ...before!, end, seconds: before!.seconds + end - start };
    else {
      close();
      last = { start, end, seconds: end - start, scene };
    }
  };
  let at = 0;
  for (let i = 0; i < ranges.length; i += 2) {
    const end = ranges[i + 1]!;
    for (let start = ranges[i]!; start < end; ) {
      while (scenes !== null && at < scenes.length && scenes[at + 1]! <= start) at += 2;
      const within = scenes !== null && at < scenes.length && scenes[at]! <= start;
      const next = scenes === null || at >= scenes.length ? end : within ? scenes[at + 1]! : scenes[at]!;
      const until = Math.min(end, next);
      take(start, until, within ? [scenes[at]!, scenes[at + 1]!] : null);
      start = until;
    }
  }
  close();
  return found;
}

/** Both: start, end, start, end..., ascending and apart. */
export function common(a: Uint32Array, b: Uint32Array): Uint32Array {
  const found: number[] = [];
  for (let [i, j] = [0, 0]; i < a.length && j < b.length; ) {
    const [start, end] = [Math.max(a[i]!, b[j]!), Math.min(a[i + 1]!, b[j + 1]!)];
    if (start < end) found.push(start, end);
    if (a[i + 1]! < b[j + 1]!) i += 2;
    else j += 2;
  }
  return Uint32Array.from(found);
}
