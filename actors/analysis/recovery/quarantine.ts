// Which files ended the engine, read off the journal. A stage that started and never ended was running when the engine
// died; a file that was running in two deaths is left alone until it changes or the person says otherwise. Pure.

export type JournalEntry =
  | {
      readonly type: 'engine-start';
      readonly time: number;
      readonly pid: number;
      /** When the process began, so that its number used again is not taken for it. */
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
 * `alive`: engines that run right now; what they are working on is no crash. Every engine that started a stage and is
 * neither alive nor stopped by itself died with that stage running.
 */
export function readJournal(
  entries: readonly JournalEntry[],
  alive: (pid: number, started: string) => boolean,
): JournalState {
  const crashes = new Map<string, number>();
  const running = new Map<number, Set<string>>();
  const engines = new Map<number, string>();
  const died = (pid: number) => {
    for (const key of running.get(pid) ?? []) crashes.set(key, (crashes.get(key) ?? 0) + 1);
    running.delete(pid);
  };
  const isAlive = (pid: number) => alive(pid, engines.get(pid) ?? '');
  for (const entry of entries) {
    if (entry.type === 'engine-start') {
      died(entry.pid);
      engines.set(entry.pid, entry.started ?? '');
    } else if (entry.type === 'engine-stop') {
      running.delete(entry.pid);
      engines.delete(entry.pid);
    } else if (entry.type === 'stage-start')
      running.set(entry.pid, (running.get(entry.pid) ?? new Set()).add(entry.key));
    else if (entry.type === 'stage-end') {
      // What ended by itself, well or badly, did not end the engine.
      crashes.delete(entry.key);
      for (const keys of running.values()) keys.delete(entry.key);
    }
  }
  for (const pid of [...running.keys()]) if (!isAlive(pid)) died(pid);
  return { crashes, shared: [...engines.keys()].some(isAlive) };
}

export function isQuarantined(state: JournalState, key: string): boolean {
  return (state.crashes.get(key) ?? 0) >= 2;
}

/** True after a death in a survey: the next ones go one at a time, so that a second death tells which file it was. */
export function diedInSurvey({ crashes }: JournalState): boolean {
  return [...crashes.keys()].some((key) => key.includes('/survey/'));
}
