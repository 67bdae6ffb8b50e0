// What an earlier clustering of the first entries told: which of them were core, and which cores were
// connected.
import { engineErrors } from '../../../runtime/errors.ts';
import type { ClusterLabels } from '../contract.ts';
import { countBelow, type Entries } from './entries.ts';

export type EarlierLabels = Pick<ClusterLabels, 'labels' | 'neighbours'>;

const nothing: EarlierLabels = { labels: new Int32Array(0), neighbours: new Int32Array(0) };

export class Earlier {
  readonly #before: EarlierLabels;
  readonly #entries: Entries;
  readonly #minSamples: number;
  /** How many strong entries, and how many weak ones, were there before. */
  readonly strong: number;
  readonly weak: number;
  /** The lowest core of each cluster, by its label. */
  readonly #firstCore = new Map<number, number>();

  /** Throws INVALID_MESSAGE when it cannot be of these entries and `minSamples`. */
  constructor(before: EarlierLabels | null, entries: Entries, minSamples: number) {
    this.#before = before ?? nothing;
    this.#entries = entries;
    this.#minSamples = minSamples;
    const { labels } = this.#before;
    if (labels.length > entries.count) {
      throw engineErrors.INVALID_MESSAGE(
        `before: ${labels.length} labels, and ${entries.count} entries were added`,
      );
    }
    this.strong = countBelow(entries.strongAt, labels.length);
    this.weak = countBelow(entries.weakAt, labels.length);
    for (let i = 0; i < this.strong; i++) this.#note(i);
    for (let at = 0; at < labels.length; at++) {
      if (labels[at]! >= 0 && !this.#firstCore.has(labels[at]!)) {
        throw engineErrors.INVALID_MESSAGE(
          `before: the cluster of entry ${at} has no entry with ${minSamples} neighbours`,
        );
      }
    }
  }

  #note(i: number): void {
    const at = this.#entries.strongAt[i]!;
    const label = this.#before.labels[at]!;
    if (!this.wasCore(i)) return;
    if (label < 0) {
      throw engineErrors.INVALID_MESSAGE(
        `before: entry ${at} has ${this.#before.neighbours[at]} neighbours and is in no cluster`,
      );
    }
    if (!this.#firstCore.has(label)) this.#firstCore.set(label, i);
  }

  wasCore(strong: number): boolean {
    return strong < this.strong && this.neighbours(this.#entries.strongAt[strong]!) >= this.#minSamples;
  }

  /** Of an entry by its position; 1, itself, for a new one. */
  neighbours(at: number): number {
    return this.#before.neighbours[at] ?? 1;
  }

  /** The lowest core of the cluster an entry was in, as a strong entry; -1 for a new entry and for noise. */
  coreOf(at: number): number {
    return this.#firstCore.get(this.#before.labels[at] ?? -1) ?? -1;
  }
}
