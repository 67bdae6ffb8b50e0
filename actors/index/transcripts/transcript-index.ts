// The transcripts that can be searched: those of one folder, and the load that is under way.
import type { Log } from '../../../runtime/log.ts';
import { OpenLoads } from '../numbered-work.ts';
import { storeErrors } from '../store/contract.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import { ShardBuilder } from '../text/build.ts';
import type { TranscriptLoadReport } from './contract.ts';
import { type LoadedTranscript, LoadedTranscripts, loadedTranscript } from './loaded.ts';

export class TranscriptIndex {
  readonly #log: Log;
  #loaded: LoadedTranscripts | null = null;
  /** State that loads add to: the current one, or that of another folder until its first load ends. */
  #target: LoadedTranscripts | null = null;
  readonly #loads = new OpenLoads<TranscriptLoading>();
  /** How far the changes of the loaded folder are known. */
  #position: number | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * One step of a load: a new one for null, or the one of that number. What is loaded of another folder gives
   * way with the last.
   */
  load(store: Store, number: number | null): TranscriptLoadReport {
    store.requireReadable();
    this.#follow(store);
    const target = this.#targetOf(store);
    const goesOn = (loading: TranscriptLoading) => loading.target === target;
    const begin = () => new TranscriptLoading(store, target);
    const step = (loading: TranscriptLoading) => loading.step(store);
    const { number: load, load: loading, done } = this.#loads.step(number, goesOn, begin, step);
    const { unreadable } = loading;
    if (done) {
      this.#loaded = target;
      this.#position = loading.startPosition;
      if (unreadable.length > 0) {
        this.#log.warn('Transcripts cannot be read', { folder: store.folder, hashes: unreadable });
      }
    }
    return { done, load, media: target.media, segments: target.segments, unreadable };
  }

  #targetOf(store: Store): LoadedTranscripts {
    if (this.#loaded !== null && isOf(this.#loaded, store)) this.#target = this.#loaded;
    if (this.#target === null || !isOf(this.#target, store)) this.#target = new LoadedTranscripts(store);
    return this.#target;
  }

  /**
   * Takes out what was removed from the folder since, by whatever process. Transcripts are in the order of
   * their paths: when one moved, nothing is loaded any more, and the next search loads anew.
   */
  #follow(store: Store): void {
    const loaded = this.#loaded;
    if (loaded === null || !isOf(loaded, store)) return;
    const { position, changed } = store.media.changes(this.#position);
    if (changed === null && position !== this.#position && !sweep(loaded, store)) this.drop();
    else this.#position = position;
  }

  /**
   * Loaded transcripts of a folder without those removed since. NOT_LOADED if there are none, or the folder
   * was replaced. STORE_UNAVAILABLE while the folder is gone.
   */
  of(store: Store): LoadedTranscripts {
    const { folder } = store;
    if (this.#loaded?.folder === folder) {
      store.requireStill(this.#loaded.source);
      this.#follow(store);
      if (this.#loaded !== null && isOf(this.#loaded, store)) return this.#loaded;
    }
    throw storeErrors.NOT_LOADED(`The transcriptions of ${folder} are not loaded`, { folder });
  }

  /** The folder has to be loaded again. */
  forget(store: Store): void {
    if (this.#loaded?.folder === store.folder) this.#loaded = null;
    if (this.#target?.folder === store.folder) this.#target = null;
  }

  /** To be called after the transcript of a media or the names of its speakers were stored. */
  changed(store: Store, hash: string): void {
    for (const transcripts of new Set([this.#loaded, this.#target])) {
      if (transcripts !== null && isOf(transcripts, store)) refresh(transcripts, store, hash);
    }
  }

  drop(): void {
    this.#loaded = null;
    this.#target = null;
    this.#loads.clear();
    this.#position = null;
  }
}

/** False when a media moved. */
function sweep(loaded: LoadedTranscripts, store: Store): boolean {
  for (const hash of [...loaded.hashes()]) {
    const cachedTranscript = loaded.get(hash);
    if (!store.transcripts.stored([hash])[0]) loaded.remove(hash);
    else if (
      cachedTranscript &&
      (readable(() => store.media.pathOf(hash)) ?? cachedTranscript.path) !== cachedTranscript.path
    )
      return false;
  }
  return true;
}

// Brings the transcripts of a folder into memory, a step at a time, so that a search never waits for a whole
// load. What was in memory gives way shard by shard, so that it never lies there twice.

/** Rows of one shard: its work at the end is about 10 ms. */
const shardRows = 1 << 14;
/** Limits of one step: bytes of text, and records. */
const stepBytes = 1 << 18;
const stepRecords = 256;

class TranscriptLoading {
  readonly target: LoadedTranscripts;
  /** How far the changes of the folder were known when it began. */
  readonly startPosition: number;
  readonly #unreadable = new Set<string>();
  readonly #hashes: readonly string[];
  readonly #media: { readonly hash: string; readonly path: string }[] = [];
  #next = 0;
  readonly #builder = new ShardBuilder<LoadedTranscript>();
  /** State in memory of each media in the builder when it was read. */
  readonly #before = new Map<string, LoadedTranscript | undefined>();

  constructor(store: Store, target: LoadedTranscripts) {
    this.target = target;
    this.startPosition = store.media.changes(null).position;
    this.#hashes = store.transcripts.hashes();
  }

  get unreadable(): string[] {
    return [...this.#unreadable].sort();
  }

  /** Goes on for about 10 ms. True when everything is in memory. */
  step(store: Store): boolean {
    if (this.#media.length < this.#hashes.length) return this.#locate(store);
    const isRead = this.#next === this.#media.length;
    if (this.#builder.rows >= shardRows || (isRead && this.#before.size > 0)) {
      this.#add(store);
      return false;
    }
    if (!isRead) return this.#read(store);
    this.#removeOthers(store);
    return !this.target.tidy();
  }

  /** Looks up the last path of each media, which gives the order. */
  #locate(store: Store): false {
    const from = this.#media.length;
    for (const hash of this.#hashes.slice(from, from + stepRecords)) {
      const path = readable(() => store.media.pathOf(hash));
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
      this.#before.set(hash, this.target.get(hash));
      this.#builder.add(transcript);
      bytes += transcript.folded.bytes.length;
    }
    return false;
  }

  /** Null for what is damaged, and for what is in memory as it is stored. */
  #changed(store: Store, hash: string, path: string): LoadedTranscript | null {
    const record = store.transcripts.lookUp(hash);
    if (record === null) return null;
    const names = store.transcripts.names(hash);
    const cachedTranscript = this.target.get(hash);
    if (cachedTranscript?.version === record.version) {
      this.target.rename(cachedTranscript, names);
      return null;
    }
    const columns = readable(() => record.columns());
    if (columns === null) this.#unreadable.add(hash);
    return columns && loadedTranscript(columns, { path, version: record.version, names });
  }

  #add(store: Store): void {
    // Media stored or named since they were read are newer in memory.
    const overtaken = [...this.#before].filter(([hash, before]) => this.target.get(hash) !== before);
    this.target.add(this.#builder.finish());
    this.#before.clear();
    for (const [hash] of overtaken) refresh(this.target, store, hash);
  }

  #removeOthers(store: Store): void {
    const listed = new Set(this.#hashes);
    const others = this.target.hashes().filter((hash) => !listed.has(hash));
    const stored = store.transcripts.stored(others);
    for (const [i, hash] of others.entries()) if (!stored[i]) this.target.remove(hash);
  }
}

/** False when the folder was replaced since. */
function isOf({ folder, source }: LoadedTranscripts, store: Store): boolean {
  return folder === store.folder && source === store.identity;
}

/** Brings one transcript into step with what is stored. */
function refresh(loaded: LoadedTranscripts, store: Store, hash: string): void {
  const record = store.transcripts.lookUp(hash);
  const names = store.transcripts.names(hash);
  const cachedTranscript = loaded.get(hash);
  if (record === null) return;
  if (cachedTranscript?.version === record.version) {
    loaded.rename(cachedTranscript, names);
    return;
  }
  const columns = readable(() => record.columns());
  const path = readable(() => store.media.pathOf(hash)) ?? '';
  if (columns !== null) loaded.put(loadedTranscript(columns, { path, version: record.version, names }));
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
