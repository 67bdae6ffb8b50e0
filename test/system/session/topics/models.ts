// Which models there are, which one is in use, and bringing others.
import type { Session } from '../session.ts';

export async function models(s: Session): Promise<void> {
  await s.ask('/models/loaded');
  // What a machine can run differs, what is said of it does not.
  await s.ask('/models/available', undefined, { keep: namesOf });
  await s.ask('/models/load', { model_key: 'starter-visual-3' });
  await s.ask('/models/load', { model_key: 'no-such-model' });
  await s.ask('/models/load', { model_key: 'siglip2-b16-256-q8' });
  await s.ask('/models/load', {});
  await s.ask('/models/pull', { model_key: 'no-such-model' });
  await s.ask('/models/pull', { model_key: 'starter-visual-3' });
  await s.run('/models/pull', { model_key: 'siglip2-b16-256-q8' });
}

/** The names of fields, and of the fields in them. */
function namesOf(value: object): unknown {
  const isObject = (one: unknown): one is object =>
    typeof one === 'object' && one !== null && !Array.isArray(one);
  const entries = Object.entries(value).map(([name, one]) => [name, isObject(one) ? Object.keys(one) : '']);
  return Object.fromEntries(entries);
}
