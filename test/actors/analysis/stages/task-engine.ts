import { join } from 'node:path';
import type { Analysis, TaskEvent, TaskRequest } from '../../../../actors/analysis/contract.ts';
import { stageKinds } from '../../../../actors/analysis/stages/kinds.ts';
import type { EndState } from '../../../../actors/analysis/tasks/contract.ts';
import { createPreflight, type PreflightParts } from '../../../../actors/analysis/tasks/preflight.ts';
import { TaskRecords } from '../../../../actors/analysis/tasks/records.ts';
import { TaskRegistry } from '../../../../actors/analysis/tasks/tasks.ts';
import type { ProgressEvent } from '../../../../events/protocol.ts';
import { createRooms } from '../../../../events/rooms.ts';
import { noPaths } from '../../library/fake-roots.ts';
import type { FakeWorld } from '../fakes.ts';
import { expectFaceModel, orders } from '../no-models.ts';

export const page = { offset: 0, limit: 100 };

export interface EngineOptions {
  readonly home?: string;
  /** Token of the process that an engine of a test stands for. */
  readonly token?: string;
  readonly alive?: Set<string>;
  readonly journal?: string;
}

/** What an engine has that others do not; the rest is that of the world, and no models to download. */
type Parts = Partial<
  Pick<PreflightParts, 'kinds' | 'expectModelFor' | 'summaryModel'> & {
    analysis: Analysis;
    orders: typeof orders;
    cache_dir: string;
  }
>;

export function taskEngine(w: FakeWorld, options: EngineOptions, parts: Parts = {}) {
  const { token = 'one', alive = new Set(['one']), home = w.folder } = options;
  const own = {
    kinds: stageKinds,
    analysis: w.analysis,
    orders,
    cache_dir: join(w.folder, 'cache'),
    expectModelFor: expectFaceModel,
    summaryModel: async () => null,
    ...parts,
  };
  const { kinds, cache_dir } = own;
  const { clock, log } = w;
  const now = () => 1_000_000 + clock.now() / 1000;
  const records = new TaskRecords({
    folder: join(home, 'tasks'),
    kinds,
    self: { pid: 1, started: '', host: 'here', token },
    now,
    log,
    hasEnded: (owner: { token: string }) => !alive.has(owner.token),
    paths: noPaths,
  });
  const preflight = createPreflight({ ...own, models: w.search.models, decode: 'exact' });
  let ids = 0;
  const newTaskId = () => `${token}-${++ids}`;
  const tasks = new TaskRegistry({ ...own, preflight, records, clock, log, now, newTaskId });
  const emitted: ProgressEvent[] = [];
  const rooms = createRooms({ clock, kinds, everyMs: 0, emit: (event) => emitted.push(event) });
  const events: TaskEvent[] = [];
  let ended = Promise.withResolvers<EndState>();
  tasks.subscribe((task_id, event) => {
    rooms.publish(task_id, event);
    events.push(event);
    if (event.type === 'end') ended.resolve(event.state);
  });
  const begin = async (request: Partial<TaskRequest>) => {
    ended = Promise.withResolvers<EndState>();
    return (await tasks.start({ cache_dir, ...request })).task_id;
  };
  const resume = async (task_id: string) => {
    ended = Promise.withResolvers<EndState>();
    await tasks.resume(task_id);
    return ended.promise;
  };
  /** How the task that was begun or resumed last ends. */
  const end = () => ended.promise;
  return { w, tasks, rooms, emitted, events, cache_dir, begin, resume, end };
}
