// Compares a text with a file that a person has read and found right.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** FRAMEHOUND_GOLDEN=write writes the file anew; its difference is to be read before it is committed. */
export function matchesGolden(name: string, text: string): void {
  const path = fileURLToPath(new URL(`./golden/${name}`, import.meta.url));
  if (process.env['FRAMEHOUND_GOLDEN'] === 'write') writeFileSync(path, text);
  assert.equal(text, readFileSync(path, 'utf8'), `is another text than ${path}`);
}
