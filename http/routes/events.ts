// The events for clients without Socket.IO.
import { Type } from 'typebox';
import { LONGEST_ID } from '../../events/protocol.ts';
import { described } from '../../runtime/schema.ts';
import { ErrorBody, LiveBody, type Route, reply, route } from '../route.ts';

export const eventStream = route({
  method: 'GET',
  path: '/api/v1/events/stream',
  id: 'eventStream',
  tag: 'Events',
  summary: 'Follow events as server-sent events',
  description:
    'The events that the Socket.IO event server sends, with the same names and the same JSON bodies, for ' +
    'clients without Socket.IO. With `task_id`, the current state of the task comes first, as after a ' +
    '`join`. Every later event has an `id`. A client that reconnects with the header `Last-Event-ID` is ' +
    'sent what it missed; if that is no longer in memory (1 MiB of events) or the service was restarted, ' +
    'an event `missed` with the `last_event_id` comes first, and then the current state. A comment is sent ' +
    'every 15 seconds. A client that leaves more than 4 MiB unread is disconnected. The stream ends when ' +
    'the service stops.',
  query: Type.Object({
    task_id: Type.Optional(
      described(
        Type.String({ pattern: '^[^,]+(,[^,]+){0,99}$', maxLength: 100 * (LONGEST_ID + 1) }),
        'Only the events of this task, or of several, separated by commas. If omitted, the events of all ' +
          'tasks are sent.',
      ),
    ),
  }),
  headers: ['last-event-id'],
  form: { live: 'text/event-stream' },
  answers: { 200: LiveBody, 404: ErrorBody },
  handle: async ({ query, headers }, { events }) => {
    const task_ids = query.task_id?.split(',') ?? [];
    const text = await events.stream({ task_ids, lastEventId: headers['last-event-id'] ?? '' });
    return reply(200, text, { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  },
});

export const eventRoutes: readonly Route[] = [eventStream];
