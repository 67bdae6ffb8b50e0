// The tasks that run or wait, as the service tells of them while they do. The list is read when a person
// signs in, when the service comes back, and now and then, because others start tasks, too.

import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import { io, type Socket } from 'socket.io-client';
import type { ClientEvents, ProgressEvent, RoomArgument, ServerEvents } from '../../../events/protocol.ts';
import type { SearchHit } from '../../../events/searches/contract.ts';
import { api, ServiceError } from './api.ts';
import { loadFolder } from './folder.ts';
import { get, subscribe, type Task, update, useStore } from './store.ts';
import { nameOf } from './times.ts';
import { attempt } from './toasts.ts';
import { tasks as words } from './words/library.ts';
import { shell } from './words/shell.ts';
import { named, t } from './words.ts';

// Texts about tasks: their names, their subjects, and the reason why one waits.

export function typeText(type: string): string {
  return named(words, type);
}

interface Request {
  readonly types: readonly string[];
  readonly proxy_request?: { readonly media_path: string };
  readonly pull_models?: readonly string[];
}

/** The file or the models that a task is about; empty for one of many files. */
export function subjectOf({ proxy_request, pull_models }: Request): string {
  return proxy_request ? nameOf(proxy_request.media_path) : (pull_models ?? []).join(', ');
}

/** `Download (clip-b32)` */
function taskName(request: Request): string {
  const subject = subjectOf(request);
  const kinds = request.types.map(typeText).join(', ');
  return subject === '' ? kinds : `${kinds} (${subject})`;
}

/** Null for a task that does not wait. `tasks`: those that run or wait. */
export function waitingText(tasks: readonly Task[], task_id: string): string | null {
  const task = tasks.find((candidate) => candidate.task_id === task_id);
  if (task?.state !== 'queued') return null;
  const { queue_position: n, waits_for } = task;
  const blocker = tasks.find((candidate) => candidate.task_id === waits_for);
  if (!blocker || n === null) return t(words.waits);
  return n === 1
    ? t(words.waitsFor, { what: blocker.name })
    : t(words.waitsBehind, { what: blocker.name, n: `${n}` });
}

// Which tasks are analyses, and which do something beside them.

/** Same list as in the service, which the page cannot load; a test compares the two. */
const beside: readonly string[] = ['clips', 'pull', 'proxy'];

/** False of a task of what is done beside analyses. `types`: its kinds of work. */
export function isAnalysis(types: readonly string[]): boolean {
  return types.some((type) => !beside.includes(type));
}

// The list, and what the service tells.

const READ_EVERY_MS = 10_000;
type Listener = (event: ProgressEvent) => void;
type Room = Exclude<RoomArgument, string>;
const listeners = new Set<Listener>();
/** The last event of each task that runs or waits, by id. */
const lastEvents = new Map<string, ProgressEvent>();
/** Tasks and saved searches, by their ids. */
const joined = new Map<string, Room>();
const hitListeners = new Set<(hit: SearchHit) => void>();
let socket: Socket<ServerEvents, ClientEvents> | null = null;

/**
 * Every event of every task that runs, beginning with the last one that was heard of each: the next may be
 * long in coming. Answers the function that ends it.
 */
export function onProgress(listener: Listener): () => void {
  listeners.add(listener);
  for (const event of lastEvents.values()) listener(event);
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
    tasks: running.map((task): Task => {
      const { task_id, state, progress, counts, estimated_remaining_seconds: remaining_seconds } = task;
      const { queue_position, waits_for } = task;
      const path = before.find((earlier) => earlier.task_id === task_id)?.path ?? null;
      return {
        task_id,
        state,
        name: taskName(task.request),
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
  for (const { task_id } of running) join({ task_id });
}

/** Unix seconds of the latest end of an analysis; null before the list was read. */
let latestEnd: number | null = null;

/** Footage that any client analysed can be found now, even if its task ended before this page heard of it. */
function seeEnds(ends: readonly number[]): void {
  const before = latestEnd;
  latestEnd = Math.max(0, ...ends);
  if (before !== null && latestEnd > before) void loadFolder();
}

/** From then on, the service tells of this task or this saved search. */
export function join(room: Room): void {
  const id = 'task_id' in room ? room.task_id : room.search_id;
  if (joined.has(id)) return;
  joined.set(id, room);
  connection().emit('join', room);
}

export function onHit(listener: (hit: SearchHit) => void): void {
  hitListeners.add(listener);
}

function connection(): Socket<ServerEvents, ClientEvents> {
  if (socket) return socket;
  const newSocket: Socket<ServerEvents, ClientEvents> = io({ reconnectionDelayMax: 3000 });
  newSocket.on('connect', () => {
    for (const room of joined.values()) newSocket.emit('join', room);
  });
  newSocket.on('disconnect', (reason) => {
    // The package does not connect again by itself when the service has closed the connection.
    if (reason === 'io server disconnect') newSocket.connect();
    // Asking tells whether the service has gone.
    void readTasks().catch(() => {});
  });
  newSocket.on('progress', hear);
  newSocket.on('search_hit', (hit) => {
    for (const listener of hitListeners) listener(hit);
  });
  socket = newSocket;
  return newSocket;
}

function hear(event: ProgressEvent): void {
  for (const listener of [...listeners]) listener(event);
  const { task_id, done } = event;
  if (done) {
    joined.delete(task_id);
    lastEvents.delete(task_id);
  } else lastEvents.set(task_id, event);
  update(({ tasks }) => ({
    tasks: tasks
      .filter((task) => !(done && task.task_id === task_id))
      .map((task) => (task.task_id === task_id ? changed(task, event) : task)),
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

// A task that a view has started: how far it is, and a button that ends it. Told once when it is over.

interface TaskProgressProps {
  readonly task_id: string;
  readonly label: string;
  onEnd(end: TaskEnd): void;
}

export function TaskProgress({ task_id, label, onEnd }: TaskProgressProps) {
  const task = useStore(({ tasks }) => tasks.find((task) => task.task_id === task_id) ?? null);
  const waiting = useStore(({ tasks }) => waitingText(tasks, task_id));
  const ending = useRef(onEnd);
  ending.current = onEnd;
  useEffect(() => followEnd(task_id, (end) => ending.current(end)), [task_id]);
  const cancel = () => void attempt(() => api.cancelTask({ task_id }));
  return html`<span class="row" role="status"><span>${waiting ?? label}</span>
    ${waiting === null && html`<progress max="100" value=${task?.progress ?? 0} aria-label=${label}></progress>`}
    <button onClick=${cancel}>${t(shell.cancel)}</button></span>`;
}

// How a task ended that a view waits for. Events tell it soonest; whoever missed them, because the view was
// closed or the service was away, reads it from the record.

export interface TaskEnd {
  /** Null: it did all it was asked for, or was cancelled. */
  readonly error: string | null;
  readonly isCancelled: boolean;
}

/** `report` is called once, when the task is over. Answers the function that ends the waiting. */
export function followEnd(task_id: string, report: (end: TaskEnd) => void): () => void {
  let problem: string | null = null;
  let isOver = false;
  let isAsking = false;
  const unlisten = onProgress((event) => {
    if (event.task_id === task_id) problem = event.error ?? event.summary_error ?? problem;
  });
  const end = (how: TaskEnd) => {
    if (!isOver) report(how);
    isOver = true;
  };
  const look = async () => {
    const { tasks, service, session } = get();
    if (isOver || isAsking || session === null) return;
    // A task that runs or waits is in the list; a service that is away is not asked, and tells when it is
    // back.
    if (service === 'away' || tasks.some((task) => task.task_id === task_id)) return;
    isAsking = true;
    try {
      const { ended, state, error } = await api.getTask({ task_id, limit: 0 });
      const why = problem ?? error?.message ?? (state === 'interrupted' ? t(words.interrupted) : null);
      if (ended !== null) end({ error: why, isCancelled: state === 'cancelled' });
    } catch (error) {
      // Anything else may pass: the list is read every few seconds, and then it is looked for again.
      if (error instanceof ServiceError && error.status === 404)
        end({ error: error.message, isCancelled: false });
    }
    isAsking = false;
  };
  const unsubscribe = subscribe(() => void look());
  readTasks()
    .catch(() => {})
    .then(look);
  return () => {
    isOver = true;
    unlisten();
    unsubscribe();
  };
}
