// The tasks that run or wait, as the service tells of them while they do. The list is read when a person
// signs in, when the service comes back, and now and then, because others start tasks, too.
import { io, type Socket } from 'socket.io-client';
import type { ClientEvents, ProgressEvent, ServerEvents } from '../../../events/protocol.ts';
import { api } from './api.ts';
import { loadFolder } from './folder.ts';
import { taskName } from './parts/task-words.ts';
import { get, subscribe, type Task, update } from './store.ts';
import { isAnalysis } from './task-kinds.ts';

const READ_EVERY_MS = 10_000;
type Listener = (event: ProgressEvent) => void;
const listeners = new Set<Listener>();
const joined = new Set<string>();
let socket: Socket<ServerEvents, ClientEvents> | null = null;

/** Every event of every task that runs. Answers the function that ends it. */
export function onProgress(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Also to be called when this page has started a task. */
export async function readTasks(): Promise<void> {
  if (get().session === null || get().service === 'away') return;
  const { tasks } = await api.listTasks();
  const running = tasks.filter(({ ended }) => ended === null);
  const analyses = tasks.filter(({ request }) => isAnalysis(request.types));
  seeEnds(analyses.map(({ ended }) => ended ?? 0));
  update(({ tasks: before }) => ({
    tasks: running.map((one): Task => {
      const { task_id, state, progress, counts, estimated_remaining_seconds: remaining_seconds } = one;
      const { queue_position, waits_for } = one;
      const path = before.find((known) => known.task_id === task_id)?.path ?? null;
      return {
        task_id,
        state,
        name: taskName(one.request),
        queue_position,
        waits_for,
        progress,
        files: counts.files,
        files_done: counts.done,
        path,
        remaining_seconds,
      };
    }),
  }));
  for (const { task_id } of running) join(task_id);
}

/** Unix seconds of the latest end of an analysis; null before the list was read. */
let latestEnd: number | null = null;

/**
 * What any client had analysed is there to be found: also of a task that was over before this page heard of
 * it.
 */
function seeEnds(ends: readonly number[]): void {
  const before = latestEnd;
  latestEnd = Math.max(0, ...ends);
  if (before !== null && latestEnd > before) void loadFolder();
}

function join(task_id: string): void {
  if (joined.has(task_id)) return;
  joined.add(task_id);
  connection().emit('join', task_id);
}

function connection(): Socket<ServerEvents, ClientEvents> {
  if (socket) return socket;
  const made: Socket<ServerEvents, ClientEvents> = io({ reconnectionDelayMax: 3000 });
  made.on('connect', () => {
    for (const task_id of joined) made.emit('join', task_id);
  });
  made.on('disconnect', (reason) => {
    // The package does not connect again by itself when the service has closed the connection.
    if (reason === 'io server disconnect') made.connect();
    // Asking tells whether the service has gone.
    void readTasks().catch(() => {});
  });
  made.on('progress', hear);
  socket = made;
  return made;
}

function hear(event: ProgressEvent): void {
  for (const listener of [...listeners]) listener(event);
  const { task_id, done } = event;
  if (done) joined.delete(task_id);
  update(({ tasks }) => ({
    tasks: tasks
      .filter((one) => !(done && one.task_id === task_id))
      .map((one) => (one.task_id === task_id ? changed(one, event) : one)),
  }));
  // A task has an end for each kind of work.
  if (done) void readTasks().catch(() => {});
}

function changed(task: Task, event: ProgressEvent): Task {
  const { queue_position = null, waits_for = null } = event;
  const state = queue_position !== null ? 'queued' : task.state === 'queued' ? 'running' : task.state;
  return {
    ...task,
    state,
    queue_position,
    waits_for,
    progress: Math.max(task.progress, Math.min(100, Number(event.progress) || 0)),
    path: event.video_path ?? task.path,
    files: event.files ?? task.files,
    files_done: event.files_done ?? task.files_done,
    remaining_seconds: event.estimated_remaining_seconds ?? task.remaining_seconds,
  };
}

export function watchTasks(): void {
  const read = () => readTasks().catch(() => {});
  let { session, returns } = get();
  subscribe(() => {
    const now = get();
    if (now.session === session && now.returns === returns) return;
    ({ session, returns } = now);
    void read();
  });
  setInterval(() => document.visibilityState === 'visible' && void read(), READ_EVERY_MS);
  void read();
}
