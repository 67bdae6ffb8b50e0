// An engine whose fake face actor sees people in frames, and the fronts that tell of its tasks.
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
import { facesErrors } from '../../../../../actors/faces/contract.ts';
import type { ModelWork } from '../../../../../actors/models/contract.ts';
import { textReaderErrors } from '../../../../../actors/text-reader/contract.ts';
import { thingsErrors } from '../../../../../actors/things/contract.ts';
import type { ProgressEvent } from '../../../../../events/protocol.ts';
import { createRooms } from '../../../../../events/rooms.ts';
import { noPaths } from '../../../library/fake-roots.ts';
import type { FakeFile } from '../../fake-file.ts';
import { world } from '../../fakes.ts';
import { orders } from '../../no-models.ts';

export const page = { offset: 0, limit: 100 };

export interface EngineOptions {
  readonly home?: string;
  /** Of the process that an engine of a test stands for. */
  readonly token?: string;
  readonly alive?: Set<string>;
  readonly journal?: string;
  /** The people of another engine, which share the disk. */
  readonly people?: Engine['people'];
}

export type Engine = Awaited<ReturnType<typeof faceEngine>>;

export async function faceEngine(t: TestContext, files: readonly FakeFile[], options: EngineOptions = {}) {
  const w = await world(files, { decoders: 1, ...(options.journal && { journal: options.journal }) });
  t.after(() => w.end());
  await w.search.models.load('fake');
  const people = w.state.people;
  if (options.people) {
    const { stored, jobs, labels, shown } = options.people;
    Object.assign(people, { stored, jobs, labels, shown });
  }
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
  const expectModelFor = async (work: ModelWork) => {
    if (work === 'faces' && !people.downloaded)
      throw facesErrors.NO_FACE_MODEL('framehound models pull faces');
    if (work === 'text' && !w.state.text.downloaded)
      throw textReaderErrors.NO_TEXT_MODEL('framehound models pull pp-ocr-v4');
    if (work === 'things' && !w.state.things.downloaded)
      throw thingsErrors.NO_OBJECT_DETECTOR('framehound models pull nanodet-416');
  };
  const preflight = createPreflight({
    kinds,
    analysis,
    models,
    decode: 'exact',
    expectModelFor,
    summaryModel: async () => null,
  });
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
  const cache_dir = join(w.folder, 'cache');
  /** Runs a task to its end; answers its results by path or job. */
  const run = async (request: Partial<TaskRequest>) => {
    const task_id = await begin(request);
    const state = await ended.promise;
    return { task_id, state, ...(await ends(task_id)) };
  };
  const begin = async (request: Partial<TaskRequest>) => {
    ended = Promise.withResolvers<EndState>();
    return (await tasks.start({ cache_dir, ...request })).task_id;
  };
  const ends = async (task_id: string) => {
    const { results, counts } = await tasks.get(task_id, page);
    const of = Object.fromEntries(results.map((result) => [result.path.split('/').at(-1), result]));
    return { of, counts };
  };
  const resume = async (task_id: string) => {
    ended = Promise.withResolvers<EndState>();
    await tasks.resume(task_id);
    return ended.promise;
  };
  const end = () => ended.promise;
  return { w, people, tasks, rooms, emitted, events, cache_dir, run, begin, ends, resume, end };
}

/** A folder that outlives an engine. */
export function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}
