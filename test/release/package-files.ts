import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Paths in an installed package, without the cache of compiled code in `dist` that every run may extend. */
export function packageFiles(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const cache = join('dist', '.cache');
  return paths.filter((path) => !path.includes(cache)).sort();
}
