// Applies people's corrections to the clusters of the vectors alone: merges join clusters, a moved face
// leaves its cluster and joins another, and clusters held apart are separated. They are applied in order, so
// the later one wins.
import type { Anchors, Correction } from './clustering-state.ts';
import { positionsOf } from './entry-id.ts';

export interface Corrected {
  /** One an entry; numbers without order, -1 for none. */
  readonly labels: Int32Array<ArrayBuffer>;
  /** Corrections that hold. */
  readonly count: number;
  /** Corrections contradicted by later ones or by the vectors. */
  readonly conflicts: readonly string[];
}

/** Every entry id that corrections speak of. */
function* mentioned(corrections: readonly Correction[]): Iterable<string> {
  for (const correction of corrections) {
    if (correction.kind === 'move') {
      yield* correction.faces;
      yield* correction.from.anchors;
      yield* correction.to.anchors;
    } else for (const { anchors } of correction.clusters) yield* anchors;
  }
}

class Labels {
  readonly #labels: Int32Array<ArrayBuffer>;
  readonly #positions: ReadonlyMap<string, number>;
  readonly #before: Int32Array;
  readonly #parents: number[] = [];

  /** `before`: the cluster of each entry in the clustering before, -1 for none. */
  constructor(raw: Int32Array, positions: ReadonlyMap<string, number>, before: Int32Array) {
    this.#labels = Int32Array.from(raw);
    this.#positions = positions;
    this.#before = before;
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
    return mostOf(anchors, (anchor) => this.of(anchor) ?? -1);
  }

  /**
   * Takes a cluster apart that holds two people: as the vectors cannot be trusted with it, its faces go back
   * to the clusters in which they were. Faces that are new stay with the first of the two.
   */
  split(label: number, first: Anchors, second: Anchors): void {
    const beforeOf = (anchor: string) => this.#before[this.#positions.get(anchor) ?? -1] ?? -1;
    const stays = mostOf(first, beforeOf);
    const newLabels = new Map<number, number>();
    const labelOf = (before: number): number => {
      const label = newLabels.get(before) ?? this.fresh();
      newLabels.set(before, label);
      return label;
    };
    for (let at = 0; at < this.#labels.length; at++) {
      const before = this.#before[at] ?? -1;
      if (before < 0 || before === stays || this.#labels[at]! < 0) continue;
      if (this.#root(this.#labels[at]!) === label) this.#labels[at] = labelOf(before);
    }
    const there = mostOf(second, beforeOf);
    for (const anchor of second) if (this.of(anchor) === label) this.put(anchor, labelOf(there));
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

/** The number that most of them have; -1 when none has one. Of equals that of the first of them. */
export function mostOf(anchors: Anchors, numberOf: (anchor: string) => number): number {
  const counts = new Map<number, number>();
  for (const anchor of anchors) {
    const number = numberOf(anchor);
    if (number >= 0) counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  let [best, most] = [-1, 0];
  for (const [number, count] of counts) if (count > most) [best, most] = [number, count];
  return best;
}

/**
 * `ids`: 16 bytes an entry; `raw`: one an entry; `before`: the same, its cluster in the clustering before, -1
 * for none.
 */
export function applyCorrections(
  ids: Uint8Array,
  raw: Int32Array,
  corrections: readonly Correction[],
  before: Int32Array = new Int32Array(0),
): Corrected {
  if (corrections.length === 0) return { labels: Int32Array.from(raw), count: 0, conflicts: [] };
  const labels = new Labels(raw, positionsOf(ids, mentioned(corrections)), before);
  for (const correction of corrections) {
    if (correction.kind === 'merge') merge(labels, correction.clusters);
    else if (correction.kind === 'apart') holdApart(labels, correction.clusters);
    else move(labels, correction);
  }
  const conflicts: string[] = [];
  let count = 0;
  for (const correction of corrections) {
    const said = faultOf(labels, correction);
    if (said === null) count++;
    else if (said !== '') conflicts.push(said);
  }
  return { labels: labels.all(), count, conflicts };
}

function holdApart(labels: Labels, [first, second]: (Correction & { kind: 'apart' })['clusters']): void {
  const label = labels.standing(first.anchors);
  if (label >= 0 && label === labels.standing(second.anchors))
    labels.split(label, first.anchors, second.anchors);
}

function faultOf(labels: Labels, correction: Correction): string | null {
  if (correction.kind === 'merge') return mergeFault(labels, correction);
  return correction.kind === 'apart' ? apartFault(labels, correction) : moveFault(labels, correction);
}

function merge(labels: Labels, clusters: readonly { readonly anchors: Anchors }[]): void {
  const currentLabels = clusters.map(({ anchors }) => labels.standing(anchors)).filter((label) => label >= 0);
  for (const label of currentLabels.slice(1)) labels.join(currentLabels[0]!, label);
}

function move(labels: Labels, { faces, from, to }: Correction & { kind: 'move' }): void {
  const there = faces.filter((face) => labels.of(face) !== null);
  const [fromLabel, toLabel] = [labels.standing(from.anchors), labels.standing(to.anchors)];
  if (toLabel >= 0) for (const face of there) labels.put(face, toLabel);
  else {
    // Nothing is left of the cluster they belong to: they make one themselves rather than go back. Of those
    // that were made a cluster it is said that they are somebody, also where the vectors alone find nobody.
    const moved = new Set(faces);
    const isNew = to.anchors.every((anchor) => moved.has(anchor));
    const isBack = (label: number | null) =>
      (fromLabel >= 0 && label === fromLabel) || (isNew && label === -1);
    const back = there.filter((face) => isBack(labels.of(face)));
    const newLabel = back.length > 0 ? labels.fresh() : -1;
    for (const face of back) labels.put(face, newLabel);
  }
}

/** Null when it holds, empty when none of it is there any more. */
function mergeFault(labels: Labels, { clusters }: Correction & { kind: 'merge' }): string | null {
  const currentLabels = clusters.map(({ anchors }) => labels.standing(anchors)).filter((label) => label >= 0);
  if (currentLabels.length < 2) return '';
  if (currentLabels.every((label) => label === currentLabels[0])) return null;
  const names = clusters.map(({ id }) => id).join(', ');
  return `${names} were merged, but most of their faces were later moved apart`;
}

function apartFault(
  labels: Labels,
  { clusters: [first, second] }: Correction & { kind: 'apart' },
): string | null {
  const [here, there] = [labels.standing(first.anchors), labels.standing(second.anchors)];
  if (here < 0 || there < 0) return '';
  return here !== there
    ? null
    : `${first.id} and ${second.id} were marked as different people, but merged later`;
}

function moveFault(labels: Labels, { faces, from, to }: Correction & { kind: 'move' }): string | null {
  const there = faces.filter((face) => labels.of(face) !== null);
  if (there.length === 0) return '';
  const [fromLabel, toLabel] = [labels.standing(from.anchors), labels.standing(to.anchors)];
  const origin = from.id === '' ? '' : ` from ${from.id}`;
  const what = `${there.length === 1 ? 'A face' : `${there.length} faces`} moved${origin} to ${to.id}`;
  if (fromLabel >= 0 && fromLabel === toLabel) {
    return `${what} ${there.length === 1 ? 'is' : 'are'} together with ${from.id} again, because both are now one cluster`;
  }
  const elsewhere = there.filter((face) => toLabel >= 0 && labels.of(face) !== toLabel);
  if (elsewhere.length === 0) return null;
  const count = elsewhere.length === there.length ? '' : `: ${elsewhere.length} of them`;
  return `${what} did not stay there${count}; ${elsewhere.length === 1 ? 'it was' : 'they were'} moved again later`;
}
