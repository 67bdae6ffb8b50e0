// Questions about people and voices, one answered at a time: an answer changes what the others are about.
import { useRef, useState } from 'preact/hooks';
import { type RequestState, useAsk } from '../../ask.ts';
import { slice } from './state.ts';

export interface Questions<T> extends RequestState<T> {
  /** What is shown is from before an answer, or an answer is on its way: no other is taken. */
  readonly isBusy: boolean;
  /** Answers one, where none is on its way; `work` is true when that worked. What is asked now is loaded after it. */
  answer(work: () => Promise<boolean>): void;
}

/** Asked for again with every change; `load` null: nothing is asked. */
export function useQuestions<T>(
  load: ((signal: AbortSignal) => Promise<T>) | null,
  dependencies: readonly unknown[],
): Questions<T> {
  const changes = slice.use((state) => state.changes);
  const [isAnswering, setAnswering] = useState(false);
  // Known before the list is drawn again: a double click is one answer.
  const isTaken = useRef(false);
  const { value, ...asked } = useAsk(load && (async (signal) => ({ list: await load(signal), changes })), [
    ...dependencies,
    changes,
  ]);
  const isBusy = isAnswering || asked.state === 'loading' || value?.changes !== changes;
  const take = async (work: () => Promise<boolean>) => {
    isTaken.current = true;
    setAnswering(true);
    // One that is refused may be about what somebody else has changed.
    if (!(await work())) asked.again();
    isTaken.current = false;
    setAnswering(false);
  };
  return {
    ...asked,
    value: value === null ? null : value.list,
    isBusy,
    answer: (work) => {
      if (!isBusy && !isTaken.current) void take(work);
    },
  };
}
