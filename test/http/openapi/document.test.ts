import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgressEvent } from '../../../events/protocol.ts';
import { docsPage } from '../../../http/openapi/docs/page.ts';
import { openApi } from '../../../http/openapi/document.ts';
import { routes } from '../../../http/routes.ts';
import { assertGolden, goldenJson } from '../../golden.ts';
import { inject } from '../inject.ts';

const document = openApi(routes);

test('the document has the payload of every event, and a meaning for each of its fields', () => {
  const { 'x-events': events, components } = document;
  assert.deepEqual(
    events.map(({ name, sender }) => `${sender} ${name}`),
    ['client join', 'client leave', 'server progress', 'server search_hit'],
  );
  assert.deepEqual(events[2]?.payload, { $ref: '#/components/schemas/ProgressEvent' });
  const { properties, required } = components.schemas['ProgressEvent'] as {
    properties: Record<string, { description?: string }>;
    required: string[];
  };
  assert.deepEqual(Object.keys(properties), Object.keys(ProgressEvent.properties));
  assert.deepEqual(required, ['task_id', 'progress', 'video_path', 'done', 'type']);
  for (const [name, { description }] of Object.entries(properties)) assert.ok(description, name);
  assert.equal(properties['frames']?.description, 'Amount of work done for the task.');
  assert.match(properties['file_grid_frames']?.description ?? '', /^Total amount of work for `video_path`/);
});

test('the page shows the events with their fields', () => {
  const page = docsPage(document);
  for (const name of ['join', 'leave', 'progress']) assert.ok(page.includes(`id="event-${name}"`), name);
  assert.ok(page.includes('href="#Events"'));
  assert.ok(page.includes('<code>estimated_remaining_seconds</code>'));
});

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly tags: readonly string[] }>>>>;
  readonly components: { readonly schemas: object };
  readonly 'x-events': object;
}

test('/openapi.json is as it was', async () => {
  const { body } = await inject(routes, {})('/openapi.json');
  const { paths, components, 'x-events': events, ...head } = body as Document;
  const { schemas, ...shared } = components;
  const tagOf = ([, methods]: [string, Document['paths'][string]]) => Object.values(methods)[0]!.tags[0]!;
  const byTag = Map.groupBy(Object.entries(paths), tagOf);
  const operations = [...byTag].map(([tag, some]) => [
    `paths-${tag.toLowerCase().replaceAll(' ', '-')}.json`,
    goldenJson(Object.fromEntries(some)),
  ]);
  assertGolden('openapi', {
    'document.json': goldenJson({ ...head, components: shared }),
    'events.json': goldenJson(events),
    'schemas.json': goldenJson(schemas),
    ...Object.fromEntries(operations),
  });
});

// Every field of every request, answer and event has a meaning in the API document.

type Tree = { readonly [key: string]: unknown };
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** Places of fields without a description, anywhere below. */
function* silent(value: unknown, at: string): Generator<string> {
  if (!isTree(value)) return;
  const { properties } = value;
  const isObject = isTree(properties) && value['type'] === 'object';
  for (const [name, field] of isObject ? Object.entries(properties) : []) {
    if (!isTree(field) || typeof field['description'] !== 'string') yield `${at}.${name}`;
  }
  if (Array.isArray(value['parameters']))
    for (const one of value['parameters'] as Tree[])
      if (typeof one['description'] !== 'string') yield `${at} ${String(one['name'])}`;
  for (const [key, one] of Object.entries(value)) yield* silent(one, `${at}/${key}`);
}

test('every field of every schema says what it means', () => {
  const { paths, components, ['x-events']: events } = openApi(routes);
  assert.deepEqual([...silent({ paths, components, events }, '')], []);
});

test('no description is blank or unfinished', () => {
  JSON.stringify(openApi(routes), (key, value: unknown) => {
    if (key === 'description' && typeof value === 'string') {
      assert.notEqual(value.trim(), '');
      assert.doesNotMatch(value, /\bTODO\b|\bundefined\b/);
    }
    return value;
  });
});
