// Writes the summaries of one analysis folder. Nodes are kept as they come, apart from what is read; one
// transaction makes the whole summary visible, and takes away the one whose name it has.
import { randomBytes } from 'node:crypto';
import { engineErrors } from '../../../../runtime/errors.ts';
import { quoted } from '../../../../runtime/text.ts';
import {
  type CollectionChoice,
  type NewSummaryNode,
  type SummaryDetail,
  type SummaryName,
  type SummaryNode,
  summaryErrors,
} from '../../summaries/contract.ts';
import { plainName } from '../../summaries/fold-name.ts';
import { countChange } from '../changes.ts';
import { type MediaRecord, storeErrors } from '../contract.ts';
import type { Environment, Transaction } from '../environment.ts';
import { readable } from '../faults.ts';
import { putMedia } from '../media.ts';
import type { OpenWork } from '../open-work.ts';
import { FilmSummaryRow, OpenSummaryRow, SummaryIdRow, SummaryMemberRow } from '../records.ts';
import { keptForMs } from '../spans.ts';
import { seal, unseal } from '../table.ts';
import { collectionFor } from './collections.ts';
import {
  allOpen,
  detailKey,
  evidenceKey,
  isWhole,
  memberKey,
  msOfId,
  newSummaryId,
  nodeKey,
  nodePrefix,
  noNodes,
  openKey,
  sealDetail,
  sealEvidence,
  sealNode,
  summaryChangesKey,
  summaryKey,
  summaryNameKey,
  summaryPrefix,
  unsealNode,
  withNode,
  withoutNode,
} from './rows.ts';
import {
  collectionIds,
  ForgottenSummaries,
  hasGarbage,
  markGarbage,
  removeEmptyCollections,
  removeSummary,
  summaryNamed,
  sweepStep,
} from './summary-removal.ts';
import { SummaryStage } from './summary-stage.ts';

export interface SummaryWriterOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** The random part of an id: twelve hex digits. */
  readonly newRandom?: () => string;
}

export interface NewSummary {
  readonly hash: string;
  readonly name: string;
  readonly modelKey: string;
  readonly settings: string;
  readonly replaces: boolean;
}

export interface FinishedSummary extends SummaryDetail {
  readonly one_line_summary: string;
  readonly collection: CollectionChoice | null;
}

/** Interrupted summaries that one look for abandoned ones goes through. */
const mostLookedAt = 1000;

export class SummaryWriter {
  readonly #environment: Environment;
  readonly #work: OpenWork;
  readonly #stages = new Set<SummaryStage>();
  readonly #now: () => number;
  readonly #newRandom: () => string;

  constructor(environment: Environment, work: OpenWork, options: SummaryWriterOptions = {}) {
    this.#environment = environment;
    this.#work = work;
    this.#now = options.now ?? Date.now;
    this.#newRandom = options.newRandom ?? (() => randomBytes(6).toString('hex'));
  }

  /**
   * Takes up what was interrupted. SUMMARY_NAME_TAKEN; STORE_IN_USE naming the process when another one
   * writes here.
   */
  begin({ hash, name: given, modelKey, settings, replaces }: NewSummary): SummaryStage {
    const name = plainName(given);
    if (name === '') throw engineErrors.INVALID_MESSAGE('analysis_name is blank');
    const key = openKey(hash, name);
    for (const stage of [...this.#stages]) {
      if (openKey(stage.hash, stage.row.name) === key) this.end(stage);
    }
    return this.#work.begin(() => {
      const { file } = this.#environment;
      this.#environment.refresh();
      const abandoned = this.#abandoned();
      const row = this.#environment.transact((writes) => {
        this.#work.confirmIn(writes);
        for (const entry of abandoned) this.#drop(writes, entry.key, entry.row);
        if (!replaces && summaryNamed(writes, hash, name, file) !== null) throw nameTaken(hash, name);
        const bytes = writes.get(key);
        const before = bytes && readable(() => unseal(OpenSummaryRow, key, bytes, file));
        const keptRow = before?.settings === settings ? before : null;
        if (before && keptRow === null) this.#drop(writes, key, before);
        const touched_ms = this.#now();
        const fresh = { hash_str: hash, settings, token: this.#newId(0), bytes: 0, ...noNodes };
        const now: OpenSummaryRow = { ...fresh, ...keptRow, name, touched_ms };
        writes.put(key, seal(OpenSummaryRow, key, now));
        return now;
      });
      const stage = new SummaryStage(row, modelKey, replaces);
      this.#stages.add(stage);
      return stage;
    });
  }

  #newId(least: number): string {
    return newSummaryId(Math.max(this.#now(), least), this.#newRandom());
  }

  /** Interrupted ones that nobody took up for long. */
  #abandoned(): { readonly key: string; readonly row: OpenSummaryRow }[] {
    const before = this.#now() - keptForMs;
    const open = new Set([...this.#stages].map(({ hash, row }) => openKey(hash, row.name)));
    return this.#environment.someEntries(allOpen, null, mostLookedAt).flatMap(({ key, value }) => {
      const row = readable(() => unseal(OpenSummaryRow, key, value, this.#environment.file));
      return row !== null && row.touched_ms < before && !open.has(key) ? [{ key, row }] : [];
    });
  }

  #drop(writes: Transaction, key: string, { hash_str, token }: OpenSummaryRow): void {
    markGarbage(writes, hash_str, token);
    writes.remove(key);
  }

  /**
   * How many nodes are there now. *Flushed* on return; after an error none of them is. INVALID_MESSAGE,
   * STAGE_LOST.
   */
  append(stage: SummaryStage, nodes: readonly NewSummaryNode[]): number {
    this.#own(stage);
    for (const node of nodes) checkNode(node);
    this.#work.confirm();
    try {
      const key = openKey(stage.hash, stage.row.name);
      stage.row = this.#environment.transact((writes) => {
        this.#work.confirmIn(writes);
        const added = nodes.reduce((row, node) => this.#put(writes, row, node), stage.row);
        const row = { ...added, touched_ms: this.#now() };
        writes.put(key, seal(OpenSummaryRow, key, row));
        return row;
      });
      return stage.row.nodes;
    } catch (error) {
      // One that was kept and is damaged now cannot be replaced, because nobody can tell what it said of its
      // edges.
      if (storeErrors.STORE_DAMAGED.is(error)) this.#forget(stage);
      throw error;
    }
  }

  #put(writes: Transaction, row: OpenSummaryRow, { evidence, ...node }: NewSummaryNode): OpenSummaryRow {
    const { hash_str, token } = row;
    const { file } = this.#environment;
    const key = nodeKey(hash_str, token, node.node_id)!;
    const evidenceAt = evidenceKey(hash_str, token, node.node_id);
    const before = writes.get(key);
    const earlier = before === undefined ? null : unsealNode(key, before, file);
    const freed = (before?.byteLength ?? 0) + (writes.get(evidenceAt)?.byteLength ?? 0);
    const bytes = sealNode(key, node);
    const sealedEvidence = evidence && sealEvidence(evidenceAt, evidence);
    writes.put(key, bytes);
    if (sealedEvidence) writes.put(evidenceAt, sealedEvidence);
    else if (before !== undefined) writes.remove(evidenceAt);
    const sums = withNode(earlier === null ? row : withoutNode(row, earlier), node);
    return {
      ...row,
      ...sums,
      bytes: row.bytes + bytes.byteLength + (sealedEvidence?.byteLength ?? 0) - freed,
    };
  }

  /** A page of the nodes that are there. */
  kept(stage: SummaryStage, after: string | null, limit: number): SummaryNode[] {
    this.#own(stage);
    this.#work.confirm();
    const { hash_str, token } = stage.row;
    const start = after === null ? null : nodeKey(hash_str, token, after);
    const entries = this.#environment.someEntries(nodePrefix(hash_str, token), start, limit);
    try {
      return entries.map(({ key, value }) => unsealNode(key, value, this.#environment.file));
    } catch (error) {
      if (storeErrors.STORE_DAMAGED.is(error)) this.#forget(stage);
      throw error;
    }
  }

  /**
   * *Flushed* on return. Whatever becomes of it the stage is closed; what was appended is kept when it fails.
   */
  commit(
    stage: SummaryStage,
    media: MediaRecord,
    finished: FinishedSummary,
  ): { analysis_id: string; collection_id: string | null } {
    this.#own(stage);
    try {
      if (media.identity.hash_str !== stage.hash) {
        throw engineErrors.INVALID_MESSAGE(`media: ${media.path} is not the file of stage ${stage.hash}`);
      }
      this.#work.confirm();
      this.#requireTree(stage, finished.root_id);
      return this.#publish(stage, media, finished);
    } finally {
      this.end(stage);
    }
  }

  #requireTree({ row }: SummaryStage, root: string): void {
    const { hash_str, token, name, nodes, roots } = row;
    const key = nodeKey(hash_str, token, root);
    const bytes = key === null ? undefined : this.#environment.get(key);
    const isRoot = key && bytes && unsealNode(key, bytes, this.#environment.file).parent_id === null;
    if (isRoot && isWhole(row)) return;
    const what = isRoot
      ? `its ${nodes} nodes have ${roots} roots, or children that are not there`
      : `no root ${root}`;
    throw summaryErrors.NOT_A_TREE(`The summary ${quoted(name)} of ${hash_str}: ${what}`);
  }

  #publish(
    { hash, row, replaces, summaryModel }: SummaryStage,
    media: MediaRecord,
    finished: FinishedSummary,
  ) {
    const { file } = this.#environment;
    const last = this.#environment.lastKey(summaryPrefix(hash));
    const lastMs = last === null ? 0 : msOfId(last.slice(summaryPrefix(hash).length));
    const analysis_id = this.#newId(lastMs + 1);
    const collections = collectionIds(this.#environment);
    const { one_line_summary: one_line, collection, root_id, short_summary, objective, quality } = finished;
    const { name, token, nodes } = row;
    return this.#environment.transact((writes) => {
      this.#work.confirmIn(writes);
      const earlier = summaryNamed(writes, hash, name, file);
      if (earlier !== null && !replaces) throw nameTaken(hash, name);
      if (earlier !== null) {
        removeSummary(writes, { hash_str: hash, analysis_id: earlier }, collections, file);
      }
      const ids = { made_ms: this.#now(), newId: () => this.#newId(0) };
      const collection_id = collection && collectionFor(writes, collection, file, ids);
      const at = detailKey(hash, analysis_id);
      const detail = sealDetail(at, { root_id, short_summary, objective, quality });
      writes.put(at, detail);
      const key = summaryKey(hash, analysis_id);
      const names = { hash_str: hash, analysis_id, name, one_line, collection_id: collection_id ?? '' };
      const sizes = { nodes, bytes: row.bytes + detail.byteLength, stored_ms: this.#now() };
      writes.put(key, seal(FilmSummaryRow, key, { ...names, model_key: summaryModel, token, ...sizes }));
      const nameKey = summaryNameKey(hash, name);
      writes.put(nameKey, seal(SummaryIdRow, nameKey, { id: analysis_id }));
      if (collection_id !== null) {
        const member = memberKey(collection_id, hash, analysis_id);
        writes.put(member, seal(SummaryMemberRow, member, { hash_str: hash, analysis_id, name }));
      }
      writes.remove(openKey(hash, name));
      putMedia(writes, media, this.#environment);
      countChange(writes, summaryChangesKey, file);
      return { analysis_id, collection_id };
    });
  }

  /** Nothing of it stays. */
  drop(stage: SummaryStage): void {
    if (this.#stages.has(stage)) this.#forget(stage);
  }

  #forget(stage: SummaryStage): void {
    try {
      this.#environment.transact((writes) => {
        this.#work.confirmIn(writes);
        this.#drop(writes, openKey(stage.hash, stage.row.name), stage.row);
      });
    } finally {
      this.end(stage);
    }
  }

  /** Keeps the appended data. */
  end(stage: SummaryStage): void {
    if (this.#stages.delete(stage)) this.#work.end(stage);
  }

  #own(stage: SummaryStage): void {
    if (this.#stages.has(stage)) return;
    throw storeErrors.STAGE_LOST(`The summary ${quoted(stage.row.name)} of ${stage.hash} is not open`);
  }

  /** Which of them were there, and the collections that went because they are empty. *Flushed* on return. */
  remove(
    names: readonly SummaryName[],
    emptied: readonly string[],
  ): { removed: boolean[]; collections: string[] } {
    return this.#work.exclusively(() => {
      this.#environment.refresh();
      const collections = collectionIds(this.#environment);
      const confirm = (writes: Transaction) => this.#work.confirmIn(writes);
      const removed = this.#environment.transact((writes) => {
        confirm(writes);
        const { file } = this.#environment;
        countChange(writes, summaryChangesKey, file);
        return names.map((name) => removeSummary(writes, name, collections, file));
      });
      return { removed, collections: removeEmptyCollections(this.#environment, emptied, confirm) };
    });
  }

  /** Removal of the summaries of forgotten contents. Needs the lease. */
  removal(hashes: Iterable<string>): ForgottenSummaries {
    this.#environment.refresh();
    return new ForgottenSummaries(this.#environment, hashes);
  }

  /** One step; true when there is nothing left to free. */
  sweep(): boolean {
    this.#environment.refresh();
    const abandoned = this.#abandoned();
    if (abandoned.length === 0 && !hasGarbage(this.#environment)) return true;
    this.#work.exclusively(() => {
      const confirm = (writes: Transaction) => this.#work.confirmIn(writes);
      if (abandoned.length === 0) return sweepStep(this.#environment, confirm);
      this.#environment.transact((writes) => {
        confirm(writes);
        for (const { key, row } of abandoned) this.#drop(writes, key, row);
      });
    });
    this.#environment.refresh();
    return !hasGarbage(this.#environment);
  }

  close(): void {
    for (const stage of [...this.#stages]) this.end(stage);
  }
}

function nameTaken(hash: string, name: string) {
  const what = `analysis_name: ${hash} already has a summary ${quoted(name)}; set replace_existing to replace it`;
  return summaryErrors.SUMMARY_NAME_TAKEN(what, { field: 'analysis_name' });
}

/** Checks rules beyond the schema. Throws INVALID_MESSAGE. */
function checkNode({
  node_id,
  range,
  child_ids,
  evidence,
  verification_hints,
  parent_id,
  level,
}: NewSummaryNode): void {
  const ranges = [range, ...verification_hints.map(({ affected_range }) => affected_range)];
  const wrong = ranges.some(([start, end]) => start >= end)
    ? 'a range is empty'
    : evidence !== null && child_ids.length > 0
      ? 'only a leaf has evidence'
      : (parent_id === null) !== (level === 0)
        ? 'only the root is at level 0'
        : null;
  if (wrong !== null) throw engineErrors.INVALID_MESSAGE(`nodes: ${node_id}: ${wrong}`);
}
