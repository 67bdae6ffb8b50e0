// Which files ended the engine, read off the journal. A stage that started and never ended was running when the engine
// died; a file that was running in two crashes is quarantined until it changes or `force` is set. Pure.

export type JournalEntry =
  | {
      readonly type: 'engine-start';
      readonly time: number;
      readonly pid: number;
      /** When the process began: tells it from a later one with the same id. */
      readonly started?: string;
    }
  | { readonly type: 'engine-stop'; readonly time: number; readonly pid: number }
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
    };

/** A stage of a file, by content: the same bytes under another name are the same stage. */
export function stageKey(hash: string, stage: string, model: string): string {
  return `${hash}/${stage}/${model}`;
}

export interface JournalState {
  /** Stage keys that were running in a crash, with how often. */
  readonly crashes: ReadonlyMap<string, number>;
  /** Another engine is running and writes to the same journal. */
  readonly shared: boolean;
}

/**
 * `alive`: true for engines that run now; their open stages are no crashes. An engine that is neither alive nor wrote
 * `engine-stop` crashed with its open stages running.
 */
export function readJournal(
  entries: readonly JournalEntry[],
  alive: (pid: number, started: string) => boolean,
): JournalState {
  const crashes = new Map<string, number>();
  const running = new Map<number, Set<string>>();
  const engines = new Map<number, string>();
  const crashed = (pid: number) => {
    for (const key of running.get(pid) ?? []) crashes.set(key, (crashes.get(key) ?? 0) + 1);
    running.delete(pid);
  };
  const isAlive = (pid: number) => alive(pid, engines.get(pid) ?? '');
  for (const entry of entries) {
    if (entry.type === 'engine-start') {
      crashed(entry.pid);
      engines.set(entry.pid, entry.started ?? '');
    } else if (entry.type === 'engine-stop') {
      running.delete(entry.pid);
      engines.delete(entry.pid);
    } else if (entry.type === 'stage-start')
      running.set(entry.pid, (running.get(entry.pid) ?? new Set()).add(entry.key));
    else if (entry.type === 'stage-end') {
      // A stage that ended, with success or failure, did not crash the engine.
      crashes.delete(entry.key);
      for (const keys of running.values()) keys.delete(entry.key);
    }
  }
  for (const pid of [...running.keys()]) if (!isAlive(pid)) crashed(pid);
  return { crashes, shared: [...engines.keys()].some(isAlive) };
}

export function isQuarantined(state: JournalState, key: string): boolean {
  return (state.crashes.get(key) ?? 0) >= 2;
}

/** True after a crash in a survey: surveys then run one at a time, so that a second crash tells which file it was. */
export function crashedInSurvey({ crashes }: JournalState): boolean {
  return [...crashes.keys()].some((key) => key.includes('/survey/'));
}
