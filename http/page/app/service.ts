// Whether the service answers: when it does not, it is asked until it does, and what hangs on it goes on.
import { get, subscribe, update } from './store.ts';

const FIRST_MS = 500;
const LONGEST_MS = 5000;

export function watchService(): void {
  let isAsking = false;
  subscribe(() => {
    if (get().service === 'up' || isAsking) return;
    isAsking = true;
    ask(FIRST_MS).finally(() => {
      isAsking = false;
    });
  });
  addEventListener('online', () => update({}));
}

async function ask(first: number): Promise<void> {
  for (let wait = first; get().service === 'away'; wait = Math.min(LONGEST_MS, wait * 1.6)) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    const answered = await fetch('/livez', { cache: 'no-store' }).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (answered) update(({ returns }) => ({ service: 'up', returns: returns + 1 }));
  }
}
