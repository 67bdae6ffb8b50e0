// A question to the service as a component sees it: loading, ready or failed; asked anew when what it depends
// on changes and when the service has come back, and given up when it is not needed any more.
import { useEffect, useState } from 'preact/hooks';
import { ApiError, isAbort } from './api.ts';
import { useStore } from './store.ts';

export interface RequestState<T> {
  readonly state: 'loading' | 'ready' | 'failed';
  /** The latest answer, kept while it is asked again. */
  readonly value: T | null;
  readonly error: unknown;
  again(): void;
}

/** `question` null: nothing is asked. */
export function useAsk<T>(
  question: ((signal: AbortSignal) => Promise<T>) | null,
  dependencies: readonly unknown[],
): RequestState<T> {
  const [round, setRound] = useState(0);
  const [found, setFound] = useState<Omit<RequestState<T>, 'again'>>({
    state: 'loading',
    value: null,
    error: null,
  });
  const returns = useStore((state) => state.returns);
  useEffect(() => {
    if (question === null) return;
    const aborter = new AbortController();
    setFound(({ value }) => ({ state: 'loading', value, error: null }));
    question(aborter.signal).then(
      (value) => {
        if (!aborter.signal.aborted) setFound({ state: 'ready', value, error: null });
      },
      (error: unknown) => {
        if (aborter.signal.aborted || isAbort(error)) return;
        // It is asked again when the service is back.
        const state = error instanceof ApiError && error.status === 0 ? 'loading' : 'failed';
        setFound(({ value }) => ({ state, value, error }));
      },
    );
    return () => aborter.abort();
  }, [...dependencies, round, returns]);
  return { ...found, again: () => setRound((before) => before + 1) };
}
