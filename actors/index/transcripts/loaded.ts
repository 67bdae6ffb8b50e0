// The transcripts of one folder that are in memory. What is loaded lies in shards that never change; what is stored later
// goes to a young one, which is made anew with every transcript until it is large.
import { ShardBuilder } from './build.ts';
import type { Hit, Hits, Shard } from './shard.ts';
import { inOrder, type Spoken, type SpokenScope } from './spoken.ts';

/** Rows from which a shard is not made anew any more: 10 ms of work. */
const grownRows = 8192;

export class LoadedTranscripts {
  readonly folder: string;
  readonly #byHash = new Map<string, Spoken>();
  readonly #shards: Shard[] = [];
  #young: Shard | null = null;
  #listed: readonly string[] | null = null;
  /** Segments that can be searched. */
  segments = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  get media(): number {
    return this.#byHash.size;
  }

  /** Bytes in memory, of transcripts that were replaced too. */
  get bytes(): number {
    return this.#all().reduce((sum, shard) => sum + shard.bytes, 0);
  }

  /** True when so much was replaced that loading everything anew is the better way. */
  get isFragmented(): boolean {
    const held = this.#all().reduce((sum, shard) => sum + shard.rows, 0);
    return held - this.segments > Math.max(grownRows * 8, this.segments);
  }

  /** The same list until something is added or removed. */
  hashes(): readonly string[] {
    this.#listed ??= [...this.#byHash.keys()];
    return this.#listed;
  }

  readonly get = (hash: string): Spoken | undefined => this.#byHash.get(hash);

  /** Takes the transcripts of a shard in, in place of earlier ones of the same media. */
  add(shard: Shard): void {
    for (const spoken of shard.media) this.#enter(spoken);
    this.#shards.push(shard);
  }

  /** Takes one transcript in, in place of an earlier one. */
  put(spoken: Spoken): void {
    const { hash } = spoken;
    const others = (this.#young?.media ?? []).filter((one) => one.hash !== hash && !one.gone);
    this.#enter(spoken);
    const builder = new ShardBuilder();
    for (const one of [...others, spoken].sort(inOrder)) builder.add(one);
    const shard = builder.finish();
    this.#young = shard.rows < grownRows ? shard : null;
    if (this.#young === null) this.#shards.push(shard);
  }

  #enter(spoken: Spoken): void {
    this.remove(spoken.hash);
    this.#byHash.set(spoken.hash, spoken);
    this.segments += rowsOf(spoken);
    this.#listed = null;
  }

  remove(hash: string): void {
    const spoken = this.#byHash.get(hash);
    if (spoken === undefined) return;
    spoken.gone = true;
    this.#byHash.delete(hash);
    this.segments -= rowsOf(spoken);
    this.#listed = null;
  }

  #all(): readonly Shard[] {
    return this.#young === null ? this.#shards : [...this.#shards, this.#young];
  }

  /**
   * `needle`: folded, UTF-8, not empty. The first `most` of all in their order; the total is counted up to `counted` or
   * somewhat more. `pause` is called between shards and may throw to stop.
   */
  find(needle: Uint8Array, scope: SpokenScope, most: number, counted: number, pause: () => void): Hits {
    let first: Hit[] = [];
    let total = 0;
    for (const shard of this.#inOrder()) {
      pause();
      const last = first.length === most ? first.at(-1) : undefined;
      // Nothing in this shard comes before what is found already.
      const isLater = last !== undefined && inOrder(last.spoken, shard.media[0]!) < 0;
      if (isLater && total >= counted) continue;
      const hits = shard.find(
        needle,
        scope,
        isLater ? 0 : most,
        Math.max(isLater ? 0 : most, counted - total),
      );
      total += hits.total;
      if (hits.first.length === 0) continue;
      first = [...first, ...hits.first];
      first.sort((a, b) => inOrder(a.spoken, b.spoken) || a.segment - b.segment);
      first.length = Math.min(most, first.length);
    }
    return { first, total };
  }

  /** The shards by their first transcript. */
  #inOrder(): readonly Shard[] {
    return this.#all().toSorted((a, b) => inOrder(a.media[0]!, b.media[0]!));
  }
}

function rowsOf({ folded }: Spoken): number {
  return folded.ends.length;
}
