// The id of a moment, `hash@second`: the content and the time, so it holds when the file is renamed or moved.
import { errorTable } from '../../runtime/errors.ts';
import { oneLine, secondsText } from './text.ts';

export const momentErrors = errorTable({
  BAD_MOMENT: { meaning: 'The moment id is not valid', status: 400, retryable: false },
});

export interface MomentId {
  readonly hash_str: string;
  /** From the start of the file. */
  readonly seconds: number;
}

const form = /^([0-9a-f][0-9a-f-]{0,99})@(\d{1,9}(?:\.\d{1,3})?)$/;

export function momentId(hash: string, seconds: number): string {
  return `${hash}@${secondsText(seconds)}`;
}

/** Throws BAD_MOMENT naming `field`. */
export function parseMoment(text: string, field: string): MomentId {
  const [, hash_str, seconds] = form.exec(text.trim().toLowerCase()) ?? [];
  if (hash_str !== undefined && seconds !== undefined) return { hash_str, seconds: Number(seconds) };
  const message = `${field}: ${JSON.stringify(oneLine(text, 80))} is not a moment id. A moment id is hash@second, as returned by find_moments and find_spoken: 4d8f21a07c3e95b61a2b3c4d-5a3c1@12`;
  throw momentErrors.BAD_MOMENT(message, { field });
}

const hashForm = /^[0-9a-f]{6,}-[0-9a-f]{1,16}$/;

/** The hash of a content that a text is, or that is in the id of a moment; null for a path or a name. */
export function hashIn(text: string): string | null {
  const small = text.toLowerCase();
  const hash = form.exec(small)?.[1] ?? small;
  return hashForm.test(hash) && hash.length <= 100 ? hash : null;
}
