// One summary of one file: hands what is stored to the summarizer, has it write node by node, keeps each as
// it comes, and makes the whole visible at once. What an interrupted one has written is taken up where it was
// made of the same.
import { engineErrors } from '../../../../runtime/errors.ts';
import type { AskOptions } from '../../../../runtime/ref.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import { mostNodesOfMessage, type SummaryNode, summaryErrors } from '../../../index/summaries/contract.ts';
import { mostNodesOfTurn, type PlannedNode } from '../../../summarizer/contract.ts';
import type { IndexActor, SummarizerActor } from '../parts.ts';
import {
  type Concepts,
  type EvidenceSources,
  EvidenceSum,
  type StoredEvidence,
  spokenPages,
  type VectorReply,
} from './evidence.ts';
import { templatesKey } from './kind.ts';
import type { SummaryJob } from './request.ts';

export type SummaryStep =
  | 'loading_model'
  | 'preparing_evidence'
  | 'generating_observations'
  | 'generating_summary'
  | 'generating_short_summary';

export interface FilmSummaryParts {
  readonly index: IndexActor;
  readonly summarizer: SummarizerActor;
  readonly concepts: Concepts;
  readonly evidence: StoredEvidence;
  readonly cache_dir: string;
  readonly signal: AbortSignal;
}

export interface FilmWork {
  readonly media: MediaRecord;
  readonly seconds: number;
  readonly job: SummaryJob;
  readonly sources: EvidenceSources;
  /** The visual model in use. */
  readonly inUse: string | null;
  readonly replaces: boolean;
  tell(step: SummaryStep, node: string | null): void;
  /** Reports the written share of the summary, 0 to 1. */
  wrote(fraction: number): void;
}

export interface MadeSummary {
  readonly analysis_id: string;
  readonly collection_id: string | null;
  readonly nodes: number;
  readonly failed_nodes: number;
  readonly warnings: readonly string[];
}

interface Outline {
  readonly nodes: readonly PlannedNode[];
  readonly root_id: string;
}

export class FilmSummary {
  readonly #parts: FilmSummaryParts;
  readonly #work: FilmWork;
  readonly #sum = new EvidenceSum();
  readonly #warnings: string[];
  #settings = '';
  #withoutPicture = 0;
  #film = -1;
  #stage: number | null = null;

  constructor(parts: FilmSummaryParts, work: FilmWork) {
    this.#parts = parts;
    this.#work = work;
    this.#warnings = [...work.sources.warnings];
  }

  get #call(): AskOptions {
    return { signal: this.#parts.signal };
  }

  async make(): Promise<MadeSummary> {
    const { summarizer, index } = this.#parts;
    const { job, tell } = this.#work;
    if (job.model_key !== null) {
      tell('loading_model', null);
      await summarizer.ask('load', { model_key: job.model_key }, this.#call);
    }
    tell('preparing_evidence', null);
    try {
      await this.#open();
      const outline = await summarizer.ask('outline', { film: this.#film }, this.#call);
      const written = await this.#takeUp(outline);
      await this.#write(outline, written);
      return await this.#commit(outline);
    } finally {
      if (this.#stage !== null) {
        await index.ask('abort_summary', { stage: this.#stage, keep: true }).catch(() => {});
      }
      if (this.#film >= 0) await summarizer.ask('close_film', { film: this.#film }).catch(() => {});
    }
  }

  async #open(): Promise<void> {
    const { summarizer, evidence } = this.#parts;
    const { media, seconds, job, sources } = this.#work;
    const first = sources.model === null ? null : await evidence.vectors(media, sources.model, 0, this.#call);
    if (sources.model !== null && first === null) this.#warnings.push(damagedVectors);
    const { objective } = job;
    const request = {
      seconds,
      duration_seconds: media.probe.duration_seconds,
      has_sound: media.probe.audio.length > 0,
      kind: media.probe.kind,
      language: sources.transcript?.mark.spoken ?? 'und',
      objective,
      visual_model:
        sources.model !== null && first ? { model_key: sources.model, dimensions: first.dimensions } : null,
      instructions: first ? await this.#instructions(first.dimensions) : null,
      language_model: job.model_key,
    };
    const transfer = request.instructions ? [request.instructions.buffer] : [];
    // Not cancellable: what was opened has to be known here, or nobody would close it.
    this.#film = (await summarizer.ask('open_film', request, { transfer })).film;
    if (first) await this.#addVectors(first);
    const film = this.#film;
    const pages = sources.transcript ? spokenPages(sources.transcript) : [];
    for (const segments of pages) await summarizer.ask('add_words', { film, segments }, this.#call);
    if (sources.people.length > 0) {
      await summarizer.ask('add_people', { film, people: [...sources.people] }, this.#call);
    }
    const sights = { things: [...sources.things], lines: [...sources.lines] };
    if (sights.things.length + sights.lines.length > 0) {
      await summarizer.ask('add_sights', { film, ...sights }, this.#call);
    }
  }

  /**
   * The custom instructions as the model in use understands them; null where it cannot. Brings the lexicon
   * with it.
   */
  async #instructions(dimensions: number): Promise<Float32Array<ArrayBuffer> | null> {
    const { concepts } = this.#parts;
    const { sources, inUse, job } = this.#work;
    if (inUse === null || sources.model !== inUse) return null;
    await concepts.prepare(inUse, dimensions, this.#call);
    const { custom_instructions: text } = job.objective;
    if (text === null) return null;
    const vector = await concepts.textVectors(inUse, [text], this.#call);
    return vector.some((value) => value !== 0) ? new Float32Array(vector) : null;
  }

  async #addVectors(first: VectorReply): Promise<void> {
    const { summarizer, evidence } = this.#parts;
    const { media, sources } = this.#work;
    for (let page: VectorReply | null = first; page !== null; ) {
      const { dimensions: _, next, ...added } = page;
      this.#sum.add(page);
      const transfer = Object.values(added).map(({ buffer }) => buffer as ArrayBuffer);
      if (added.frames.length > 0) {
        await summarizer.ask('add_vectors', { film: this.#film, ...added }, { ...this.#call, transfer });
      }
      if (next === null) return;
      page = await evidence.vectors(media, sources.model ?? '', next, this.#call);
    }
    this.#warnings.push(damagedVectors);
  }

  /** Begins the summary in the store; answers the nodes that an interrupted one has written of the same. */
  async #takeUp({ nodes }: Outline): Promise<Set<string>> {
    const { job, sources } = this.#work;
    this.#settings = this.#sum.settings(sources, {
      objective: job.objective,
      language_model: job.model_key,
      warnings: this.#warnings,
    });
    const planned = new Set(nodes.map(({ node_id }) => node_id));
    let savedNodes = await this.#begin();
    if (savedNodes.some(({ node_id }) => !planned.has(node_id))) {
      // Nodes of another outline would never form a whole tree with these.
      await this.#drop();
      savedNodes = await this.#begin();
    }
    for (let at = 0; at < savedNodes.length; at += mostNodesOfMessage) {
      const some = savedNodes.slice(at, at + mostNodesOfMessage);
      const texts = some.map(({ node_id, text, failed }) => ({ node_id, text, failed }));
      await this.#parts.summarizer.ask('take_up', { film: this.#film, nodes: texts }, this.#call);
    }
    if (savedNodes.length > 0) this.#work.wrote(savedNodes.length / nodes.length);
    return new Set(savedNodes.map(({ node_id }) => node_id));
  }

  async #begin(): Promise<SummaryNode[]> {
    const { index, cache_dir } = this.#parts;
    const { media, job, replaces } = this.#work;
    const { analysis_name } = job;
    const { hash_str } = media.identity;
    const model_key = job.model_key ?? templatesKey;
    const request = {
      cache_dir,
      hash_str,
      analysis_name,
      model_key,
      settings: this.#settings,
      replace_existing: replaces,
    };
    // Not cancellable: what was begun has to be known here, or nobody would end it.
    const { stage, stored_nodes } = await index.ask('begin_summary', request);
    this.#stage = stage;
    const nodes: SummaryNode[] = [];
    let after: string | null = null;
    while (stored_nodes > 0) {
      const limit = mostNodesOfMessage;
      const page: { nodes: SummaryNode[]; next: string | null } = await index.ask(
        'kept_nodes',
        { stage, after, limit },
        this.#call,
      );
      nodes.push(...page.nodes);
      after = page.next;
      if (after === null) break;
    }
    return nodes;
  }

  /** Nothing of what was written is kept. A stage that has ended is begun once more for that. */
  async #drop(): Promise<void> {
    const { index } = this.#parts;
    if (this.#stage !== null) await index.ask('abort_summary', { stage: this.#stage, keep: false });
    this.#stage = null;
  }

  /** In the planned order, so that children come before their parents. */
  async #write({ nodes }: Outline, written: Set<string>): Promise<void> {
    const { index, summarizer } = this.#parts;
    const remainingNodes = nodes.filter(({ node_id }) => !written.has(node_id));
    // A language model takes long for each, and looks at pictures; templates do not.
    const together = this.#work.job.model_key === null ? mostNodesOfTurn : 1;
    for (let at = 0; at < remainingNodes.length; at += together) {
      const some = remainingNodes.slice(at, at + together);
      const [first] = some;
      if (first) this.#work.tell(first.stage, first.node_id);
      const nodesToWrite: { node_id: string; pictures: Picture[] }[] = [];
      for (const node of some) {
        nodesToWrite.push({ node_id: node.node_id, pictures: await this.#pictures(node) });
      }
      const transfer = nodesToWrite.flatMap(({ pictures }) =>
        pictures.map(({ jpeg }) => jpeg.buffer as ArrayBuffer),
      );
      const result = await summarizer.ask(
        'write',
        { film: this.#film, nodes: nodesToWrite },
        { ...this.#call, transfer },
      );
      // Not cancellable: what was written is worth keeping.
      await index.ask('append_nodes', { stage: this.#stage ?? -1, nodes: result.nodes });
      this.#work.wrote(some.length / nodes.length);
    }
  }

  async #pictures({ frames }: PlannedNode): Promise<Picture[]> {
    if (frames.length === 0) return [];
    const { index, cache_dir } = this.#parts;
    const { hash_str } = this.#work.media.identity;
    const frameKeys = frames.map((frame_index) => ({ hash_str, frame_index }));
    const { previews } = await index.ask('previews', { cache_dir, frames: frameKeys }, this.#call);
    const pictures = frames.flatMap((frame_idx, i) => {
      const jpeg = previews[i];
      return jpeg ? [{ frame_idx, jpeg }] : [];
    });
    this.#withoutPicture += frames.length - pictures.length;
    return pictures;
  }

  async #commit({ nodes, root_id }: Outline): Promise<MadeSummary> {
    const { index, summarizer } = this.#parts;
    const { media, job, tell } = this.#work;
    tell('generating_short_summary', null);
    if (this.#withoutPicture > 0) {
      this.#warnings.push(`${this.#withoutPicture} stored pictures cannot be read and were not used.`);
    }
    const warnings = this.#warnings;
    const whole = await summarizer.ask('conclude', { film: this.#film, warnings }, this.#call);
    const { collection, objective } = job;
    const stage = this.#stage ?? -1;
    if (this.#parts.signal.aborted) throw engineErrors.CANCELLED(`${media.path}: was not finished`);
    const summary = { ...whole, objective, root_id };
    try {
      // Not cancellable: a commit that was begun is finished, and what is finished stays.
      const result = await index.ask('commit_summary', { stage, media, collection, ...summary });
      this.#stage = null;
      return { ...result, nodes: nodes.length, failed_nodes: whole.quality.failed_node_count, warnings };
    } catch (error) {
      // The saved nodes would never form a whole tree.
      if (summaryErrors.NOT_A_TREE.is(error)) await this.#begin().then(() => this.#drop());
      throw error;
    }
  }
}

interface Picture {
  readonly frame_idx: number;
  readonly jpeg: Uint8Array;
}

const damagedVectors = 'The visual analysis is damaged, and parts of it were not used.';
