// Brings the transcripts of a folder into memory, a step at a time, so that a search never waits for a whole load. What is
// in memory stays until the last step.
import { storeErrors } from '../store/contract.ts';
import type { Store } from '../store/store.ts';
import { ShardBuilder } from './build.ts';
import { LoadedTranscripts } from './loaded.ts';
import { type LoadedTranscript, loadedTranscript } from './loaded-transcript.ts';
import type { Shard } from './shard.ts';

/** Rows of one shard: its work at the end is about 10 ms. */
const shardRows = 1 << 14;
/** Of one step: text that is taken in, records that are read. */
const stepBytes = 1 << 18;
const stepRecords = 256;

export class TranscriptLoading {
  /** What is added to; empty at first when another folder is loaded. */
  readonly target: LoadedTranscripts;
  /** Media whose transcript was stored since the load began. */
  readonly touched = new Set<string>();
  readonly unreadable = new Set<string>();
  readonly #hashes: readonly string[];
  readonly #media: { readonly hash: string; readonly path: string }[] = [];
  #next = 0;
  readonly #builder = new ShardBuilder();
  readonly #shards: Shard[] = [];
  /** Names of speakers of what is in memory already. */
  readonly #names = new Map<LoadedTranscript, LoadedTranscript['names']>();

  constructor(store: Store, loaded: LoadedTranscripts | null) {
    const same = loaded !== null && isOf(loaded, store) && !loaded.isFragmented;
    this.target = same ? loaded : new LoadedTranscripts(store);
    this.#hashes = store.transcripts.hashes();
  }

  /** Goes on for about 10 ms. True when everything is in memory; `target` has it then. */
  step(store: Store): boolean {
    if (this.#media.length < this.#hashes.length) return this.#locate(store);
    if (this.#builder.rows >= shardRows) {
      this.#shards.push(this.#builder.finish());
      return false;
    }
    if (this.#next < this.#media.length) return this.#read(store);
    this.#finish(store);
    return true;
  }

  /** Looks up the last path of each media, which gives the order. */
  #locate(store: Store): false {
    const from = this.#media.length;
    for (const hash of this.#hashes.slice(from, from + stepRecords)) {
      const path = attempt(() => store.media.pathOf(hash));
      this.#media.push({ hash, path: path ?? '' });
    }
    if (this.#media.length === this.#hashes.length) {
      this.#media.sort((a, b) => (a.path === b.path ? order(a.hash, b.hash) : order(a.path, b.path)));
    }
    return false;
  }

  #read(store: Store): false {
    const last = Math.min(this.#media.length, this.#next + stepRecords);
    for (let bytes = 0; this.#next < last && bytes < stepBytes && this.#builder.rows < shardRows; ) {
      const { hash, path } = this.#media[this.#next++]!;
      const transcript = this.#changed(store, hash, path);
      if (transcript === null) continue;
      this.#builder.add(transcript);
      bytes += transcript.folded.bytes.length;
    }
    return false;
  }

  /** Null for what is damaged, and for what is in memory as it is stored. */
  #changed(store: Store, hash: string, path: string): LoadedTranscript | null {
    const found = store.transcripts.lookUp(hash);
    if (found === null) return null;
    const names = store.transcripts.names(hash);
    const known = this.target.get(hash);
    if (known?.version === found.version) {
      this.#names.set(known, names);
      return null;
    }
    const columns = attempt(() => found.columns());
    if (columns === null) this.unreadable.add(hash);
    return columns && loadedTranscript(columns, { path, version: found.version, names });
  }

  #finish(store: Store): void {
    if (this.#builder.rows > 0) this.#shards.push(this.#builder.finish());
    const stored = new Set(this.#hashes);
    for (const hash of this.target.hashes()) {
      if (!stored.has(hash) && !this.touched.has(hash)) this.target.remove(hash);
    }
    for (const shard of this.#shards) this.target.add(shard);
    for (const [transcript, names] of this.#names) transcript.names = names;
    for (const hash of this.touched) refresh(this.target, store, hash);
  }
}

/** False when the folder was replaced since. */
export function isOf({ folder, source }: LoadedTranscripts, store: Store): boolean {
  return folder === store.folder && source === store.identity;
}

/** Brings one transcript into step with what is stored. */
export function refresh(loaded: LoadedTranscripts, store: Store, hash: string): void {
  const found = store.transcripts.lookUp(hash);
  const names = store.transcripts.names(hash);
  const known = loaded.get(hash);
  if (found === null) return;
  if (known?.version === found.version) {
    known.names = names;
    return;
  }
  const columns = attempt(() => found.columns());
  const path = attempt(() => store.media.pathOf(hash)) ?? '';
  if (columns !== null) loaded.put(loadedTranscript(columns, { path, version: found.version, names }));
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Null for what is damaged. */
function attempt<T>(read: () => T | null): T | null {
  try {
    return read();
  } catch (error) {
    if (!storeErrors.STORE_DAMAGED.is(error)) throw error;
    return null;
  }
}
