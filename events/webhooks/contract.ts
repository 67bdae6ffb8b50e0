// Webhooks: addresses of other programs that are sent events, signed as the Standard Webhooks specification
// says, and what became of each delivery.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import { described, field, nullable, oneOf } from '../../runtime/schema.ts';

export const webhookErrors = errorTable({
  WEBHOOK_UNKNOWN: { meaning: 'Webhook not found', status: 404 },
  DELIVERY_UNKNOWN: { meaning: 'Delivery not found', status: 404 },
  WEBHOOK_INVALID: { meaning: 'The webhook is not valid', status: 400 },
  WEBHOOKS_FULL: { meaning: 'There are too many webhooks', status: 409 },
  WEBHOOKS_DAMAGED: { meaning: 'The file of the webhooks cannot be read', status: 500 },
  WEBHOOKS_UNWRITABLE: { meaning: 'Webhooks cannot be written', status: 507 },
});

/** Webhooks of a home folder. */
export const mostWebhooks = 100;

export const webhookEvents = [
  'task.ended',
  'file.analyzed',
  'file.failed',
  'watch_folder.trouble',
  'search.hit',
] as const;
export const WebhookEvent = oneOf(...webhookEvents);
export type WebhookEvent = Static<typeof WebhookEvent>;

const given = {
  url: described(
    Type.String({ pattern: '^[Hh][Tt][Tt][Pp][Ss]?://', maxLength: 2000 }),
    'The address that events are sent to with POST: `http` or `https`, on this machine (`localhost`, `127.0.0.1`, ' +
      '`[::1]`) or a host of the setting `webhook_hosts`, without a user name and a password.',
  ),
  events: described(
    Type.Array(WebhookEvent, { minItems: 1, maxItems: 20 }),
    'Events to send. `task.ended`: a task has ended, however it did. `file.analyzed`, `file.failed`: the ' +
      'work on a file has ended, for each type of work. `watch_folder.trouble`: a watch folder cannot be ' +
      'listed or analysed for now. `search.hit`: a saved search has found something in a new file.',
  ),
};

export const NewWebhook = Type.Object({
  ...given,
  secret: Type.Optional(
    described(
      Type.String({ pattern: '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$' }),
      'Secret of the signatures: `whsec_` and 24 to 64 bytes in base64. If omitted, one is made.',
    ),
  ),
});
export type NewWebhook = Static<typeof NewWebhook>;

const Time = Type.Number({ minimum: 0 });
const WebhookId = field('Id of the webhook.', Type.String());

export const Webhook = Type.Object({
  webhook_id: WebhookId,
  ...given,
  created_at: field('When the webhook was added, as a Unix time in seconds.', Time),
});
export type Webhook = Static<typeof Webhook>;

const deliveryStates = ['pending', 'delivered', 'failed'] as const;

export const Delivery = Type.Object({
  delivery_id: field(
    'Id of the delivery, sent as `webhook-id`. It stays the same in every try.',
    Type.String(),
  ),
  webhook_id: WebhookId,
  event: described(WebhookEvent, 'The event.'),
  created_at: field('When the event happened, as a Unix time in seconds.', Time),
  state: described(
    oneOf(...deliveryStates),
    '`pending`: it will be tried, or tried again. `delivered`: the receiver answered with a status of 200 to ' +
      '299. `failed`: five tries have failed.',
  ),
  next_try_at: field('When it is tried next, as a Unix time in seconds; otherwise null.', nullable(Time)),
  tries: field(
    'The tries so far, oldest first; the latest five.',
    Type.Array(
      Type.Object({
        time: field('When it was tried, as a Unix time in seconds.', Time),
        status: field('Status of the answer; null if there was none.', nullable(Type.Integer())),
        error: field('Why the try failed; null if it did not.', nullable(Type.String())),
      }),
    ),
  ),
  body: field('The JSON that is sent, as text.', Type.String()),
});
export type Delivery = Static<typeof Delivery>;

/** The webhooks of a home folder. Everywhere WEBHOOKS_DAMAGED, WEBHOOKS_UNWRITABLE naming the file. */
export interface Webhooks {
  list(): Webhook[];
  /** The only answer that has the secret. *Flushed*. WEBHOOK_INVALID naming the field, WEBHOOKS_FULL. */
  add(webhook: NewWebhook): Promise<{ readonly webhook: Webhook; readonly secret: string }>;
  /** Drops pending deliveries. WEBHOOK_UNKNOWN. */
  remove(webhookId: string): Promise<void>;
  /** Newest first. WEBHOOK_UNKNOWN. */
  deliveries(webhookId: string, page: Page): { readonly total: number; readonly deliveries: Delivery[] };
  /** Tries it now, and as often as a new one. WEBHOOK_UNKNOWN, DELIVERY_UNKNOWN. */
  resend(webhookId: string, deliveryId: string): Delivery;
}

interface Page {
  readonly offset: number;
  readonly limit: number;
}
