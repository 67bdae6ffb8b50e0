// Folders for what tests write.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** A new one. It is removed when the test has ended; without a test, when all tests of the file have. */
export function temporaryFolder(test: { after(end: () => void): void } = { after }): string {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-test-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
