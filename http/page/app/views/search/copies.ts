// Where else the content of a match lies, as it is told: the first two paths, and how many more there are.
import { searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';
import type { Found } from './moment.ts';

type Copied = Pick<Found, 'other_paths'>;

/** Empty where the content is nowhere else. */
export function copiesText({ other_paths = [] }: Copied): string {
  if (other_paths.length === 0) return '';
  const [paths, n] = [other_paths.slice(0, 2).join(', '), other_paths.length - 2];
  return n > 0 ? t(searchWords.alsoAtMore, { paths, n }) : t(searchWords.alsoAt, { paths });
}
