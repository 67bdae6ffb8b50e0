// The events for clients without Socket.IO.
import { Type } from 'typebox';
import { LONGEST_ID, serverEvents } from '../../events/protocol.ts';
import { described, oneOf } from '../../runtime/schema.ts';
import { ErrorBody, LiveBody, type Route, reply, route } from '../route.ts';

const Ids = Type.String({ pattern: '^[^,]+(,[^,]+){0,99}$', maxLength: 100 * (LONGEST_ID + 1) });

export const eventStream = route({
  method: 'GET',
  path: '/api/v1/events/stream',
  id: 'eventStream',
  tag: 'Events',
  summary: 'Follow events as server-sent events',
  description:
    'The events that the Socket.IO event server sends, with the same names and the same JSON bodies, for ' +
    'clients without Socket.IO. With `task_id`, the current state of the task comes first, as after a ' +
    '`join`; without a state, the event `connected` with `{}`. The first event and all that follow the ' +
    'state have an `id`. A client that reconnects with the header `Last-Event-ID` is ' +
    'sent what it missed; if that is no longer in memory (1 MiB of events) or the service was restarted, ' +
    'an event `missed` with the `last_event_id` comes first, and then the current state. A comment is sent ' +
    'every 15 seconds. A client that leaves more than 4 MiB unread is disconnected. The stream ends when ' +
    'the service stops.',
  query: Type.Object({
    task_id: Type.Optional(
      described(
        Ids,
        'Only the events of this task, or of several, separated by commas. If `search_id` is omitted too, ' +
          'the events of all tasks and saved searches are sent.',
      ),
    ),
    search_id: Type.Optional(
      described(Ids, 'The hits of this saved search, or of several, separated by commas.'),
    ),
    event: Type.Optional(described(oneOf(...serverEvents), 'Only the events of this name.')),
  }),
  headers: ['last-event-id'],
  form: { live: 'text/event-stream' },
  answers: { 200: LiveBody, 404: ErrorBody },
  handle: async ({ query, headers }, { events }) => {
    const idsIn = (text = '') => text.split(',').filter((id) => id !== '');
    const [task_ids, search_ids] = [idsIn(query.task_id), idsIn(query.search_id)];
    const lastEventId = headers['last-event-id'] ?? '';
    const text = await events.stream({ task_ids, search_ids, event: query.event, lastEventId });
    return reply(200, text, { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  },
});

export const eventRoutes: readonly Route[] = [eventStream];
