// Webhooks: which programs are sent events, and what became of the deliveries.
import { Type } from 'typebox';
import { Delivery, NewWebhook, Webhook } from '../../events/webhooks/contract.ts';
import { defaulted, described, field, Message } from '../../runtime/schema.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Webhooks';

const webhook_id = described(Type.String({ minLength: 1, maxLength: 200 }), 'Id of the webhook.');
const Id = Type.Object({ webhook_id });
const One = field('The webhook as it is now stored.', Webhook);

export const listWebhooks = route({
  method: 'GET',
  path: '/api/v1/webhooks',
  id: 'listWebhooks',
  tag,
  summary: 'List the webhooks',
  description: 'Secrets are not returned.',
  answers: { 200: Type.Object({ webhooks: field('All webhooks.', Type.Array(Webhook)) }) },
  handle: async (_, { webhooks }) => reply(200, { webhooks: webhooks.list() }),
});

export const addWebhook = route({
  method: 'POST',
  path: '/api/v1/webhooks',
  id: 'addWebhook',
  tag,
  summary: 'Add a webhook',
  description:
    'From now on, each of the events is sent to the address as JSON with `type`, `timestamp` and `data`, ' +
    'signed as the Standard Webhooks specification says: the headers `webhook-id`, `webhook-timestamp` and ' +
    '`webhook-signature` (`v1,` and the base64 of the HMAC-SHA256 of id, timestamp and body, joined by dots). ' +
    'A delivery is tried five times: at once, and after 5 seconds, 1 minute, 10 minutes and 1 hour, also ' +
    'across restarts of the service, until the receiver answers within 10 seconds with a status of 200 to ' +
    '299. Redirects are not followed. Receivers should ignore an id that they have seen. Returns 400 with ' +
    'the field in `message` if the address is not allowed, and 409 if there are too many webhooks.\n\n' +
    '`data` of `task.ended`: `task_id`, `state` (`completed`, `cancelled`, `failed` or `interrupted`), and ' +
    '`error` (`code`, `error`, `message`) or null. Of `file.analyzed`: `task_id`, `media_path`, `hash_str` and ' +
    '`type`, once for each type of work, and not for what was already stored; `file.failed` also has `error` ' +
    '(`code`, `message`). Of `watch_folder.trouble`: `id`, `folder_path`, `error` and `paused_until`, once ' +
    'until the folder can be analysed again. Of `search.hit`: a hit, as in GET ' +
    '/searches/saved/{search_id}/hits.',
  body: NewWebhook,
  answers: {
    201: Type.Object({
      webhook: One,
      secret: field('The secret of the signatures. It is returned only now.', Type.String()),
    }),
    409: ErrorBody,
  },
  handle: async ({ body }, { webhooks }) => reply(201, await webhooks.add(body)),
});

export const removeWebhook = route({
  method: 'DELETE',
  path: '/api/v1/webhooks/{webhook_id}',
  id: 'removeWebhook',
  tag,
  summary: 'Remove a webhook',
  description: 'Its pending deliveries and its log are removed.',
  params: Id,
  answers: { 200: Type.Object({ message: Message }), 404: ErrorBody },
  handle: async ({ params }, { webhooks }) => {
    await webhooks.remove(params.webhook_id);
    return reply(200, { message: 'Webhook removed' });
  },
});

export const listDeliveries = route({
  method: 'GET',
  path: '/api/v1/webhooks/{webhook_id}/deliveries',
  id: 'listDeliveries',
  tag,
  summary: 'List the deliveries of a webhook',
  description: 'Newest first: all pending ones, and the latest 1000 of all webhooks that have ended.',
  params: Id,
  query: Type.Object({
    offset: defaulted(
      described(Type.Integer({ minimum: 0, maximum: 1_000_000 }), 'Number of deliveries to skip.'),
      0,
    ),
    limit: defaulted(
      described(Type.Integer({ minimum: 1, maximum: 1000 }), 'Maximum number of deliveries to return.'),
      100,
    ),
  }),
  answers: {
    200: Type.Object({
      total: field('Number of deliveries.', Type.Integer({ minimum: 0 })),
      deliveries: field('The deliveries.', Type.Array(Delivery)),
    }),
    404: ErrorBody,
  },
  handle: async ({ params, query }, { webhooks }) =>
    reply(200, webhooks.deliveries(params.webhook_id, query)),
});

export const resendDelivery = route({
  method: 'POST',
  path: '/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend',
  id: 'resendDelivery',
  tag,
  summary: 'Send a delivery again',
  description: 'Tries it now with the same id and body, and up to four times more if that fails.',
  params: Type.Object({
    webhook_id,
    delivery_id: described(Type.String({ minLength: 1, maxLength: 200 }), 'Id of the delivery.'),
  }),
  answers: { 202: Type.Object({ delivery: field('The delivery as it is now.', Delivery) }), 404: ErrorBody },
  handle: async ({ params }, { webhooks }) =>
    reply(202, { delivery: webhooks.resend(params.webhook_id, params.delivery_id) }),
});

export const webhookRoutes: readonly Route[] = [
  listWebhooks,
  addWebhook,
  removeWebhook,
  listDeliveries,
  resendDelivery,
];
