// The summaries of an analysis folder as they are read: a page of a list, or one node with its children. Each
// answer is of one moment, also while another process writes.
import type {
  HeldCollection,
  HeldSummary,
  SummaryDetail,
  SummaryEvidence,
  SummaryMember,
  SummaryName,
  SummaryNode,
} from '../../summaries/contract.ts';
import { changeCount } from '../changes.ts';
import type { Environment } from '../environment.ts';
import { damaged, readable } from '../faults.ts';
import type { MediaRecords } from '../media.ts';
import { mediaKey } from '../names.ts';
import {
  FilmSummaryRow,
  MediaRow,
  SummaryCollectionRow,
  SummaryMemberRow,
  SummaryNodeRow,
} from '../records.ts';
import { readRecord, unseal } from '../table.ts';
import {
  allCollections,
  allSummaries,
  collectionKey,
  detailKey,
  evidenceKey,
  isSummaryId,
  memberKey,
  memberPrefix,
  nodeKey,
  nodePrefix,
  summaryChangesKey,
  summaryKey,
  summaryPrefix,
  unsealDetail,
  unsealEvidence,
  unsealNode,
} from './rows.ts';

export interface ReadSummary {
  readonly summary: HeldSummary | null;
  readonly detail: SummaryDetail | null;
  readonly node: SummaryNode | null;
  readonly children: SummaryNode[];
  readonly unreadable: string[];
  readonly evidence: SummaryEvidence | null;
}

const nothing: ReadSummary = {
  summary: null,
  detail: null,
  node: null,
  children: [],
  unreadable: [],
  evidence: null,
};

/** `hash/analysis_id` at the end of a key. */
function nameIn(key: string): SummaryName {
  const [hash_str = '', analysis_id = ''] = key.split('/').slice(-2);
  return { hash_str, analysis_id };
}

/** A summary whose texts are looked into. */
export interface TextsOf extends SummaryName {
  /** Token of its tree, by which its nodes are read: those of one token never change. */
  readonly token: string;
  readonly analysis_name: string;
}

export interface StoredNodeText {
  readonly node_id: string;
  readonly text: string;
  readonly start: number;
  readonly level: number;
}

export class StoredSummaries {
  readonly #reading: () => Environment | null;
  readonly #media: MediaRecords;

  constructor(reading: () => Environment | null, media: MediaRecords) {
    this.#reading = reading;
    this.#media = media;
  }

  /** A page; `pause` may throw to stop. */
  list(
    hashes: readonly string[],
    after: SummaryName | null,
    limit: number,
    pause: () => void,
  ): { summaries: HeldSummary[]; next: SummaryName | null; unreadable: string[] } {
    const environment = this.#reading();
    const summaries: HeldSummary[] = [];
    const unreadable: string[] = [];
    if (environment === null) return { summaries, next: null, unreadable };
    const from = after === null ? 0 : Math.max(0, hashes.indexOf(after.hash_str));
    let remaining = limit;
    for (const hash of hashes.slice(from)) {
      pause();
      const start = after?.hash_str === hash ? summaryKey(hash, after.analysis_id) : null;
      const path = this.#pathsOnce(environment);
      for (const { key, value } of environment.someEntries(summaryPrefix(hash), start, remaining)) {
        remaining--;
        const row = readable(() => unseal(FilmSummaryRow, key, value, environment.file));
        if (row === null) unreadable.push(hash);
        else summaries.push(...heldIn(row, path(hash)));
        if (remaining === 0) return { summaries, next: nameIn(key), unreadable };
      }
    }
    return { summaries, next: null, unreadable };
  }

  /** Null for a content that the folder does not know any more: an older program removed it incompletely. */
  #path(environment: Environment, hash: string): string | null {
    const row = readable(() => ({ media: readRecord(environment, MediaRow, mediaKey(hash)) }));
    if (row !== null) return row.media && environment.paths.shown(row.media.path);
    return readable(() => this.#media.pathOf(hash));
  }

  #pathsOnce(environment: Environment): (hash: string) => string | null {
    const pathsByHash = new Map<string, string | null>();
    return (hash) => {
      if (!pathsByHash.has(hash)) pathsByHash.set(hash, this.#path(environment, hash));
      return pathsByHash.get(hash) ?? null;
    };
  }

  collections(
    after: string | null,
    limit: number,
  ): { collections: HeldCollection[]; next: string | null; unreadable: string[] } {
    const environment = this.#reading();
    const collections: HeldCollection[] = [];
    const unreadable: string[] = [];
    if (environment === null) return { collections, next: null, unreadable };
    const start = after === null ? null : collectionKey(after);
    const entries = environment.someEntries(allCollections, start, limit);
    for (const { key, value } of entries) {
      const id = key.slice(allCollections.length);
      const collection = readable(() => collectionIn(environment, id, value));
      if (collection === null) unreadable.push(id);
      else collections.push(collection);
    }
    const last = entries.length < limit ? undefined : entries.at(-1);
    return { collections, next: last ? last.key.slice(allCollections.length) : null, unreadable };
  }

  members(
    collection_id: string,
    after: SummaryName | null,
    limit: number,
  ): {
    collection: HeldCollection | null;
    members: SummaryMember[];
    next: SummaryName | null;
    unreadable: SummaryName[];
  } {
    const environment = this.#reading();
    const members: SummaryMember[] = [];
    const unreadable: SummaryName[] = [];
    if (environment === null || !isSummaryId(collection_id)) {
      return { collection: null, members, next: null, unreadable };
    }
    // Counted once, not for every page.
    const bytes = after === null ? environment.get(collectionKey(collection_id)) : undefined;
    const collection = bytes === undefined ? null : collectionIn(environment, collection_id, bytes);
    const start = after && memberKey(collection_id, after.hash_str, after.analysis_id);
    const path = this.#pathsOnce(environment);
    const entries = environment.someEntries(memberPrefix(collection_id), start, limit);
    for (const { key, value } of entries) {
      const row = readable(() => unseal(SummaryMemberRow, key, value, environment.file));
      const at = row && path(row.hash_str);
      if (row === null || at === null) unreadable.push(nameIn(key));
      else members.push(memberOf(row, at));
    }
    const last = entries.length < limit ? undefined : entries.at(-1);
    return { collection, members, next: last ? nameIn(last.key) : null, unreadable };
  }

  /** Disk space of summaries, a page at a time; damaged ones are not counted. */
  count(
    after: SummaryName | null,
    limit: number,
  ): { summaries: number; nodes: number; bytes: number; next: SummaryName | null } {
    const environment = this.#reading();
    const total = { summaries: 0, nodes: 0, bytes: 0 };
    if (environment === null) return { ...total, next: null };
    const start = after && summaryKey(after.hash_str, after.analysis_id);
    const entries = environment.someEntries(allSummaries, start, limit);
    for (const { key, value } of entries) {
      const row = readable(() => unseal(FilmSummaryRow, key, value, environment.file));
      if (row === null) continue;
      total.summaries++;
      total.nodes += row.nodes;
      total.bytes += row.bytes;
    }
    const last = entries.length < limit ? undefined : entries.at(-1);
    return { ...total, next: last ? nameIn(last.key) : null };
  }

  /** How many times summaries were stored and removed; null when that cannot be read. */
  changes(): number | null {
    const environment = this.#reading();
    return environment === null ? 0 : changeCount(environment, summaryChangesKey, environment.file);
  }

  /** A page of the names of all there are, damaged ones too. */
  names(after: SummaryName | null, limit: number): SummaryName[] {
    const start = after && summaryKey(after.hash_str, after.analysis_id);
    return (this.#reading()?.someKeys(allSummaries, start, limit) ?? []).map(nameIn);
  }

  /** Null for one that is not there. Throws STORE_DAMAGED. */
  textsOf({ hash_str, analysis_id }: SummaryName): TextsOf | null {
    const row = readRecord(this.#reading(), FilmSummaryRow, summaryKey(hash_str, analysis_id));
    return row && { hash_str, analysis_id, token: row.token, analysis_name: row.name };
  }

  /**
   * A page of the texts of a summary, in the order of ids; `isCut`: a damaged one is left out. `next` is null
   * behind the last.
   */
  texts({ hash_str, token }: TextsOf, after: string | null, limit: number) {
    const environment = this.#reading();
    const nodes: StoredNodeText[] = [];
    if (environment === null) return { nodes, next: null, isCut: false };
    const prefix = nodePrefix(hash_str, token);
    const entries = environment.someEntries(prefix, after === null ? null : prefix + after, limit);
    for (const { key, value } of entries) {
      const row = readable(() => unseal(SummaryNodeRow, key, value, environment.file));
      if (row === null) continue;
      const { node_id, text, start, level } = row;
      nodes.push({ node_id, text, start, level });
    }
    const last = entries.length < limit ? undefined : entries.at(-1);
    return { nodes, next: last?.key.slice(prefix.length) ?? null, isCut: nodes.length < entries.length };
  }

  /** Null when it is gone, or damaged. */
  node(of: Pick<TextsOf, 'hash_str' | 'token'>, node_id: string): SummaryNode | null {
    const environment = this.#reading();
    return environment && readable(() => nodeIn(environment, of, node_id));
  }

  /** `hash/id` of every member of a collection; none when there is no such collection. */
  memberNames(collection_id: string): Set<string> {
    if (!isSummaryId(collection_id)) return new Set();
    const prefix = memberPrefix(collection_id);
    return new Set(
      this.#reading()
        ?.keys(prefix)
        .map((key) => key.slice(prefix.length)),
    );
  }

  /** How many there are of a content, damaged ones too. */
  countOf(hash: string): number {
    return this.#reading()?.count(summaryPrefix(hash)) ?? 0;
  }

  /** `id` null: the one stored last; `node` null: the root. Throws STORE_DAMAGED for all but a child. */
  read(hash: string, id: string | null, node: string | null, evidence: boolean): ReadSummary {
    const environment = this.#reading();
    if (environment === null) return nothing;
    const key = id === null ? environment.lastKey(summaryPrefix(hash)) : checkedKey(hash, id);
    const bytes = key === null ? undefined : environment.get(key);
    if (key === null || bytes === undefined) return nothing;
    const { file } = environment;
    const row = unseal(FilmSummaryRow, key, bytes, file);
    const [summary] = heldIn(row, this.#path(environment, hash));
    if (summary === undefined) return nothing;
    const detailAt = detailKey(hash, row.analysis_id);
    const detailBytes = environment.get(detailAt);
    if (detailBytes === undefined) throw damaged(file, `record ${detailAt} is missing`);
    const detail = unsealDetail(detailAt, detailBytes, file);
    const nodeId = node ?? detail.root_id;
    const nodeRecord = nodeIn(environment, row, nodeId);
    if (nodeRecord === null && nodeId === detail.root_id) {
      throw damaged(file, `node ${nodeId} of summary ${row.analysis_id} is missing`);
    }
    if (nodeRecord === null) return { ...nothing, summary, detail };
    const unreadable: string[] = [];
    const children = nodeRecord.child_ids.flatMap((child) => {
      const read = readable(() => nodeIn(environment, row, child));
      if (read === null) unreadable.push(child);
      return read ?? [];
    });
    const nodeEvidence =
      evidence && nodeRecord.child_ids.length === 0 ? evidenceIn(environment, row, nodeId) : null;
    return { summary, detail, node: nodeRecord, children, unreadable, evidence: nodeEvidence };
  }
}

function checkedKey(hash: string, id: string): string | null {
  return isSummaryId(id) ? summaryKey(hash, id) : null;
}

/** Null for a content that the folder does not know any more. */
function heldIn(
  { name, one_line, collection_id, token: _, bytes: __, ...row }: FilmSummaryRow,
  path: string | null,
) {
  if (path === null) return [];
  const collection = collection_id === '' ? null : collection_id;
  const names = { analysis_name: name, one_line_summary: one_line, collection_id: collection };
  return [{ ...row, ...names, media_path: path }];
}

function memberOf({ hash_str, analysis_id, name }: SummaryMemberRow, media_path: string): SummaryMember {
  return { hash_str, analysis_id, analysis_name: name, media_path };
}

/** Throws STORE_DAMAGED. */
function collectionIn(environment: Environment, collection_id: string, bytes: Uint8Array): HeldCollection {
  const row = unseal(SummaryCollectionRow, collectionKey(collection_id), bytes, environment.file);
  const { name, description } = row;
  return { collection_id, name, description, members: environment.count(memberPrefix(collection_id)) };
}

/** Null when there is no such node. Throws STORE_DAMAGED. */
function nodeIn(
  environment: Environment,
  { hash_str, token }: Pick<FilmSummaryRow, 'hash_str' | 'token'>,
  node: string,
): SummaryNode | null {
  const key = nodeKey(hash_str, token, node);
  const bytes = key === null ? undefined : environment.get(key);
  return key === null || bytes === undefined ? null : unsealNode(key, bytes, environment.file);
}

/** Null when none was stored. Throws STORE_DAMAGED. */
function evidenceIn(
  environment: Environment,
  { hash_str, token }: FilmSummaryRow,
  node: string,
): SummaryEvidence | null {
  const key = evidenceKey(hash_str, token, node);
  const bytes = environment.get(key);
  return bytes === undefined ? null : unsealEvidence(key, bytes, environment.file);
}
