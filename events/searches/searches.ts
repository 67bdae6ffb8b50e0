// The saved searches of a home folder: their records, the latest hits of each, and who is told of a hit.
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import type { Tasks } from '../../actors/analysis/contract.ts';
import type { CommonHome, Telling } from '../../actors/cluster/contract.ts';
import type { Search } from '../../actors/search/contract.ts';
import { whichMedia } from '../../actors/search/media/contract.ts';
import { peopleFilter } from '../../actors/search/scope/contract.ts';
import type { Clock } from '../../runtime/clock.ts';
import { reasonOf } from '../../runtime/errors.ts';
import { privateFile, replaceFile } from '../../runtime/files/atomic-write.ts';
import type { HomeFiles } from '../../runtime/files/home-files.ts';
import { expectVersion, readJsonNow } from '../../runtime/files/json-file.ts';
import { rmSync } from '../../runtime/files/names.ts';
import { RecordFile } from '../../runtime/files/record-file.ts';
import type { Log } from '../../runtime/log.ts';
import {
  asksNothing,
  mostHits,
  mostPictureLetters,
  mostSearches,
  type NewSearch,
  SavedSearch,
  type SavedSearches,
  SearchHit,
  type SearchStanding,
  searchErrors,
} from './contract.ts';
import { type FollowedMatch, followAnalyses } from './following.ts';

const VERSION = 1;
const HitFile = Type.Object({
  version: Type.Literal(VERSION),
  total: Type.Integer({ minimum: 0 }),
  /** Number of seen hits among them. */
  seen: Type.Integer({ minimum: 0 }),
  /** The latest ones, oldest first. */
  hits: Type.Array(SearchHit),
});
type HitFile = Static<typeof HitFile>;
const none: HitFile = { version: VERSION, total: 0, seen: 0, hits: [] };

interface SearchesParts {
  /** Folder of the records, in the home folder. */
  readonly folder: string;
  readonly homeFiles: HomeFiles;
  readonly tasks: Pick<Tasks, 'get'>;
  readonly telling: Pick<Telling, 'subscribe'>;
  readonly search: Pick<Search, 'loaded' | 'loadMedia' | 'moments' | 'onLoaded' | 'transcripts'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Unix seconds. */
  readonly now: () => number;
}

function searchesFile({ folder, homeFiles, clock }: Pick<SearchesParts, 'folder' | 'homeFiles' | 'clock'>) {
  return new RecordFile(join(folder, 'searches.json'), SavedSearch, homeFiles, clock, {
    damaged: (what, path, cause) => searchErrors.SEARCHES_DAMAGED(what, { path }, cause),
    unwritable: (what, path, cause) => searchErrors.SEARCHES_UNWRITABLE(what, { path }, cause),
  });
}

export class SearchService implements SavedSearches {
  readonly #parts: SearchesParts;
  readonly #file: RecordFile<typeof SavedSearch>;
  readonly #hits = new Map<string, HitFile>();
  readonly #problems = new Map<string, string | null>();
  readonly #listeners = new Set<(hit: SearchHit) => void>();
  readonly #finders = new Set<(hit: SearchHit) => Promise<void>>();
  readonly #stop: () => void;

  constructor(parts: SearchesParts) {
    this.#parts = parts;
    this.#file = searchesFile(parts);
    this.#stop = followAnalyses({
      ...parts,
      saved: () => this.#file.read(),
      found: (search, match, task_id) => this.#found(search, match, task_id),
      problem: (search, what) => void this.#problems.set(search.search_id, what),
    });
  }

  list(): SearchStanding[] {
    return this.#file.read().map((record) => this.#standing(record));
  }

  has(searchId: string): boolean {
    return this.#file.read().some(({ search_id }) => search_id === searchId);
  }

  async save({ name, request }: NewSearch): Promise<SearchStanding> {
    checkRequest(request);
    const savedSearch = { search_id: randomUUID(), name, request, created_at: this.#parts.now() };
    await this.#file.change((now) => {
      if (now.length < mostSearches) return [...now, savedSearch];
      throw searchErrors.SEARCHES_FULL(`There are already ${mostSearches} saved searches; remove one first`);
    });
    return this.#standing(savedSearch);
  }

  async change(searchId: string, { name, request }: Partial<NewSearch>): Promise<SearchStanding> {
    if (request) checkRequest(request);
    const before = this.#expect(searchId);
    const created_at = request ? this.#parts.now() : before.created_at;
    const changed = { ...before, name: name ?? before.name, request: request ?? before.request, created_at };
    await this.#file.change((now) => now.map((record) => (record.search_id === searchId ? changed : record)));
    this.#problems.delete(searchId);
    return this.#standing(changed);
  }

  async remove(searchId: string): Promise<void> {
    this.#expect(searchId);
    await this.#file.change((now) => now.filter(({ search_id }) => search_id !== searchId));
    this.#hits.delete(searchId);
    this.#problems.delete(searchId);
    rmSync(this.#path(searchId), { force: true });
  }

  hits(searchId: string): SearchHit[] {
    this.#expect(searchId);
    return this.#hitsOf(searchId).hits.toReversed();
  }

  markSeen(searchId: string): SearchStanding {
    const search = this.#expect(searchId);
    const hits = this.#hitsOf(searchId);
    if (hits.seen < hits.total) this.#write(searchId, { ...hits, seen: hits.total });
    return this.#standing(search);
  }

  subscribe(listener: (hit: SearchHit) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  onFound(listener: (hit: SearchHit) => Promise<void>): () => void {
    this.#finders.add(listener);
    return () => void this.#finders.delete(listener);
  }

  /** Tells of hits that another machine has found. */
  followHome(home: Pick<CommonHome, 'onChange'>): void {
    // These are not new.
    for (const { search_id } of this.#file.read()) this.#hitsOf(search_id);
    home.onChange((names) => {
      for (const name of names) this.#changedOutside(name);
    });
  }

  #changedOutside(name: string): void {
    const [, searchId = ''] = /^searches\/([0-9a-f-]{36})-hits\.json$/.exec(name) ?? [];
    const hitIds = new Set(this.#hits.get(searchId)?.hits.map(({ hit_id }) => hit_id));
    this.#hits.delete(searchId);
    if (!this.has(searchId)) return;
    for (const hit of this.#hitsOf(searchId).hits) {
      if (hitIds.has(hit.hit_id)) continue;
      for (const listener of this.#listeners) listener(hit);
    }
  }

  /** Ends without searching what is pending. */
  close(): void {
    this.#stop();
  }

  #found({ search_id, name }: SavedSearch, match: FollowedMatch, task_id: string): Promise<unknown> {
    const before = this.#hitsOf(search_id);
    const hit_id = hitIdOf(search_id, task_id, match);
    const earlier = before.hits.find((hit) => hit.hit_id === hit_id);
    const hit = earlier ?? { hit_id, search_id, name, ...match, found_at: this.#parts.now() };
    if (earlier === undefined) {
      this.#keep(before, hit);
      for (const listener of this.#listeners) listener(hit);
    }
    return Promise.all([...this.#finders].map((listener) => listener(hit)));
  }

  #keep(before: HitFile, hit: SearchHit): void {
    const { search_id } = hit;
    try {
      const hits = [...before.hits, hit].slice(-mostHits);
      this.#write(search_id, { ...before, total: before.total + 1, hits });
    } catch (error) {
      this.#parts.log.error('a hit cannot be written', { search_id, error: reasonOf(error) });
    }
  }

  #standing(search: SavedSearch): SearchStanding {
    const { total, seen, hits } = this.#hitsOf(search.search_id);
    const problem = this.#problems.get(search.search_id) ?? null;
    return {
      ...search,
      hits: total,
      new_hits: total - seen,
      last_hit_at: hits.at(-1)?.found_at ?? null,
      problem,
    };
  }

  #expect(searchId: string): SavedSearch {
    const match = this.#file.read().find(({ search_id }) => search_id === searchId);
    if (match) return match;
    throw searchErrors.SEARCH_UNKNOWN(`There is no saved search ${searchId}`, { search_id: searchId });
  }

  #hitsOf(searchId: string): HitFile {
    const hits = this.#hits.get(searchId);
    if (hits) return hits;
    const path = this.#path(searchId);
    try {
      const read = readJsonNow(HitFile, path, (value) => expectVersion(VERSION, value)) ?? none;
      // Two machines may have found some each.
      const latest = { ...read, hits: read.hits.slice(-mostHits) };
      this.#hits.set(searchId, latest);
      return latest;
    } catch (error) {
      throw searchErrors.SEARCHES_DAMAGED(`${path} ${(error as Error).message}`, { path }, error);
    }
  }

  #write(searchId: string, hits: HitFile): void {
    const path = this.#path(searchId);
    this.#hits.set(searchId, hits);
    try {
      replaceFile(path, JSON.stringify(hits), { ...privateFile, flush: false });
    } catch (error) {
      throw searchErrors.SEARCHES_UNWRITABLE(
        `${path} cannot be written (${reasonOf(error)})`,
        { path },
        error,
      );
    }
  }

  /** Ids that are asked for are known by now, so they name no other file. */
  #path(searchId: string): string {
    return join(this.#parts.folder, `${searchId}-hits.json`);
  }
}

/** The same one when another machine finds it again. */
function hitIdOf(search_id: string, task_id: string, { hash_str, moments }: FollowedMatch): string {
  const reasonKinds = moments.map(({ moment_id, reasons }) => [moment_id, reasons.map(({ kind }) => kind)]);
  const text = JSON.stringify([search_id, task_id, hash_str, reasonKinds]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Throws SEARCH_INVALID. */
function checkRequest(request: NewSearch['request']): void {
  const { image_path, image_data, like } = request;
  const pictures = [image_path, image_data, like].filter((picture) => picture !== undefined);
  const invalid = (what: string) => searchErrors.SEARCH_INVALID(what, { field: 'request' });
  if (pictures.length > 1) throw invalid('request has more than one picture');
  peopleFilter(request);
  if (like) whichMedia(like, 'request.like.');
  if (asksNothing(request)) throw invalid('request has no query, no picture and no filter');
  if ((image_data?.length ?? 0) > mostPictureLetters)
    throw invalid(`request.image_data has more than ${mostPictureLetters} letters`);
}
