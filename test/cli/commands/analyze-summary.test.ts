import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../../cli/commands/analyze.ts';
import type { Context } from '../../../cli/context.ts';

const context = { values: { decoders: 1, home: '/nowhere' } } as unknown as Context;

test('an option that says how to summarise wants --summary, and a preset that there is', async () => {
  const run = async (...args: string[]) => analyze(args, context);
  await assert.rejects(
    run('film.mp4', '--collection', 'Days'),
    /--collection can only be used with --summary/,
  );
  await assert.rejects(
    run('film.mp4', '--summary', '--summary-preset', 'poem'),
    /one of general_understanding, .*not poem/,
  );
});
