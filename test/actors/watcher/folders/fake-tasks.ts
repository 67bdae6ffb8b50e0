// A fake front door: tasks whose files end when the test says so.
import type {
  StartOptions,
  TaskEvent,
  TaskListener,
  TaskRequest,
  Tasks,
  WorkOutcome,
} from '../../../../actors/analysis/contract.ts';
import { analysisErrors } from '../../../../actors/analysis/contract.ts';
import type { EndState, TaskError } from '../../../../actors/analysis/tasks/contract.ts';

export interface FakeTask {
  readonly task_id: string;
  readonly request: TaskRequest;
  readonly options: StartOptions;
  readonly paths: readonly string[];
  isFinishing: boolean;
}

type Fault = { readonly code: string; readonly message: string };

export class FakeTasks implements Pick<Tasks, 'start' | 'finish' | 'subscribe' | 'busy'> {
  readonly listeners = new Set<TaskListener>();
  readonly started: FakeTask[] = [];
  current: FakeTask | null = null;
  /** A person's task runs. */
  isTaken = false;
  /** What `start` throws. */
  refusal: unknown = null;
  /** Every file is analysed at once. */
  isQuick = false;

  get busy(): boolean {
    return this.isTaken || this.current !== null;
  }

  async start(request: TaskRequest, options: StartOptions = {}): Promise<{ task_id: string }> {
    if (this.refusal !== null) throw this.refusal;
    if (this.busy) throw analysisErrors.ANOTHER_TASK('Task x is running');
    const task_id = `task-${this.started.length + 1}`;
    const paths = pathsOf(request);
    const task = { task_id, request, options, paths, isFinishing: false };
    this.started.push(task);
    this.current = task;
    const types = [...new Set(paths.flatMap((path) => typesOf(request, path)))];
    this.#tell(task_id, { type: 'start', files: paths.length, types });
    if (this.isQuick) {
      for (const path of paths) this.result(path);
      this.end();
    }
    return { task_id };
  }

  finish(task_id: string): void {
    if (this.current?.task_id === task_id) this.current.isFinishing = true;
  }

  subscribe(listener: TaskListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  progress(path: string): void {
    const file = { path, type: 'video', percentage: 1, done: 1, all: 100 };
    this.#tell(this.current!.task_id, { type: 'file', file });
  }

  /** Of every kind of work on the file, or of one. */
  result(path: string, outcome: WorkOutcome = 'analyzed', error: Fault | null = null, only?: string): void {
    for (const type of only === undefined ? typesOf(this.current!.request, path) : [only]) {
      const of = { path, type, hash_str: `hash${path}`, outcome, reason: null };
      this.#tell(this.current!.task_id, {
        type: 'result',
        result: { ...of, facts: {}, duration_seconds: 1, error },
      });
    }
  }

  closing(name: string, outcome: WorkOutcome, error: Fault | null = null): void {
    const of = { path: name, type: 'faces', hash_str: null, outcome, reason: null };
    this.#tell(this.current!.task_id, {
      type: 'result',
      result: { ...of, facts: {}, duration_seconds: 1, error, closing: true },
    });
  }

  end(state: EndState = 'completed', error: TaskError | null = null): void {
    const { task_id } = this.current!;
    this.current = null;
    this.#tell(task_id, { type: 'end', state, error });
  }

  /** A person's task takes the place of the one that runs, if one does. */
  take(): void {
    this.isTaken = true;
    if (this.current) this.end('cancelled');
  }

  free(): void {
    this.isTaken = false;
    this.#tell('a person', { type: 'end', state: 'completed', error: null });
  }

  #tell(task_id: string, event: TaskEvent): void {
    for (const listener of [...this.listeners]) listener(task_id, event);
  }
}

function pathsOf({
  visual_media_paths = [],
  transcription_jobs = [],
  face_clustering_jobs = [],
}: TaskRequest) {
  const spoken = transcription_jobs.map(({ path }) => path);
  const faces = face_clustering_jobs.flatMap(({ face_media_paths }) => face_media_paths);
  return [...new Set([...visual_media_paths, ...spoken, ...faces])];
}

function typesOf(request: TaskRequest, path: string): string[] {
  const { visual_media_paths = [], transcription_jobs = [], face_clustering_jobs = [] } = request;
  return [
    ...(visual_media_paths.includes(path) ? ['video'] : []),
    ...(transcription_jobs.some((job) => job.path === path) ? ['speech'] : []),
    ...(face_clustering_jobs.some((job) => job.face_media_paths.includes(path)) ? ['faces'] : []),
  ];
}
