// An engine whose fake summarizer writes by rote, and the fronts that tell of its tasks.
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { TaskRequest } from '../../../../../actors/analysis/contract.ts';
import { modelErrors } from '../../../../../actors/models/contract.ts';
import type { FakeFile } from '../../fake-file.ts';
import { type FakeWorld, world } from '../../fakes.ts';
import { page, type EngineOptions as TaskOptions, taskEngine } from '../task-engine.ts';

interface EngineOptions extends TaskOptions {
  /** Another engine, whose disk this one has. */
  readonly disk?: FakeWorld;
}

export type Engine = Awaited<ReturnType<typeof summaryEngine>>;

export async function summaryEngine(t: TestContext, files: readonly FakeFile[], options: EngineOptions = {}) {
  const w = await world(files, { decoders: 1, ...(options.journal && { journal: options.journal }) });
  t.after(() => w.end());
  await w.search.models.load('fake');
  if (options.disk) copyDisk(options.disk.state, w.state);
  /** Language models that are there. */
  const languages = new Set(['small']);
  const summaryModel = async (key: string | null) => {
    if (key !== null && !languages.has(key)) {
      throw modelErrors.MODEL_NOT_DOWNLOADED(`"${key}": framehound models pull ${key}`);
    }
    return key;
  };
  const cache_dir = join(options.disk?.folder ?? w.folder, 'cache');
  const engine = taskEngine(w, options, { summaryModel, cache_dir });
  /** Results of summaries by name of the file, and counts of all work. */
  const ends = async (task_id: string) => {
    const { results, counts, error } = await engine.tasks.get(task_id, page);
    const own = results.filter(({ type }) => type === 'summary');
    return {
      of: Object.fromEntries(own.map((one) => [one.path.split('/').at(-1) ?? '', one])),
      counts,
      error,
    };
  };
  /** Runs a task to its end. */
  const run = async (request: Partial<TaskRequest>) => {
    const task_id = await engine.begin(request);
    const state = await engine.end();
    return { task_id, state, ...(await ends(task_id)) };
  };
  const resume = async (task_id: string) => {
    const state = await engine.resume(task_id);
    return { state, ...(await ends(task_id)) };
  };
  const { summarizer, summaries } = w.state;
  return { ...engine, summarizer, summaries, languages, run, ends, resume };
}

type State = FakeWorld['state'];

/** Copies the files on the disk, as they are now. */
function copyDisk(from: State, to: State): void {
  const copy = <V>(one: ReadonlyMap<string, V>, other: Map<string, V>) => {
    for (const [key, value] of one) other.set(key, value);
  };
  copy(from.files, to.files);
  copy(from.committed, to.committed);
  copy(from.media, to.media);
  copy(from.spans, to.spans);
  copy(from.transcripts, to.transcripts);
  copy(from.summaries.stored, to.summaries.stored);
  for (const [key, kept] of from.summaries.kept) {
    to.summaries.kept.set(key, { ...kept, nodes: new Map(kept.nodes) });
  }
}

/** Summaries of paths, looked at in the same task. */
export function summaryOf(
  paths: readonly string[],
  more: Record<string, unknown> = {},
): Partial<TaskRequest> {
  return {
    visual_media_paths: [...paths],
    summary_requests: paths.map((path) => ({ path, replace_existing: false, ...more })),
  };
}
