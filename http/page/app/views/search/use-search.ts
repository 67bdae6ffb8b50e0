// Asks as one types: a little after the last letter, and the request before is given up, so no late answer overwrites a
// newer one.
import { useEffect } from 'preact/hooks';
import { ApiError, api, isAbort } from '../../api.ts';
import { askPatiently } from '../../patience.ts';
import { useStore } from '../../store.ts';
import { momentsRequest } from './request.ts';
import { scrolled, search } from './state.ts';

type Asked = NonNullable<ReturnType<typeof momentsRequest>>;

/** Shorter than between two letters of a quick typist, and a small part of what a person notices. */
const AFTER_LETTER_MS = 90;

export function useSearch(): void {
  const query = search.use((state) => state.query);
  const cache_dir = useStore(({ folder }) => (folder.state === 'ready' ? folder.cache_dir : null));
  // Loaded anew when the service is back: it answers no search before that.
  const loaded = useStore(({ folder }) => folder.loaded);
  const round = search.use((state) => state.round);
  const request = cache_dir === null ? null : momentsRequest(query, cache_dir);
  const asked = request === null ? '' : JSON.stringify(request);
  useEffect(() => {
    const { asked: before, state } = search.get();
    if (asked === '') {
      if (cache_dir !== null)
        search.update({ state: 'idle', answer: null, asked: '', error: null, selected: null });
      return;
    }
    // Coming back from another view.
    if (asked === before && state === 'ready') return;
    const aborter = new AbortController();
    search.update({ state: 'loading', error: null });
    const timer = setTimeout(() => void ask(asked, aborter.signal), before === '' ? 0 : AFTER_LETTER_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [asked, loaded, round]);
}

async function ask(asked: string, signal: AbortSignal): Promise<void> {
  try {
    const question = JSON.parse(asked) as Asked;
    const answer = await askPatiently(() => api.searchMoments(question, { signal }), signal);
    if (signal.aborted) return;
    const { asked: before, selected } = search.get();
    if (!isContinued(before, asked)) {
      scrolled.top = 0;
      search.update({ showsWeaker: false });
    }
    const stays = answer.moments.some(({ moment_id }) => moment_id === selected);
    search.update({ state: 'ready', answer, asked, error: null, selected: stays ? selected : null });
  } catch (error) {
    // Without an answer it is asked again when the service is back and has loaded the folder.
    if (signal.aborted || isAbort(error) || (error instanceof ApiError && error.status === 0)) return;
    search.update({ state: 'failed', error, answer: null, asked: '' });
  }
}

/** The same question, more matches. */
function isContinued(before: string, asked: string): boolean {
  if (before === '') return false;
  const { limit: _, ...rest } = JSON.parse(before) as Record<string, unknown>;
  const { limit: __, ...now } = JSON.parse(asked) as Record<string, unknown>;
  return JSON.stringify(rest) === JSON.stringify(now);
}
