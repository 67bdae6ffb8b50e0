// Short messages that go by themselves; one of an error stays until it is closed.
import { type Toast, update } from './store.ts';

const SHOWN_MS = 5000;
let last = 0;

export function toast(
  text: string,
  { kind = 'info', action }: Partial<Pick<Toast, 'kind' | 'action'>> = {},
): void {
  const id = ++last;
  update(({ toasts }) => ({ toasts: [...toasts.slice(-3), { id, kind, text, ...(action && { action }) }] }));
  if (kind === 'info') setTimeout(() => closeToast(id), SHOWN_MS);
}

export function closeToast(id: number): void {
  update(({ toasts }) => ({ toasts: toasts.filter((one) => one.id !== id) }));
}
