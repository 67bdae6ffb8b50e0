// The version of this program.
import { readFileSync } from 'node:fs';

/** As its package says; a compiled package has a `package.json` of its own. */
export function programVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
