// Does what a person asked for, and says why when it did not work.
import { messageOf } from './api.ts';
import { toast } from './toasts.ts';

/** True when it worked. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    toast(messageOf(error), { kind: 'error' });
    return false;
  }
}
