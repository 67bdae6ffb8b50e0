// Which files ended the engine, read off the journal. A stage that started and never ended was running when the engine
// died; a file that was running in two deaths is left alone until it changes or the person says otherwise. Pure.

export type JournalEntry =
  | { readonly type: 'engine-start'; readonly time: number; readonly pid: number }
  | { readonly type: 'engine-stop'; readonly time: number; readonly pid: number }
  | {
      readonly type: 'task-start';
      readonly time: number;
      readonly task_id: string;
      readonly request: unknown;
    }
  | { readonly type: 'task-end'; readonly time: number; readonly task_id: string; readonly state: string }
  | {
      readonly type: 'stage-start';
      readonly time: number;
      readonly task_id: string;
      readonly key: string;
      readonly pid: number;
    }
  | {
      readonly type: 'stage-end';
      readonly time: number;
      readonly task_id: string;
      readonly key: string;
      readonly pid: number;
      readonly outcome: string;
    }
  | { readonly type: 'pardon'; readonly time: number; readonly key: string };

/** A stage of a file, by content: the same bytes under another name are the same stage. */
export function stageKey(hash: string, stage: string, model: string): string {
  return `${hash}/${stage}/${model}`;
}

export interface JournalState {
  /** Stage keys that were running in a crash, with how often. */
  readonly crashes: ReadonlyMap<string, number>;
  /** Tasks that started and never ended. */
  readonly interrupted: ReadonlyMap<string, unknown>;
  /** Another engine is running and writes to the same journal. */
  readonly shared: boolean;
}

/**
 * `alive`: engines that run right now; what they are working on is no crash. Every engine that started a stage and is
 * neither alive nor stopped by itself died with that stage running.
 */
export function readJournal(entries: readonly JournalEntry[], alive: (pid: number) => boolean): JournalState {
  const crashes = new Map<string, number>();
  const running = new Map<number, Set<string>>();
  const tasks = new Map<string, unknown>();
  const engines = new Set<number>();
  const died = (pid: number) => {
    for (const key of running.get(pid) ?? []) crashes.set(key, (crashes.get(key) ?? 0) + 1);
    running.delete(pid);
  };
  for (const entry of entries) {
    if (entry.type === 'engine-start') {
      died(entry.pid);
      engines.add(entry.pid);
    } else if (entry.type === 'engine-stop') {
      running.delete(entry.pid);
      engines.delete(entry.pid);
    } else if (entry.type === 'task-start') tasks.set(entry.task_id, entry.request);
    else if (entry.type === 'task-end') tasks.delete(entry.task_id);
    else if (entry.type === 'stage-start')
      running.set(entry.pid, (running.get(entry.pid) ?? new Set()).add(entry.key));
    else {
      // What ended by itself, well or badly, did not end the engine; nor is a pardon held against it.
      crashes.delete(entry.key);
      for (const keys of running.values()) keys.delete(entry.key);
    }
  }
  for (const pid of [...running.keys()]) if (!alive(pid)) died(pid);
  return { crashes, interrupted: tasks, shared: [...engines].some(alive) };
}

export function isQuarantined(state: JournalState, key: string): boolean {
  return (state.crashes.get(key) ?? 0) >= 2;
}
