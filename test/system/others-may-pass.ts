// Whether a process of another user can start from here: tests that run as root read as nobody.
import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The path and every folder above it can be passed by a user who is neither its owner nor of its group. */
export function othersMayPass(to: string): boolean {
  let path = to;
  while ((statSync(path).mode & 0o001) !== 0) {
    if (path === dirname(path)) return true;
    path = dirname(path);
  }
  return false;
}
