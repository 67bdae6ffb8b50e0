import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summaryParameters, summaryRequests } from '../../cli/commands/analyze.ts';
import type { Context } from '../../cli/context.ts';
import type { Client } from '../../http/client/client.ts';

const none = { summary: false, 'summary-hint': [] as string[] };
const all = { ...none, summary: true };

test('what is asked for of summaries is sent as it is typed', () => {
  assert.equal(summaryParameters(none), null);
  assert.deepEqual(summaryParameters(all), {
    summary_objective: { preset: 'general_understanding', priority_hints: [] },
    replace_existing: false,
  });
  const asked = summaryParameters({
    ...all,
    'summary-preset': 'custom',
    'summary-hint': ['humor', 'conflict'],
    'summary-instructions': 'who repairs the boat',
    'summary-model': 'some-model',
    'summary-name': 'boats',
    collection: 'Days',
    force: true,
  });
  assert.deepEqual(asked, {
    summary_objective: {
      preset: 'custom',
      priority_hints: ['humor', 'conflict'],
      custom_instructions: 'who repairs the boat',
    },
    analysis_name: 'boats',
    summary_model_key: 'some-model',
    collection: 'Days',
    replace_existing: true,
  });
});

test('an option that cannot be is told by its name', () => {
  assert.throws(
    () => summaryParameters({ ...none, 'summary-hint': ['humor'] }),
    /--summary-hint can only be used/,
  );
  assert.throws(
    () => summaryParameters({ ...none, 'summary-model': 'm' }),
    /--summary-model can only be used/,
  );
  assert.throws(
    () => summaryParameters({ ...all, 'summary-hint': ['jokes'] }),
    /--summary-hint .*humor.*not jokes/,
  );
  assert.throws(
    () => summaryParameters({ ...all, 'summary-preset': 'custom' }),
    /needs --summary-instructions/,
  );
});

test('files that have a summary of that name keep it, copies too; with --force all are asked for', async () => {
  const names: Record<string, string[]> = { '/a': ['Boats'], '/copy-of-a': ['boats', 'x'], '/b': ['other'] };
  const client = {
    listSummaries: async ({ media_paths }: { media_paths: readonly string[] }) => ({
      summaries: media_paths.flatMap((path) =>
        (names[path] ?? []).map((analysis_name) => ({ analysis_name })),
      ),
    }),
  } as unknown as Client;
  const texts: string[] = [];
  const context = {
    screen: { write: (text: string) => texts.push(text) },
    signal: new AbortController().signal,
  } as unknown as Context;
  const parameters = summaryParameters({ ...all, 'summary-name': 'boats' })!;
  const files = ['/a', '/copy-of-a', '/b', '/new'];
  const requests = await summaryRequests(client, '/cache', files, parameters, context);
  assert.deepEqual(requests, [
    { path: '/b', ...parameters },
    { path: '/new', ...parameters },
  ]);
  assert.deepEqual(texts, [
    'note: 2 files already have a summary "boats", which is kept; to replace it, add --force\n',
  ]);
  const forced = await summaryRequests(
    client,
    '/cache',
    files,
    { ...parameters, replace_existing: true },
    context,
  );
  assert.equal(forced.length, 4);
  const stopped = { ...context, signal: AbortSignal.abort() } as unknown as Context;
  await assert.rejects(summaryRequests(client, '/cache', files, parameters, stopped), /cancel/i);
});
