import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import report from './reporter.ts';
import { temporaryFolder } from './temporary-folder.ts';

const reporter = join(import.meta.dirname, 'reporter.ts');

/** What a run of this one file prints. */
function outputOf(t: TestContext, body: string): string[] {
  const folder = temporaryFolder(t);
  const file = join(folder, 'some.test.mjs');
  writeFileSync(file, `import test from 'node:test';\n${body}`);
  const args = ['--disable-warning=ExperimentalWarning', '--test', `--test-reporter=${reporter}`, file];
  // Node does not start a run of tests inside a test of another run.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawnSync(process.execPath, args, { encoding: 'utf8', env }).stdout.trimEnd().split('\n');
}

test('the last lines of a run say how many tests were skipped for which reason', (t) => {
  const lines = outputOf(
    t,
    `for (const name of ['a', 'b']) test(name, { skip: 'needs ../shared, which is not here' }, () => {});
    test('c', (t) => t.skip('root may write everywhere'));
    test('d', { skip: true }, () => {});
    test('e', () => {});`,
  );
  assert.deepEqual(lines.slice(-3), [
    'ℹ skipped: 2 tests that need ../shared, which is not here',
    'ℹ skipped: 1 test: root may write everywhere',
    'ℹ skipped: 1 test: no reason given',
  ]);
  assert.ok(lines.includes('ℹ pass 1') && lines.includes('ℹ skipped 4') && lines.includes('ℹ fail 0'));
});

test('a run without skipped tests ends as Node ends it', (t) => {
  const lines = outputOf(t, `test('a', () => {});`);
  assert.match(lines.at(-1) ?? '', /^ℹ duration_ms/);
  assert.ok(lines.includes('ℹ pass 1'));
});

test('files of five seconds and more are named, the longest first, and at most five', async () => {
  const events = async function* (): AsyncGenerator<TestEvent> {
    for (const seconds of [6, 1, 5, 60, 4, 7, 8, 9])
      yield {
        type: 'test:pass',
        data: {
          name: `${seconds}.test.ts`,
          nesting: 0,
          testNumber: 1,
          details: { duration_ms: seconds * 1000, type: 'suite' },
        },
      };
  };
  const texts: string[] = [];
  for await (const text of report(events())) texts.push(text);
  const lines = texts.join('').split('\n');
  assert.deepEqual(
    lines.filter((line) => line.startsWith('ℹ took long')),
    [60, 9, 8, 7, 6].map((seconds) => `ℹ took long: ${seconds} s ${seconds}.test.ts`),
  );
});
