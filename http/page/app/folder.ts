// The analysis folder that is looked at: the service says which, and loads it into memory for searching.
import { api, messageOf, ServiceError } from './api.ts';
import { get, type State, subscribe, update, useStore } from './store.ts';

const empty = { media: 0, seconds: 0, transcripts: 0, people: 0 };
let loading: AbortController | null = null;

/** Loads when a person has signed in, and again when the service has come back. */
export function watchFolder(): void {
  let before = { session: get().session, returns: get().returns };
  const look = () => {
    const { session, returns, service } = get();
    if (service === 'away' || (session === before.session && returns === before.returns)) return;
    const isOther = session !== before.session;
    before = { session, returns };
    // The folder is that of the ticket that opened the session.
    if (isOther) update(({ folder }) => ({ folder: { ...folder, cache_dir: null, state: 'loading' } }));
    loading?.abort();
    if (session !== null) void loadFolder();
  };
  subscribe(look);
  if (before.session !== null) void loadFolder();
}

/** Also to be called when something new was analysed: what is shown stays meanwhile. */
export async function loadFolder(): Promise<void> {
  loading?.abort();
  const aborter = new AbortController();
  loading = aborter;
  const { signal } = aborter;
  const put = (folder: Partial<ReturnType<typeof get>['folder']>) => {
    if (!signal.aborted) update((before) => ({ folder: { ...before.folder, ...folder } }));
  };
  if (get().folder.state !== 'ready') put({ state: 'loading', error: null });
  try {
    const cache_dir = get().folder.cache_dir ?? (await folderOfService(signal));
    put({ cache_dir });
    const report = await askPatiently(() => api.loadAnalysisData({ cache_dir }, { signal }), signal);
    const { media, vectors: seconds, transcriptions: transcripts, people } = report;
    put({ state: 'ready', loaded: { media, seconds, transcripts, people } });
  } catch (error) {
    // Without an answer it stays as it is: it is loaded when the service is back.
    if (signal.aborted || (error instanceof ServiceError && error.status === 0)) return;
    put({ state: 'failed', error: messageOf(error), loaded: empty });
  }
}

async function folderOfService(signal: AbortSignal): Promise<string> {
  const { cache_dir } = await api.getSettings({}, { signal });
  return cache_dir;
}

// Before its first analysis, which makes it, the folder is not there.

function isNew({ folder: { state, loaded } }: Pick<State, 'folder'>): boolean {
  return state === 'ready' && loaded.media + loaded.transcripts === 0;
}

export function useIsNew(): boolean {
  return useStore(isNew);
}

/** For `catch`: nothing is found in a folder that is not there yet. */
export function beforeAnalysis<T>(nothing: T): (error: unknown) => T {
  return (error) => {
    if (isNew(get()) && error instanceof ServiceError && error.status === 503) return nothing;
    throw error;
  };
}

// Asking again what the service cannot answer yet.

/**
 * A model that still loads answers 503, work that is under way 409; both say when to ask again. Ends with
 * `signal`.
 */
export async function askPatiently<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const asksAgain = error instanceof ServiceError && (error.status === 503 || error.status === 409);
      if (!asksAgain || error.retryAfter === null) throw error;
      const { retryAfter } = error;
      await new Promise((resolve) => setTimeout(resolve, retryAfter * 1000));
      signal.throwIfAborted();
    }
  }
}
