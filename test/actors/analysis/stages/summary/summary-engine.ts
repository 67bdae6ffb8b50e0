// An engine whose fake summarizer writes by rote, and the fronts that tell of its tasks.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { TaskEvent, TaskRequest } from '../../../../../actors/analysis/contract.ts';
import { stageKinds as kinds } from '../../../../../actors/analysis/stages/kinds.ts';
import type { EndState } from '../../../../../actors/analysis/tasks/contract.ts';
import { createPreflight } from '../../../../../actors/analysis/tasks/preflight.ts';
import { TaskRecords } from '../../../../../actors/analysis/tasks/records.ts';
import { TaskRegistry } from '../../../../../actors/analysis/tasks/tasks.ts';
import { modelErrors } from '../../../../../actors/models/contract.ts';
import type { ProgressEvent } from '../../../../../events/protocol.ts';
import { createRooms } from '../../../../../events/rooms.ts';
import { noPaths } from '../../../library/fake-roots.ts';
import type { FakeFile } from '../../fake-file.ts';
import { world } from '../../fakes.ts';
import { expectFaceModel, orders } from '../../no-models.ts';

const page = { offset: 0, limit: 100 };

export interface EngineOptions {
  readonly home?: string;
  /** Of the process that an engine of a test stands for. */
  readonly token?: string;
  readonly alive?: Set<string>;
  readonly journal?: string;
  /** Another engine, whose disk this one has. */
  readonly disk?: World;
}

export type Engine = Awaited<ReturnType<typeof summaryEngine>>;
type World = Awaited<ReturnType<typeof world>>;

export async function summaryEngine(t: TestContext, files: readonly FakeFile[], options: EngineOptions = {}) {
  const w = await world(files, { decoders: 1, ...(options.journal && { journal: options.journal }) });
  t.after(() => w.end());
  await w.search.models.load('fake');
  if (options.disk) copyDisk(options.disk.state, w.state);
  const { token = 'one', alive = new Set(['one']), home = w.folder } = options;
  const self = { pid: 1, started: '', host: 'here', token };
  const hasEnded = (owner: { token: string }) => !alive.has(owner.token);
  const { analysis, clock, log } = w;
  const now = () => 1_000_000 + clock.now() / 1000;
  const records = new TaskRecords({
    folder: join(home, 'tasks'),
    kinds,
    self,
    now,
    log,
    hasEnded,
    paths: noPaths,
  });
  const { models } = w.search;
  const expectModelFor = expectFaceModel;
  /** Language models that are there. */
  const languages = new Set(['small']);
  const summaryModel = async (key: string | null) => {
    if (key !== null && !languages.has(key)) {
      throw modelErrors.MODEL_NOT_DOWNLOADED(`"${key}": framehound models pull ${key}`);
    }
    return key;
  };
  const request = { expectModelFor, summaryModel };
  const preflight = createPreflight({ kinds, analysis, models, decode: 'exact', ...request });
  let ids = 0;
  const newTaskId = () => `${token}-${++ids}`;
  const tasks = new TaskRegistry({ analysis, preflight, kinds, orders, records, clock, log, now, newTaskId });
  const emitted: ProgressEvent[] = [];
  const rooms = createRooms({ clock, everyMs: 0, emit: (event) => emitted.push(event) });
  const events: TaskEvent[] = [];
  let ended = Promise.withResolvers<EndState>();
  tasks.subscribe((task_id, event) => {
    rooms.publish(task_id, event);
    events.push(event);
    if (event.type === 'end') ended.resolve(event.state);
  });
  const cache_dir = join(options.disk?.folder ?? w.folder, 'cache');
  const begin = async (request: Partial<TaskRequest>) => {
    ended = Promise.withResolvers<EndState>();
    return (await tasks.start({ cache_dir, ...request })).task_id;
  };
  /** By name of the file: the results of summaries, and counts of all work. */
  const ends = async (task_id: string) => {
    const { results, counts, error } = await tasks.get(task_id, page);
    const own = results.filter(({ type }) => type === 'summary');
    return {
      of: Object.fromEntries(own.map((one) => [one.path.split('/').at(-1) ?? '', one])),
      counts,
      error,
    };
  };
  /** Runs a task to its end. */
  const run = async (request: Partial<TaskRequest>) => {
    const task_id = await begin(request);
    const state = await ended.promise;
    return { task_id, state, ...(await ends(task_id)) };
  };
  const resume = async (task_id: string) => {
    ended = Promise.withResolvers<EndState>();
    await tasks.resume(task_id);
    return { state: await ended.promise, ...(await ends(task_id)) };
  };
  const { summarizer, summaries } = w.state;
  const fronts = { tasks, emitted, events, cache_dir };
  return {
    w,
    summarizer,
    summaries,
    languages,
    ...fronts,
    run,
    begin,
    ends,
    resume,
    end: () => ended.promise,
  };
}

type State = World['state'];

/** What lies on the disk, as it is now. */
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

/** A folder that outlives an engine. */
export function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
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
