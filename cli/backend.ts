// The interface behind commands, with two implementations: an engine in this process, or a service that runs already. A
// command is written once and prints the same with both.

import type { Page, TaskDetail, TaskRequest, TaskSnapshot } from '../actors/analysis/contract.ts';
import type { ClipsAnswer, ClipsRequest } from '../actors/exporter/clips/contract.ts';
import type { TranscriptAnswer, TranscriptRequest } from '../actors/exporter/contract.ts';
import type { SummaryDocumentAnswer, SummaryDocumentRequest } from '../actors/exporter/summary/contract.ts';
import type { TimelineAnswer, TimelineBody } from '../actors/exporter/timeline/contract.ts';
import type {
  DiskAnswer,
  ForgetAnswer,
  ForgetRequest,
  LibraryPage,
  MoveAnswer,
  MoveRequest,
  PageRequest,
  PruneAnswer,
} from '../actors/library/contract.ts';
import type {
  AppearancesAnswer,
  AppearancesRequest,
  ClusterFacesAnswer,
  ClusterFacesRequest,
  ClusterSamplesAnswer,
  DeletePeopleAnswer,
  DeletePeopleRequest,
  FaceClusterJob,
  FaceClusterJobs,
  ModifyAnswer,
  ModifyRequest,
  NamesAnswer,
  NamesRequest,
  ReclusterRequest,
  SamplesRequest,
} from '../actors/people/contract.ts';
import type { SearchAnswer } from '../actors/search/contract.ts';
import type {
  SceneThumbnailsAnswer,
  SceneThumbnailsRequest,
  ThumbnailsAnswer,
  ThumbnailsRequest,
} from '../actors/search/thumbnails/contract.ts';
import type {
  SpeakerNamesAnswer,
  TranscriptionsAnswer,
  TranscriptSearch,
  TranscriptSearchAnswer,
} from '../actors/search/transcripts/contract.ts';
import type { WrittenAnswer, WrittenRequest } from '../actors/search/written/contract.ts';
import type {
  CollectionsAnswer,
  NodeAnswer,
  OverviewAnswer,
  SummariesAnswer,
  SummariesRemoved,
  SummaryMatchesAnswer,
} from '../actors/summaries/contract.ts';
import type {
  NewWatchFolder,
  WatchFolder,
  WatchFolderChanges,
  WatchFolderList,
  WatchStatus,
} from '../actors/watch-folders/contract.ts';
import type { ProgressView } from './progress-view.ts';
import type { Question } from './question.ts';
import type { Report } from './report.ts';

export interface SightModels {
  /** Finds things. */
  readonly things_key: string | null;
  /** Reads printed words. */
  readonly words_key: string | null;
}

/** Filters are of the API. */
export type WrittenQuery = Omit<WrittenRequest, 'metadata_filter_request'>;

export interface TranscriptsRequest {
  readonly cache_dir: string;
  readonly media_paths: readonly string[];
}

/** `segments`: start, text, end, and who speaks. */
export type DocumentRequest = Pick<TranscriptRequest, 'format' | 'display_name'> & {
  readonly segments: readonly (readonly [number, string, number, string | null])[];
};

/** The text is written by the command, not by the service. */
export type TimelineText = Omit<TimelineBody, 'output_path' | 'create_folders'>;

export interface SpeakerNamesRequest {
  readonly cache_dir: string;
  readonly hash_str: string;
  readonly assignments: readonly { readonly speaker: string; readonly name: string }[];
}

/** As `Library` of the engine, which has the meaning of each. */
export interface LibraryBackend {
  list(request: PageRequest): Promise<LibraryPage>;
  forget(request: ForgetRequest): Promise<ForgetAnswer>;
  prune(request: { readonly cache_dir: string; readonly dry_run: boolean }): Promise<PruneAnswer>;
  disk(cacheDir: string): Promise<DiskAnswer>;
  move(request: MoveRequest): Promise<MoveAnswer>;
}

/** As `People` of the engine, which has the meaning of each. */
export interface PeopleBackend {
  jobs(cacheDir: string): Promise<FaceClusterJobs>;
  samples(request: SamplesRequest): Promise<ClusterSamplesAnswer>;
  faces(request: ClusterFacesRequest): Promise<ClusterFacesAnswer>;
  name(request: NamesRequest): Promise<NamesAnswer>;
  modify(request: ModifyRequest): Promise<ModifyAnswer>;
  undo(request: { readonly cache_dir: string; readonly cluster_job_name: string }): Promise<FaceClusterJob>;
  /** Runs the task to its end, as `analyze` of the backend does. */
  recluster(request: ReclusterRequest, view: ProgressView): Promise<Report>;
  remove(request: DeletePeopleRequest): Promise<DeletePeopleAnswer>;
  appearances(request: AppearancesRequest): Promise<AppearancesAnswer>;
}

/** The document is written by the command, not by the service. */
export type SummaryText = Omit<
  SummaryDocumentRequest,
  'output_path' | 'create_folders' | 'path' | 'hash_str' | 'analysis_id'
> & {
  readonly summary_ref: string;
};

/** As `Summaries` and `SummaryDocuments` of the engine, which have the meaning of each. */
export interface SummariesBackend {
  collections(cacheDir: string): Promise<CollectionsAnswer>;
  /** With all of its members. */
  collection(cacheDir: string, collectionId: string): Promise<CollectionsAnswer>;
  list(request: {
    readonly cache_dir: string;
    readonly media_paths: readonly string[];
    readonly hash_strs: readonly string[];
  }): Promise<SummariesAnswer>;
  /** `media_paths` null: every summary of the folder, or of the collection. */
  find(request: {
    readonly cache_dir: string;
    readonly query: string;
    readonly media_paths: readonly string[] | null;
    readonly collection_id: string | null;
    readonly max_results: number;
  }): Promise<SummaryMatchesAnswer>;
  overview(request: { readonly cache_dir: string; readonly summary_ref: string }): Promise<OverviewAnswer>;
  node(request: {
    readonly cache_dir: string;
    readonly summary_ref: string;
    readonly node_id: string;
    readonly include_evidence: boolean;
  }): Promise<NodeAnswer>;
  export(request: SummaryText): Promise<SummaryDocumentAnswer>;
  remove(request: {
    readonly cache_dir: string;
    readonly summary_refs: readonly string[];
    readonly collection_id: string | null;
  }): Promise<SummariesRemoved>;
}

/** As `WatchFolders` of the engine, which has the meaning of each. */
export interface WatchBackend {
  list(): Promise<WatchFolderList>;
  add(folder: NewWatchFolder): Promise<WatchFolder>;
  change(id: string, changes: WatchFolderChanges): Promise<WatchFolder>;
  remove(id: string): Promise<void>;
  start(): Promise<WatchStatus>;
  stop(): Promise<WatchStatus>;
}

export interface Backend {
  /** The models that are downloaded for looking at pictures; null for what there is none for. */
  sight(): Promise<SightModels>;
  /** Runs a task to its end and shows its progress; it is cancelled when the context's signal is aborted. */
  analyze(request: TaskRequest, view: ProgressView): Promise<Report>;
  /** The same for a recorded task that is not running; `force`: files in quarantine are tried again. */
  resume(task_id: string, view: ProgressView, force: boolean): Promise<Report>;
  /** Newest first. */
  tasks(): Promise<readonly TaskSnapshot[]>;
  task(task_id: string, page: Page): Promise<TaskDetail>;
  /** Stops the task that runs, or the one with this id alone; `stopped` false: it is still unwinding. */
  cancel(task_id?: string): Promise<{ readonly stopped: boolean; readonly message: string }>;
  /** Loads what is stored and searches it. */
  search(question: Question, cacheDir: string): Promise<SearchAnswer>;
  /** What is stored of these files. */
  transcripts(request: TranscriptsRequest): Promise<TranscriptionsAnswer>;
  /** Loads what is stored and searches it. */
  searchTranscripts(request: TranscriptSearch): Promise<TranscriptSearchAnswer>;
  /** Finds printed words; nothing has to be loaded. */
  searchWritten(request: WrittenQuery): Promise<WrittenAnswer>;
  /** A transcript as a document, in base64. */
  exportTranscript(request: DocumentRequest): Promise<TranscriptAnswer>;
  /** Scenes as a sequence of an editing program, as text. */
  exportTimeline(request: TimelineText): Promise<TimelineAnswer>;
  exportClips(request: ClipsRequest): Promise<ClipsAnswer>;
  nameSpeakers(request: SpeakerNamesRequest): Promise<SpeakerNamesAnswer>;
  /** What an analysis folder holds, forgotten and moved. */
  readonly library: LibraryBackend;
  /** Faces that are clustered into people. */
  readonly people: PeopleBackend;
  /** What happens in media. */
  readonly summaries: SummariesBackend;
  /** Folders whose media are analysed as they come. */
  readonly watch: WatchBackend;
  thumbnails(request: ThumbnailsRequest): Promise<ThumbnailsAnswer>;
  sceneThumbnails(request: SceneThumbnailsRequest): Promise<SceneThumbnailsAnswer>;
}
