// One analysis folder: what is known of its media, which stages are stored, and the way to their vectors and
// previews. Reading works while another process writes, and in a folder that cannot be written.
import { accessSync, constants, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from '../../../runtime/errors.ts';
import { type ItemOf, type ResultType, resultKinds } from '../results/contract.ts';
import type { ShotEdges } from '../visual/contract.ts';
import { Bundles } from './bundles.ts';
import { type MediaRecord, type SpanKey, storeErrors } from './contract.ts';
import { type AccessMode, Environment } from './environment.ts';
import { damagedRecords, readAgain, storeFault } from './faults.ts';
import { mountFolders } from './footage-path.ts';
import { ContentPaths, Inventory } from './inventory.ts';
import { MediaRecords } from './media.ts';
import { databaseFile, previewKey, replicaKey, vectorFolder } from './names.ts';
import { dropPeaks } from './peaks.ts';
import { StoredPeople } from './people/people.ts';
import { PeopleWriter } from './people/people-writer.ts';
import { PreviewTables, readPreviews } from './previews.ts';
import { checkFormat, PreviewsRow, putFormat, ReplicaRow } from './records.ts';
import { type PathMove, settlePaths } from './removal.ts';
import { Results } from './results.ts';
import { noteRoots, pathsIn, type RootsState, recordedRoots } from './roots-file.ts';
import { Spans } from './spans.ts';
import type { AddedFrames, VectorStage } from './stage.ts';
import { StoredSummaries } from './summaries/summaries.ts';
import { SummaryWriter } from './summaries/summary-writer.ts';
import { readRecord, seal } from './table.ts';
import { StoredTranscripts } from './transcripts.ts';
import { VisualStages } from './visual-stages.ts';
import { type Committed, type SealedStage, VectorWriter, type WriterOptions } from './writer.ts';

export interface StoreOptions extends WriterOptions {
  /** The folder was there before: one that is missing is not made anew, it may be on a share that is away. */
  readonly wasThere?: boolean;
  /** The roots of the home folder, as they are now. Throws ROOTS_DAMAGED. */
  readonly roots?: () => RootsState;
  /** A change of the log of a cluster is being applied: a folder that follows it takes nothing else. */
  readonly following?: () => boolean;
}

export class Store {
  readonly folder: string;
  readonly #options: StoreOptions;
  #environment: Environment | null = null;
  #roots: RootsState | null = null;
  #writing: VectorWriter | null = null;
  #peopleWriting: PeopleWriter | null = null;
  #summaryWriting: SummaryWriter | null = null;
  readonly #tables = new PreviewTables();
  readonly #bundles: Bundles;
  readonly media = new MediaRecords(
    () => this.#reading(),
    () => this.#writer().environment,
  );
  readonly paths = new ContentPaths(this.media);
  readonly summaries = new StoredSummaries(() => this.#reading(), this.media);
  readonly inventory = new Inventory(() => this.#reading(), this.media, this.paths);
  readonly visual: VisualStages;
  readonly spans: Spans;
  readonly people: StoredPeople;
  readonly transcripts = new StoredTranscripts(
    () => this.#reading(),
    () => this.#writer().environment,
    () => (this.#options.now ?? Date.now)(),
  );

  readonly #results = new Map(
    resultKinds.map((kind) => {
      const now = () => (this.#options.now ?? Date.now)();
      const results = new Results(
        kind,
        () => this.#reading(),
        () => this.#writer().environment,
        now,
      );
      return [kind.type, results as unknown as Results] as const;
    }),
  );

  constructor(folder: string, options: StoreOptions = {}) {
    this.folder = folder;
    this.#options = options;
    this.#bundles = new Bundles(folder);
    this.visual = new VisualStages(folder, () => this.#reading());
    this.spans = new Spans(folder, options);
    const reading = () => this.#reading();
    this.people = new StoredPeople(folder, reading, () => this.peopleWriter(), options.warn);
  }

  /** Null when the folder holds no analysis yet. Throws STORE_UNAVAILABLE, STORE_TOO_NEW, STORE_DAMAGED. */
  #reading(): Environment | null {
    if (this.#environment === null) {
      if (!this.#hasRecords()) {
        requireEmpty(this.folder, this.#options.wasThere ?? false);
        return null;
      }
      this.#environment = this.#open('read');
    }
    this.#environment.refresh();
    return this.#environment;
  }

  /** To be called before each turn: where the roots are now. */
  followRoots(): void {
    const roots = this.#options.roots?.() ?? null;
    if (roots === this.#roots) return;
    this.#roots = roots;
    if (this.#environment !== null) this.#placeRoots(this.#environment);
  }

  #placeRoots(environment: Environment): Environment {
    if (this.#roots === null) return environment;
    environment.paths = pathsIn(this.#roots.all, recordedRoots(environment));
    environment.moves = this.#roots.version;
    return environment;
  }

  #open(access: AccessMode): Environment {
    return this.#placeRoots(checkFormat(Environment.open(databaseFile(this.folder), access), this.folder));
  }

  /**
   * Throws STORE_DAMAGED for records that were emptied: an empty file alone is left by who was ended while
   * making it.
   */
  #hasRecords(): boolean {
    const file = databaseFile(this.folder);
    if (Environment.exists(file)) return true;
    if (existsSync(file) && (this.#options.wasThere || existsSync(vectorFolder(this.folder)))) {
      throw damagedRecords(file, 'it is empty');
    }
    return false;
  }

  /** `isLocal`: for what concerns this machine alone. */
  #writer(isLocal = false): VectorWriter {
    if (this.#writing === null) {
      if (this.#options.wasThere) this.requireFolder();
      this.#hasRecords();
      this.#environment ??= this.#open('write');
      this.#writing = new VectorWriter(this.folder, this.#environment, this.#options);
    }
    if (!isLocal && this.#options.following?.() !== true) expectOwn(this.#writing.environment, this.folder);
    return this.#writing;
  }

  /** Which library of a cluster it follows, and how far; null for none. */
  get replica(): ReplicaRow | null {
    return readRecord(this.#reading(), ReplicaRow, replicaKey);
  }

  /** *Flushed* on return, with what `work` writes; when that throws, the store has to be closed. */
  noteReplica(work: () => ReplicaRow): void {
    this.#writer().environment.transact((writes) => {
      const replica = work();
      putFormat(writes);
      writes.put(replicaKey, seal(ReplicaRow, replicaKey, replica));
    });
  }

  /** Stages that were found elsewhere; see `Writer.adopt`. */
  adopt(contents: readonly SealedStage[]): void {
    const writer = this.#writer();
    writer.work.exclusively(() => writer.adopt(contents));
  }

  /** Writer of faces and clusterings. Throws what opening the folder for writing throws. */
  peopleWriter(isLocal = false): PeopleWriter {
    const { environment, work, spans, bundles } = this.#writer(isLocal);
    const { stored: clusterings, faces: stored } = this.people;
    const parts = { folder: this.folder, environment, work, spans, bundles, clusterings, stored };
    this.#peopleWriting ??= new PeopleWriter(parts, this.#options);
    return this.#peopleWriting;
  }

  /** Writer of summaries. Throws what opening the folder for writing throws. */
  summaryWriter(isLocal = false): SummaryWriter {
    const { environment, work } = this.#writer(isLocal);
    this.#summaryWriting ??= new SummaryWriter(environment, work, this.#options);
    return this.#summaryWriting;
  }

  /** Throws STORE_UNAVAILABLE when the folder itself is not there. */
  requireFolder(): void {
    if (!existsSync(this.folder)) {
      throw storeErrors.STORE_UNAVAILABLE(`The folder ${this.folder} does not exist`, {
        folder: this.folder,
      });
    }
  }

  /**
   * Throws when what is open cannot be used any more, before it is read: STORE_REPLACED, STORE_DAMAGED. The
   * store has to be closed then. STORE_UNAVAILABLE while the folder cannot be reached.
   */
  requireSame(): void {
    this.#environment?.requireSame();
  }

  /**
   * Which records these are; empty for a folder without any. What was read of others is not of this folder
   * any more.
   */
  get identity(): string {
    return this.#reading()?.identity ?? '';
  }

  /** `identity`: of what was read before. Throws STORE_UNAVAILABLE when that is gone. */
  requireStill(identity: string): void {
    if (identity === '') this.requireReadable();
    else this.requireFolder();
  }

  /**
   * Throws STORE_UNAVAILABLE, STORE_TOO_NEW, STORE_DAMAGED when the folder cannot be read; one that is not
   * there yet is empty.
   */
  requireReadable(): void {
    this.#reading();
  }

  /**
   * Where the data of a media file lies, null for what is not stored; `folder`: this folder by the caller's
   * name. Transcripts lie among the records.
   */
  held(hash: string, folder: string): { visual: string | null; audio: string | null } {
    return {
      visual: this.visual.stored(null, [hash])[0] ? vectorFolder(folder) : null,
      audio: this.transcripts.stored([hash])[0] ? folder : null,
    };
  }

  /** The JPEG of each frame of one file, null where there is none. *Copied*. */
  previews(hash: string, frames: readonly number[]): (Uint8Array<ArrayBuffer> | null)[] {
    return readAgain(() => {
      const record = readRecord(this.#reading(), PreviewsRow, previewKey(hash));
      return record === null
        ? frames.map(() => null)
        : readPreviews(this.#bundles, record, frames, this.#tables);
    });
  }

  /** Kinds whose result is one list for each content. */
  results<T extends ResultType>(type: T): Results<ItemOf<T>> {
    return this.#results.get(type) as unknown as Results<ItemOf<T>>;
  }

  /**
   * Everything that is stored of these contents, and every path they are known by. Answers the names of the
   * clusterings of which nothing is left.
   */
  remove(hashes: readonly string[], pause: () => void): string[] {
    const knownPaths = this.paths.of(hashes, pause);
    // First: of what is forgotten nothing may stay, and they can be made again.
    for (const hash of hashes) dropPeaks(this.folder, hash);
    const contents = new Map(hashes.map((hash, i) => [hash, knownPaths[i] ?? []]));
    const people = this.peopleWriter();
    const summaryWriter = this.summaryWriter();
    let clusterings: string[] = [];
    this.#writer().remove(contents, () => {
      const removal = people.removal(new Set(hashes));
      const forgotten = summaryWriter.removal(hashes);
      return {
        within: (writes) => {
          removal.within(writes);
          clusterings = removal.lost;
          forgotten.within(writes);
        },
        after: () => removal.tidy(),
      };
    });
    this.paths.removed(hashes);
    return clusterings;
  }

  /** The paths that stayed, because another content is known at their new name. */
  move(moves: readonly PathMove[]): string[] {
    return this.#writer().move(moves);
  }

  /** One step; see the message `settle_paths`. */
  settlePaths(after: string): string | null {
    const { environment } = this.#writer(true);
    if (after === '')
      environment.transact((writes) => noteRoots(writes, environment, this.#roots?.all ?? []));
    return settlePaths(environment, after);
  }

  begin(hash: string, modelKey: string, dimensions: number, span: SpanKey | null = null): VectorStage {
    return this.#writer().begin(hash, modelKey, dimensions, span);
  }

  append(stage: VectorStage, added: AddedFrames, keep = false): void {
    this.#writerOf(stage).append(stage, added, keep);
  }

  /** One stage; see `commitAll`. */
  commit(stage: VectorStage, media: MediaRecord): number {
    const [stored] = this.commitAll([{ stage, media }]);
    if (typeof stored === 'number') return stored;
    throw stored;
  }

  /** For each the number of vectors, or what kept it out. */
  commitAll(all: readonly Committed[]): (number | Error)[] {
    return this.#writerOf(all[0]!.stage).commit(all);
  }

  /** The number of vectors of the stages that have them now; see the message `set_edges`. */
  setEdges(hash: string, edges: ShotEdges): number {
    const media = this.media.byHash(hash);
    if (media === null) throw storeErrors.NOT_ANALYZED(`${hash} is not known`, { hash });
    return this.#writer().setEdges(media, edges);
  }

  /**
   * One step of moving faces out of rolls of which most is of nobody; true when there is no more to do. Then
   * those of other models from which something was deleted.
   */
  compactFaces(modelKey: string): boolean {
    const { faces } = this.people;
    const stored = faces.dimensions(modelKey) === null ? [] : [modelKey];
    const all = new Set([...stored, ...faces.erased()]);
    return [...all].every((model) => this.peopleWriter(true).compact(model));
  }

  /** Keeps the data of a stage that can be resumed. */
  abort(stage: VectorStage): void {
    this.#writing?.suspend(stage);
  }

  /** The stages of a store that was closed are lost with it. */
  #writerOf(stage: VectorStage): VectorWriter {
    if (this.#writing !== null) return this.#writing;
    throw storeErrors.STAGE_LOST(`The stage of ${stage.hash} was lost when ${this.folder} was closed`);
  }

  get isBusy(): boolean {
    return this.#writing?.isBusy ?? false;
  }

  /** Aborts open stages and frees everything. */
  async close(): Promise<void> {
    try {
      this.#peopleWriting?.close();
      this.#summaryWriting?.close();
      this.#writing?.close();
    } finally {
      const environment = this.#environment;
      this.#writing = null;
      this.#peopleWriting = null;
      this.#summaryWriting = null;
      this.#environment = null;
      await environment?.close().catch((error: unknown) => {
        throw storeFault(error, this.folder, 'write');
      });
    }
  }
}

/** Throws FOLLOWS_CLUSTER. */
function expectOwn(environment: Environment, folder: string): void {
  if (!environment.has(replicaKey)) return;
  const what = `${folder} follows the library of a cluster; only the service of this machine changes it (--server)`;
  throw storeErrors.FOLLOWS_CLUSTER(what, { folder });
}

// Tells an empty analysis folder from one that cannot be read now. A folder that does not exist yet is empty;
// on a drive that is away it only looks so.

/** `wasThere`: it held something once. Throws STORE_UNAVAILABLE. */
function requireEmpty(folder: string, wasThere: boolean): void {
  const reason = hindrance(folder, wasThere);
  if (reason === null) return;
  throw storeErrors.STORE_UNAVAILABLE(`${folder} cannot be read: ${reason}`, { folder, reason });
}

/** Null when it is empty. */
function hindrance(folder: string, wasThere: boolean): string | null {
  try {
    if (!statSync(folder).isDirectory()) return 'it is not a folder';
    accessSync(folder, constants.R_OK | constants.X_OK);
    return null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return reasonOf(error);
    return absence(folder, wasThere);
  }
}

/** Null when it is only not there yet. */
function absence(folder: string, wasThere: boolean): string | null {
  if (wasThere) return 'it no longer exists; its drive may be disconnected';
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return 'it is a broken link';
  const parent = dirname(folder);
  try {
    if (!statSync(parent).isDirectory()) return `${parent} is not a folder`;
    const isBare = mountFolders.test(parent) && readdirSync(parent).length === 0;
    return isBare ? `its drive may be disconnected: ${parent} is empty` : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return `the folder ${parent} does not exist`;
    return reasonOf(error);
  }
}
