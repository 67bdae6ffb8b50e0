// Runs the saved searches on files as their analysis ends. Files that end at about the same time are searched
// together, and a moment is told once for each kind of reason, however many types of work find it again.
import type { TaskEvent, Tasks } from '../../actors/analysis/contract.ts';
import type { Telling } from '../../actors/cluster/contract.ts';
import type { LoadedContext, Search } from '../../actors/search/contract.ts';
import type { Moment, MomentsAnswer, Reason } from '../../actors/search/moments/contract.ts';
import type { Note } from '../../actors/search/notes/contract.ts';
import { engineErrors, reasonOf } from '../../runtime/errors.ts';
import { realFolder } from '../../runtime/files/folder.ts';
import type { Log } from '../../runtime/log.ts';
import { asksNothing, type SavedSearch, type SearchHit } from './contract.ts';

export type FollowedMatch = Omit<SearchHit, 'hit_id' | 'search_id' | 'name' | 'found_at'>;

interface FollowingParts {
  readonly tasks: Pick<Tasks, 'get'>;
  readonly telling: Pick<Telling, 'subscribe'>;
  readonly search: Pick<Search, 'loaded' | 'loadMedia' | 'moments' | 'onLoaded' | 'transcripts'>;
  readonly log: Log;
  saved(): readonly SavedSearch[];
  /** Resolves when those who wait for it have it. */
  found(search: SavedSearch, match: FollowedMatch, task_id: string): Promise<unknown>;
  /** Null when it was run completely. */
  problem(search: SavedSearch, what: string | null): void;
}

/** In the place of all files of a task with faces: people are known when these are clustered. */
const withFaces = '';
/** Files that are searched together, and moments of each that are told. */
const MOST_FILES = 500;
const MOST_MOMENTS = 20;

/** A task of which files are searched. */
interface Followed {
  /** Each file, or `withFaces`, and who waits until it was searched. */
  readonly waiting: Map<string, PromiseWithResolvers<void>>;
  /** Searches, moments and kinds of reasons that were told. */
  readonly seenKeys: Set<string>;
  isOver: boolean;
}

/** Answers the function that ends it. */
export function followAnalyses(parts: FollowingParts): () => void {
  const following = new Following(parts);
  const unsubscribe = parts.telling.subscribe((task_id, event) => following.take(task_id, event));
  return () => {
    unsubscribe();
    following.stop();
  };
}

class Following {
  readonly #parts: FollowingParts;
  readonly #tasks = new Map<string, Followed>();
  readonly #closing = new AbortController();
  #loaded: LoadedContext | null = null;
  #isRunning = false;

  constructor(parts: FollowingParts) {
    this.#parts = parts;
    parts.search.onLoaded((context) => {
      this.#loaded = context;
    });
  }

  stop(): void {
    this.#closing.abort(engineErrors.CANCELLED());
  }

  /** Resolves when the files that the event is about were searched. */
  async take(task_id: string, event: TaskEvent): Promise<void> {
    if (event.type === 'end') {
      const task = this.#tasks.get(task_id);
      if (task?.waiting.size === 0 && !this.#isRunning) this.#tasks.delete(task_id);
      else if (task) task.isOver = true;
    }
    if (event.type !== 'result') return;
    const { path, outcome, closing } = event.result;
    if (outcome !== 'analyzed' && !closing) return;
    const task = this.#tasks.get(task_id) ?? newTask();
    this.#tasks.set(task_id, task);
    const meant = closing ? withFaces : path;
    const waiting = task.waiting.get(meant) ?? Promise.withResolvers<void>();
    task.waiting.set(meant, waiting);
    if (!this.#isRunning) void this.#run();
    await waiting.promise;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    this.#isRunning = true;
    // Files that end in the same turn are searched together.
    await new Promise(setImmediate);
    for (let next = this.#next(); next !== null && !signal.aborted; next = this.#next()) {
      const [task_id, task, files] = next;
      const had = await this.#searchAll(task_id, task, [...files.keys()]).catch((error: unknown) => {
        if (!signal.aborted)
          this.#parts.log.error('saved searches cannot be run', { task_id, error: reasonOf(error) });
        return [];
      });
      // A search cut short by the end of the service is repeated.
      if (signal.aborted) break;
      void Promise.allSettled(had).then(() => {
        for (const waiting of files.values()) waiting.resolve();
      });
    }
    for (const [task_id, { isOver }] of this.#tasks) if (isOver) this.#tasks.delete(task_id);
    this.#isRunning = false;
  }

  #next(): readonly [string, Followed, Followed['waiting']] | null {
    for (const [task_id, task] of this.#tasks) {
      const files = new Map([...task.waiting].slice(0, MOST_FILES));
      for (const path of files.keys()) task.waiting.delete(path);
      if (files.size > 0) return [task_id, task, files];
    }
    return null;
  }

  /** Searches all and returns the results of `found`, one for each hit. */
  async #searchAll(task_id: string, task: Followed, waiting: readonly string[]): Promise<Promise<unknown>[]> {
    const saved = this.#parts.saved();
    if (saved.length === 0) return [];
    const { request } = await this.#parts.tasks.get(task_id, { offset: 0, limit: 1 });
    const folder = realFolder(request.cache_dir);
    const searches = saved.filter((search) => realFolder(search.request.cache_dir) === folder);
    if (searches.length === 0) return [];
    const faces = waiting.includes(withFaces) ? await this.#facesOf(task_id) : [];
    const remaining = [...new Set([...waiting.filter((path) => path !== withFaces), ...faces])];
    const had: Promise<unknown>[] = [];
    while (remaining.length > 0) {
      const paths = remaining.splice(0, MOST_FILES);
      const unloaded = await this.#load(folder, paths);
      for (const search of searches)
        had.push(...(await this.#searchOne(search, { task_id, ...task, paths, unloaded })));
    }
    return had;
  }

  /** Files in which the task has found faces. */
  async #facesOf(task_id: string): Promise<string[]> {
    const paths: string[] = [];
    for (let offset = 0, total = 1; offset < total; offset += MOST_FILES) {
      const { results, total_results } = await this.#parts.tasks.get(task_id, { offset, limit: MOST_FILES });
      total = total_results;
      const some = results.filter(
        (result) => result.type === 'faces' && !result.closing && result.outcome === 'analyzed',
      );
      paths.push(...some.map(({ path }) => path));
    }
    return paths;
  }

  /** Why not everything of the folder can be searched; null when it can. */
  async #load(folder: string, paths: readonly string[]): Promise<string | null> {
    const { search } = this.#parts;
    const { signal } = this.#closing;
    const loadedElsewhere = [search.loaded, this.#loaded?.transcripts].find(
      (context) => context && context.cache_dir !== folder,
    );
    if (loadedElsewhere) return `another folder is loaded: ${loadedElsewhere.cache_dir}`;
    try {
      await search.loadMedia(folder, paths, signal);
      if (!this.#loaded?.transcripts) await search.transcripts.load(folder, signal);
      return null;
    } catch (error) {
      return reasonOf(error);
    }
  }

  async #searchOne(
    search: SavedSearch,
    { task_id, seenKeys, paths, unloaded }: Searched,
  ): Promise<Promise<unknown>[]> {
    const { signal } = this.#closing;
    const { search: searches, found, problem } = this.#parts;
    // Without its filters it would find every file.
    if (asksNothing(search.request)) {
      problem(search, 'It only has filters whose facets no longer exist; change or remove it');
      return [];
    }
    try {
      const answer = await searches.moments.search(
        {
          ...search.request,
          media_paths: [...paths],
          search_all: false,
          segments_to_frame_indices: {},
          explain: true,
          min_band: 'likely',
          limit: MOST_MOMENTS * paths.length,
          max_per_media: MOST_MOMENTS,
        },
        signal,
      );
      problem(search, unloaded ?? unsearched(answer));
      return hitsOf(search, answer, seenKeys).map((hit) => found(search, hit, task_id));
    } catch (error) {
      if (!signal.aborted) problem(search, unloaded ?? reasonOf(error));
      return [];
    }
  }
}

/** Files of a task that are searched together; `unloaded`: why some of them may not be found. */
interface Searched extends Pick<Followed, 'seenKeys'> {
  readonly task_id: string;
  readonly paths: readonly string[];
  readonly unloaded: string | null;
}

function newTask(): Followed {
  return { waiting: new Map(), seenKeys: new Set(), isOver: false };
}

/** The sentence of an answer that says that something was not searched, or not as it was asked for. */
function unsearched({ notes = [] }: MomentsAnswer): string | null {
  const isIncomplete = (code: Note['code']) => code.endsWith('_NOT_SEARCHED') || code === 'FILTER_IGNORED';
  return notes.find(({ code }) => isIncomplete(code))?.text ?? null;
}

/** A hit for each file with moments that count and were not told. */
export function hitsOf(
  search: SavedSearch,
  { moments }: MomentsAnswer,
  seenKeys: Set<string>,
): FollowedMatch[] {
  const { cache_dir, query = '' } = search.request;
  const counted = moments.flatMap((moment) => {
    const reasons = countedReasons(moment.reasons, query);
    // A moment selected by filters alone has no other reason.
    const kinds = moment.reasons.length === 0 ? [{ kind: 'selected' }] : reasons;
    const isNew = kinds.map(({ kind }) => {
      const key = `${search.search_id} ${moment.moment_id} ${kind}`;
      return seenKeys.size < seenKeys.add(key).size;
    });
    return isNew.includes(true) ? [{ ...moment, reasons }] : [];
  });
  const files = Map.groupBy(counted, ({ hash_str }) => hash_str);
  return [...files.values()].map((fileMoments) => {
    const { hash_str, media_path } = fileMoments[0]!;
    const sure = fileMoments.some(({ reasons }) => reasons.length === 0 || reasons.some(isSure));
    return { cache_dir, hash_str, media_path, sure, moments: fileMoments.slice(0, MOST_MOMENTS) };
  });
}

/**
 * Reasons of a moment that answer the whole query: speech with only some of the words, and people who are
 * only a part of the query, do not count.
 */
function countedReasons(reasons: Moment['reasons'], query: string): Reason[] {
  const words = wordsOf(query);
  const others = reasons.filter(
    (reason) => reason.kind !== 'said' || isWithin(words, wordsOf(`${reason.text} ${reason.speaker_name}`)),
  );
  const names = new Set(others.flatMap((reason) => (reason.kind === 'person' ? wordsOf(reason.name) : [])));
  const isPeopleAlone = words.every((word) => names.has(word) || joining.has(word));
  return isPeopleAlone || others.some(({ kind }) => kind !== 'person') ? others : [];
}

/** Words between names. */
const joining = new Set(['and', 'with', 'or', 'und', 'mit', 'oder']);

function isSure(reason: Reason): boolean {
  if (reason.kind === 'written') return reason.band === 'strong';
  if (reason.kind !== 'seen') return true;
  return reason.explanation?.parts.some(({ part }) => part === 'picture' || part === 'things') ?? false;
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{Letter}\p{Number}\p{Mark}]+/gu) ?? []
  );
}

/** Each word is one of the others, or the beginning of one. */
function isWithin(words: readonly string[], others: readonly string[]): boolean {
  return words.every((word) => others.some((longer) => longer.startsWith(word)));
}
