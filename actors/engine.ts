// The engine as its callers see it: the coordinators by their contracts, and nothing of how they do their
// work.
import type { ChildState } from '../runtime/child.ts';
import type { PreviousEngine } from '../runtime/process/guardian-client.ts';
import type { SlotPool } from '../runtime/slots.ts';
import type { Analysis, Tasks } from './analysis/contract.ts';
import type { Cluster, ClusterChoice } from './cluster/contract.ts';
import type { Clips } from './exporter/clips/contract.ts';
import type { Exporter } from './exporter/contract.ts';
import type { Proxies } from './exporter/proxies/contract.ts';
import type { Sidecars } from './exporter/sidecars/contract.ts';
import type { SummaryDocuments } from './exporter/summary/contract.ts';
import type { Timelines } from './exporter/timeline/contract.ts';
import type { Roots } from './index/roots/contract.ts';
import type { Library } from './library/contract.ts';
import type { MomentLists } from './library/lists/contract.ts';
import type { People } from './library/people/contract.ts';
import type { ModelLibrary } from './models/contract.ts';
import type { Search } from './search/contract.ts';
import type { Summaries } from './summarizer/stored/contract.ts';
import type { WatchFolders } from './watcher/folders/contract.ts';

/** Interface between an engine and its process. */
export interface EngineHost {
  /** How the engine before it ended, where a guardian knows that. */
  readonly previous?: PreviousEngine | null;
  /** The cluster that it joins; null for none. */
  readonly cluster?: ClusterChoice | null;
  /** Aborted when it is to stop: a start that copies a library fails with its reason. */
  readonly signal?: AbortSignal;
  /** The actor hangs again: only a new process helps. */
  onFatal?(actor: string): void;
  /** The log of the cluster was cut while this machine was away: a new process takes a snapshot. */
  onCutOff?(): void;
}

export interface Engine {
  readonly analysis: Analysis;
  readonly tasks: Tasks;
  /** Null for an engine that is in none. */
  readonly cluster: Cluster | null;
  readonly search: Search;
  readonly exporter: Exporter;
  readonly clips: Clips;
  /** Films that browsers play, made of those they do not. */
  readonly proxies: Proxies;
  readonly timelines: Timelines;
  /** Facts about single media, as files for other programs. */
  readonly sidecars: Sidecars;
  /** Content of the analysis folders. */
  readonly library: Library;
  /** People behind the faces. */
  readonly people: People;
  /** Moments that somebody has put together. */
  readonly lists: MomentLists;
  /** Folders of footage that have a name. */
  readonly roots: Roots;
  /** Folders whose files are analysed as they come. */
  readonly watchFolders: WatchFolders;
  /** Stored summaries of media. */
  readonly summaries: Summaries;
  /** The same as documents. */
  readonly summaryDocuments: SummaryDocuments;
  /** The models of this machine, as files; the visual model in use is `search.models`. */
  readonly models: ModelLibrary;
  readonly slots: SlotPool;
  /** Every actor as it is now. */
  states(): ChildState[];
  /** Asks every actor to stop; resolves to the names of those that did not end in time. */
  stop(): Promise<string[]>;
}
