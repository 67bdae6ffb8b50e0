// What people corrected, applied to the clusters that vectors alone make: merges join, a moved face leaves the old cluster
// and joins the new one. In the order in which they were said, so the later one wins. Pure.
import type { Anchors, Correction } from './clustering-state.ts';
import { positionsOf } from './entry-id.ts';

export interface Corrected {
  /** One an entry; numbers without order, -1 for none. */
  readonly labels: Int32Array<ArrayBuffer>;
  /** Corrections that hold. */
  readonly kept: number;
  /** Those that what was said later contradicts, and those that the vectors do. */
  readonly conflicts: readonly string[];
}

/** Every entry id that corrections speak of. */
function* mentioned(corrections: readonly Correction[]): Iterable<string> {
  for (const correction of corrections) {
    if (correction.kind === 'merge') for (const { anchors } of correction.clusters) yield* anchors;
    else {
      yield* correction.faces;
      yield* correction.from.anchors;
      yield* correction.to.anchors;
    }
  }
}

class Labels {
  readonly #labels: Int32Array<ArrayBuffer>;
  readonly #positions: ReadonlyMap<string, number>;
  readonly #parents: number[] = [];

  constructor(raw: Int32Array, positions: ReadonlyMap<string, number>) {
    this.#labels = Int32Array.from(raw);
    this.#positions = positions;
    let most = -1;
    for (const label of raw) if (label > most) most = label;
    for (let label = 0; label <= most; label++) this.#parents.push(label);
  }

  #root(label: number): number {
    let at = label;
    while (this.#parents[at] !== at) {
      this.#parents[at] = this.#parents[this.#parents[at]!]!;
      at = this.#parents[at]!;
    }
    return at;
  }

  /** Null for a face that is not there; -1 for one in no cluster. */
  of(face: string): number | null {
    const at = this.#positions.get(face);
    if (at === undefined) return null;
    const label = this.#labels[at]!;
    return label < 0 ? -1 : this.#root(label);
  }

  /** The cluster that most of them are in; -1 when none is in any. Of equals the one of the first of them. */
  standing(anchors: Anchors): number {
    const counts = new Map<number, number>();
    for (const anchor of anchors) {
      const label = this.of(anchor);
      if (label !== null && label >= 0) counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    let [best, most] = [-1, 0];
    for (const [label, count] of counts) if (count > most) [best, most] = [label, count];
    return best;
  }

  join(a: number, b: number): void {
    const [low, high] = [this.#root(a), this.#root(b)].sort((x, y) => x - y) as [number, number];
    this.#parents[high] = low;
  }

  put(face: string, label: number): void {
    this.#labels[this.#positions.get(face) as number] = label;
  }

  fresh(): number {
    this.#parents.push(this.#parents.length);
    return this.#parents.length - 1;
  }

  all(): Int32Array<ArrayBuffer> {
    return this.#labels.map((label) => (label < 0 ? -1 : this.#root(label)));
  }
}

/** `ids`: 16 bytes an entry; `raw`: one an entry. */
export function applyCorrections(
  ids: Uint8Array,
  raw: Int32Array,
  corrections: readonly Correction[],
): Corrected {
  if (corrections.length === 0) return { labels: Int32Array.from(raw), kept: 0, conflicts: [] };
  const labels = new Labels(raw, positionsOf(ids, mentioned(corrections)));
  for (const correction of corrections) {
    if (correction.kind === 'merge') merge(labels, correction.clusters);
    else move(labels, correction);
  }
  const conflicts: string[] = [];
  let kept = 0;
  for (const correction of corrections) {
    const said = correction.kind === 'merge' ? mergeFault(labels, correction) : moveFault(labels, correction);
    if (said === null) kept++;
    else if (said !== '') conflicts.push(said);
  }
  return { labels: labels.all(), kept, conflicts };
}

function merge(labels: Labels, clusters: readonly { readonly anchors: Anchors }[]): void {
  const found = clusters.map(({ anchors }) => labels.standing(anchors)).filter((label) => label >= 0);
  for (const label of found.slice(1)) labels.join(found[0]!, label);
}

function move(labels: Labels, { faces, from, to }: Correction & { kind: 'move' }): void {
  const there = faces.filter((face) => labels.of(face) !== null);
  const [left, joined] = [labels.standing(from.anchors), labels.standing(to.anchors)];
  if (joined >= 0) for (const face of there) labels.put(face, joined);
  else {
    // Nothing is left of the cluster they belong to: they make one themselves rather than go back.
    const back = there.filter((face) => left >= 0 && labels.of(face) === left);
    const own = back.length > 0 ? labels.fresh() : -1;
    for (const face of back) labels.put(face, own);
  }
}

/** Null when it holds, empty when none of it is there any more. */
function mergeFault(labels: Labels, { clusters }: Correction & { kind: 'merge' }): string | null {
  const found = clusters.map(({ anchors }) => labels.standing(anchors)).filter((label) => label >= 0);
  if (found.length < 2) return '';
  if (found.every((label) => label === found[0])) return null;
  const names = clusters.map(({ id }) => id).join(', ');
  return `${names} were merged, but most of their faces were moved apart later`;
}

function moveFault(labels: Labels, { faces, from, to }: Correction & { kind: 'move' }): string | null {
  const there = faces.filter((face) => labels.of(face) !== null);
  if (there.length === 0) return '';
  const [left, joined] = [labels.standing(from.anchors), labels.standing(to.anchors)];
  const what = `${there.length === 1 ? 'A face' : `${there.length} faces`} moved from ${from.id} to ${to.id}`;
  if (left >= 0 && left === joined) {
    return `${what} ${there.length === 1 ? 'is' : 'are'} with ${from.id} again: both are one cluster now`;
  }
  const elsewhere = there.filter((face) => joined >= 0 && labels.of(face) !== joined);
  if (elsewhere.length === 0) return null;
  const count = elsewhere.length === there.length ? '' : `: ${elsewhere.length} of them`;
  return `${what} did not stay there${count}, and ${elsewhere.length === 1 ? 'was' : 'were'} moved on later`;
}
