// What a summary is called: its own name, or in words what it is for when it was given none.
import { uses } from '../../words/summaries.ts';
import { t } from '../../words.ts';

export function titleOf(name: string): string {
  if (Object.hasOwn(uses, name)) return t(uses[name as keyof typeof uses]);
  return /^[a-z]+(_[a-z]+)+$/.test(name) ? name.replaceAll('_', ' ') : name;
}
