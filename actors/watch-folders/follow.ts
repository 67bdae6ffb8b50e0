// Starts a task and follows it to its end.
import type {
  EndState,
  StartOptions,
  TaskError,
  TaskEvent,
  TaskRequest,
  Tasks,
  WorkResult,
} from '../analysis/contract.ts';

export interface TaskListener {
  /** Its kinds of work. */
  start(types: readonly string[]): void;
  /** A file that is worked on. */
  file(path: string): void;
  result(result: WorkResult): void;
}

export interface FollowedTask {
  readonly task_id: string;
  /** Never rejects. */
  readonly ended: Promise<{ readonly state: EndState; readonly error: TaskError | null }>;
  /** Ends the subscription; `ended` stays open then. */
  close(): void;
}

/** Throws as `tasks.start`. */
export async function followTask(
  tasks: Pick<Tasks, 'start' | 'subscribe'>,
  request: TaskRequest,
  options: StartOptions,
  listener: TaskListener,
): Promise<FollowedTask> {
  const { promise: ended, resolve } = Promise.withResolvers<{ state: EndState; error: TaskError | null }>();
  let task_id: string | null = null;
  // Events may come before the answer that says of which task they are.
  const early: [string, TaskEvent][] = [];
  const hear = (event: TaskEvent) => {
    if (event.type === 'start') listener.start(event.types);
    if (event.type === 'file') listener.file(event.file.path);
    if (event.type === 'result') listener.result(event.result);
    if (event.type !== 'end') return;
    close();
    resolve({ state: event.state, error: event.error });
  };
  const close = tasks.subscribe((id, event) => {
    if (task_id === null) early.push([id, event]);
    else if (id === task_id) hear(event);
  });
  try {
    ({ task_id } = await tasks.start(request, options));
  } catch (error) {
    close();
    throw error;
  }
  for (const [id, event] of early) if (id === task_id) hear(event);
  return { task_id, ended, close };
}
