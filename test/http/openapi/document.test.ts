import assert from 'node:assert/strict';
import test from 'node:test';
import { ProgressEvent } from '../../../events/protocol.ts';
import { docsPage } from '../../../http/openapi/docs/page.ts';
import { openApi } from '../../../http/openapi/document.ts';
import { routes } from '../../../http/routes.ts';

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
