// The summary stage: of every file one summary after the other, each made of what is stored and visible when
// it is whole.
import { createHash } from 'node:crypto';
import { engineErrors, toFields } from '../../../../runtime/errors.ts';
import type { AskOptions } from '../../../../runtime/ref.ts';
import { quoted } from '../../../../runtime/text.ts';
import { sweepInSteps } from '../../../index/store/compact-in-steps.ts';
import type { MediaRecord, SpanKey } from '../../../index/store/contract.ts';
import { type HeldSummary, summaryErrors } from '../../../index/summaries/contract.ts';
import { foldName } from '../../../index/summaries/fold-name.ts';
import { summaryRef } from '../../../summarizer/stored/summary-ref.ts';
import { summariesOf } from '../../media/summarized.ts';
import type { IndexActor, SummarizerActor } from '../parts.ts';
import type { FileWork, ResultFacts, Stage, StageRun, StartedWork } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import { Concepts, type EvidenceSources, StoredEvidence } from './evidence.ts';
import { FilmSummary } from './film.ts';
import { gridSeconds, type SummaryFacts, summaryKind, summarySeconds, templatesKey } from './kind.ts';
import type { SummaryItem, SummaryJob } from './request.ts';

export const summaryStage: Stage<SummaryItem> = {
  kind: summaryKind,
  journal: 'summary',
  reads: 'stored',
  open: async (task) => {
    const { summarizer } = task.parts;
    if (!summarizer) throw engineErrors.INTERNAL('an engine that only searches was asked for summaries');
    return new SummaryRun(task, summarizer);
  },
};

class SummaryRun implements StageRun<SummaryItem> {
  readonly #task: TaskContext;
  readonly #summarizer: SummarizerActor;
  readonly #concepts: Concepts;
  readonly #evidence: StoredEvidence;
  readonly #marks: SummaryMarks;
  /** Facts about the summaries of each file, by path. */
  readonly #facts = new Map<string, readonly SummaryFacts[]>();
  /** Lets visual searches go on; null before the first file is worked on. */
  #end: (() => void) | null = null;
  #hasLoaded = false;

  constructor(task: TaskContext, summarizer: SummarizerActor) {
    const { parts, request, run } = task;
    const { cache_dir } = request;
    this.#task = task;
    this.#summarizer = summarizer;
    this.#concepts = new Concepts({ ...parts, summarizer }, cache_dir);
    this.#evidence = new StoredEvidence(parts.index, cache_dir);
    this.#marks = new SummaryMarks({ index: parts.index, cache_dir, task_id: run.task_id });
    void task.results.ended(summaryKind.type).then(() => this.#end?.());
  }

  /** Names too: several tasks may want others of the same content. */
  modelOf({ jobs }: SummaryItem): string {
    const whole = JSON.stringify(jobs.map(({ analysis_name, model_key }) => [analysis_name, model_key]));
    return createHash('sha256').update(whole).digest('hex').slice(0, 16);
  }

  applies(): boolean {
    return true;
  }

  /** Only what an earlier run of this task finished: any other summary of that name is in the way. */
  async isStored(media: MediaRecord, { path, jobs }: SummaryItem): Promise<boolean> {
    if (!this.#wasFinished(path)) return false;
    const summaries = await this.#held(media);
    const jobSummaries = jobs.flatMap(({ analysis_name }) => named(summaries, analysis_name) ?? []);
    this.#facts.set(path, jobSummaries.map(storedFacts));
    return jobSummaries.length === jobs.length;
  }

  #wasFinished(path: string): boolean {
    return this.#task.run.earlier?.finished(summaryKind.type, path) === true;
  }

  storedFacts({ path }: MediaRecord): ResultFacts {
    return { summaries: this.#facts.get(path) ?? [] };
  }

  failedFacts({ path }: SummaryItem): ResultFacts {
    return { summaries: this.#facts.get(path) ?? [] };
  }

  async work(file: FileWork<SummaryItem>): Promise<StartedWork> {
    const { parts } = this.#task;
    const { media, item } = file;
    // Until the last file has ended, also while the next ones are still being analysed.
    this.#end ??= parts.summarizing.begin();
    this.#facts.set(item.path, []);
    const evidence = await this.#evidence.of(media, parts.models.state.model_key, { signal: file.signal });
    const { model, transcript, people } = evidence;
    if (model === null && transcript === null && people.length === 0) {
      return { finished: Promise.resolve(null) };
    }
    let failure: unknown = null;
    for (const job of item.jobs) {
      await this.#make(file, job, evidence).catch((error: unknown) => {
        this.#add(item.path, failedFacts(job, error));
        // A fault of one summary does not prevent the others.
        if (!isOfOne(error)) throw error;
        failure ??= error;
      });
    }
    if (failure !== null) throw failure;
    for (const { analysis_name } of item.jobs) this.#marks.done(media, analysis_name);
    return { finished: Promise.resolve({ summaries: this.#facts.get(item.path) ?? [] }) };
  }

  async #make(file: FileWork<SummaryItem>, job: SummaryJob, evidence: EvidenceSources): Promise<void> {
    const { media, item, signal, worked, tell } = file;
    const { parts, request } = this.#task;
    const { analysis_name: name } = job;
    const replaces = job.replace_existing || request.force;
    const share = summarySeconds(media) / item.jobs.length;
    const summaries = await this.#held(media);
    const ownSummary = await this.#own(media, job, summaries);
    if (ownSummary) {
      worked(share);
      return this.#add(item.path, storedFacts(ownSummary));
    }
    const namesake = named(summaries, name);
    if (namesake && !replaces) throw nameTaken(media.path, namesake.analysis_name);
    await this.#marks.note(media, name, namesake?.analysis_id ?? null);
    this.#hasLoaded ||= job.model_key !== null;
    const shared = { index: parts.index, summarizer: this.#summarizer, cache_dir: request.cache_dir };
    const film = new FilmSummary(
      { ...shared, concepts: this.#concepts, evidence: this.#evidence, signal },
      {
        media,
        job,
        sources: evidence,
        replaces,
        seconds: gridSeconds(media),
        inUse: parts.models.state.model_key,
        tell,
        wrote: (fraction) => worked(share * fraction),
      },
    );
    const { warnings, ...result } = await film.make();
    const identity = { hash_str: media.identity.hash_str, analysis_id: result.analysis_id };
    this.#add(item.path, {
      ...factsOf(job, 'analyzed'),
      ...result,
      summary_ref: summaryRef(identity),
      ...(warnings.length > 0 && { warning: warnings.join(' ') }),
    });
  }

  #add(path: string, facts: SummaryFacts): void {
    this.#facts.set(path, [...(this.#facts.get(path) ?? []), facts]);
  }

  async #held({ identity }: MediaRecord): Promise<HeldSummary[]> {
    const { parts, request, signal } = this.#task;
    return summariesOf(parts.index, request.cache_dir, [identity.hash_str], { signal });
  }

  /** The one of that name, if this task made it. */
  async #own(
    media: MediaRecord,
    job: SummaryJob,
    summaries: readonly HeldSummary[],
  ): Promise<HeldSummary | null> {
    const namesake = named(summaries, job.analysis_name);
    // The notes of files that were finished are forgotten.
    if (!namesake || this.#wasFinished(media.path)) return namesake ?? null;
    const before = await this.#marks.before(media, job.analysis_name, { signal: this.#task.signal });
    return before !== undefined && before !== namesake.analysis_id ? namesake : null;
  }

  /** A language model takes much memory, and is used by nobody else. */
  async close(): Promise<void> {
    const { parts, request, signal } = this.#task;
    this.#end?.();
    await this.#marks.forget();
    if (this.#end) await sweepInSteps(parts.index, request.cache_dir, signal);
    if (!this.#hasLoaded) return;
    await this.#summarizer.ask('unload', {}).catch((error) => {
      parts.log.warn('the language model cannot be freed', { error });
    });
  }
}

function named(summaries: readonly HeldSummary[], name: string): HeldSummary | undefined {
  return summaries.find(({ analysis_name }) => foldName(analysis_name) === foldName(name));
}

function nameTaken(path: string, name: string) {
  const what = `${path}: already has a summary ${quoted(name)}; set replace_existing to replace it`;
  return summaryErrors.SUMMARY_NAME_TAKEN(what, { field: 'analysis_name' });
}

function isOfOne(error: unknown): boolean {
  return [summaryErrors.SUMMARY_NAME_TAKEN, summaryErrors.UNKNOWN_COLLECTION].some((row) => row.is(error));
}

function factsOf({ analysis_name, model_key }: SummaryJob, outcome: SummaryFacts['outcome']): SummaryFacts {
  const none = { summary_ref: null, analysis_id: null, collection_id: null, nodes: 0, failed_nodes: 0 };
  return { analysis_name, outcome, ...none, summary_model_key: model_key ?? templatesKey };
}

function failedFacts(job: SummaryJob, error: unknown): SummaryFacts {
  const { code, message } = toFields(error);
  return { ...factsOf(job, code === 'CANCELLED' ? 'cancelled' : 'failed'), error: message };
}

function storedFacts({ model_key, nodes, collection_id, ...summary }: HeldSummary): SummaryFacts {
  const { analysis_name, analysis_id } = summary;
  const facts = { analysis_name, analysis_id, collection_id, nodes, summary_model_key: model_key };
  return { ...facts, outcome: 'stored', summary_ref: summaryRef(summary), failed_nodes: 0 };
}

// Summaries that a task has stored itself. Before it makes a summary it notes which one has the name, so that
// a later run of the same task, or another attempt, recognises the summary as its own even if the engine
// ended before it could record the result.

const prefix = 'before:';

interface MarkParts {
  readonly index: IndexActor;
  readonly cache_dir: string;
  readonly task_id: string;
}

class SummaryMarks {
  readonly #parts: MarkParts;
  /** To be forgotten when the results are recorded. */
  readonly #done: SpanKey[] = [];

  constructor(parts: MarkParts) {
    this.#parts = parts;
  }

  /**
   * Id of the summary that had the name before this task; null for none, undefined when nothing was noted.
   */
  async before(media: MediaRecord, name: string, call: AskOptions): Promise<string | null | undefined> {
    const { index, cache_dir } = this.#parts;
    const span = this.#keyOf(media, name);
    const { spans } = await index.ask('kept_spans', { cache_dir, span }, call);
    const bytes = spans.at(0)?.bytes;
    const text = bytes && new TextDecoder().decode(bytes);
    if (!text?.startsWith(prefix)) return undefined;
    return text.slice(prefix.length) || null;
  }

  /** *Flushed* when answered. */
  async note(media: MediaRecord, name: string, before: string | null): Promise<void> {
    const { index, cache_dir } = this.#parts;
    const bytes = new TextEncoder().encode(`${prefix}${before ?? ''}`);
    const span = this.#keyOf(media, name);
    await index.ask('keep_span', { cache_dir, span, position: 0, bytes }, { transfer: [bytes.buffer] });
  }

  done(media: MediaRecord, name: string): void {
    this.#done.push(this.#keyOf(media, name));
  }

  /** Removes the notes of finished work. Never rejects: a remaining note does not affect other tasks. */
  async forget(): Promise<void> {
    const { index, cache_dir } = this.#parts;
    for (const span of this.#done.splice(0)) {
      await index.ask('forget_spans', { cache_dir, span }).catch(() => {});
    }
  }

  #keyOf({ path, identity }: MediaRecord, name: string): SpanKey {
    const digest = createHash('sha256').update(foldName(name)).digest('hex').slice(0, 32);
    const { hash_str } = identity;
    return { stage: 'summary', hash_str, model_key: digest, path, settings: '', ...this.#own };
  }

  get #own() {
    return { task_id: this.#parts.task_id, task_only: true };
  }
}
