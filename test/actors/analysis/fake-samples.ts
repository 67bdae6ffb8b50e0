// Sample pictures of people as the fake decoder sees them: what one shows is the first letter of its text.
import { existsSync, readFileSync, statSync } from 'node:fs';

const says = / is what it shows$/;

/** Undefined for a file that is none; `!` cannot be read either. */
export function sampleAt(path: string): { name: string; frames: number; kind: 'image' } | undefined {
  const letter = letterOf(path);
  return letter === undefined || letter === '!' ? undefined : { name: letter, frames: 1, kind: 'image' };
}

export function byteShownAt(path: string): number | undefined {
  return letterOf(path)?.charCodeAt(0);
}

function letterOf(path: string): string | undefined {
  // A name that is too long is none that is there.
  const stats = existsSync(path) ? statSync(path) : undefined;
  if (!stats?.isFile() || stats.size === 0 || stats.size > 100) return undefined;
  const text = readFileSync(path, 'utf8');
  return says.test(text) ? text[0] : undefined;
}
