// What a scope leaves of each part of a library, whether its vectors are in memory or not.
import { type Catalog, type FrameScope, type LoadedMedia, picksOf } from '../visual/catalog.ts';
import type { Within } from './contract.ts';
import { partOf } from './hold.ts';

/** How much of a part is left. */
export interface Narrowed {
  readonly within: Within;
  /** That are left. */
  readonly frames: number;
}

/** For each of so many parts, in their order. */
export function narrowedTo(
  catalog: Pick<Catalog, 'get' | 'hashes'>,
  scope: FrameScope,
  of: number,
): Narrowed[] {
  const { hashes, only = null } = scope;
  const left = Array.from({ length: of }, () => new Left());
  for (const hash of new Set(hashes ?? only?.keys() ?? catalog.hashes())) {
    const media = catalog.get(hash);
    if (media !== undefined) left[partOf(hash, of) - 1]!.add(media, scope);
  }
  // Everything needs no names; what is stored since then is left out by whoever asked.
  const isWhole = hashes === null && only === null;
  return left.map((one) => ({ within: one.within(isWhole, only), frames: one.frames }));
}

class Left {
  readonly #hashes: string[] = [];
  readonly #ranges: Within['ranges'] = {};
  frames = 0;

  add(media: LoadedMedia, scope: FrameScope): void {
    const { hash } = media;
    this.#hashes.push(hash);
    if (Object.hasOwn(scope.ranges, hash))
      this.#ranges[hash] = scope.ranges[hash]!.map(([start, end]) => [start, end]);
    this.frames += framesIn(media, scope);
  }

  within(isWhole: boolean, only: FrameScope['only'] = null): Within {
    return {
      hashes: isWhole ? null : this.#hashes,
      ranges: this.#ranges,
      only: only && this.#hashes.map((hash_str) => ({ hash_str, ranges: only.get(hash_str)! })),
    };
  }
}

function framesIn(media: LoadedMedia, scope: FrameScope): number {
  const whole = { media, row: 0, count: media.frames.length, position: 0 };
  return picksOf(media, [whole], scope).reduce((sum, { count }) => sum + count, 0);
}

/** As the search takes it. */
export function scopeWithin({ hashes, ranges, only }: Within): FrameScope {
  return {
    ...{ hashes, ranges },
    only: only && new Map(only.map(({ hash_str, ranges }) => [hash_str, ranges])),
  };
}
