// `framehound webhooks`: programs that the running service sends events to, and what became of them.
import {
  type Delivery,
  type Webhook,
  type WebhookEvent,
  webhookEvents,
} from '../../events/webhooks/contract.ts';
import { counted } from '../../runtime/text.ts';
import { commandTable } from '../command-table.ts';
import { argumentsOf, type Command, exit, flagsOf, only, usageErrors } from '../context.ts';
import { byAction } from '../help.ts';
import { printable } from '../terminal.ts';
import { withWatcher } from './watch.ts';

const table = commandTable.webhooks.actions;

const list: Command = async (args, context) => {
  const values = flagsOf(table.list, args);
  return withWatcher(context, async (client) => {
    const all = (await client.listWebhooks()).webhooks;
    if (values.json) context.out(`${JSON.stringify(all)}\n`);
    else for (const webhook of all) context.out(webhookLine(webhook));
    if (all.length === 0)
      context.screen.write('There are no webhooks. To add one: framehound webhooks add URL\n');
    return exit.ok;
  });
};

const add: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.add, args);
  const url = only(positionals, 'webhooks add needs the address');
  const { secret, event } = values;
  const events = event.length > 0 ? event.map(eventOf) : [...webhookEvents];
  return withWatcher(context, async (client) => {
    const answer = await client.addWebhook({ url, events, ...(secret !== undefined && { secret }) });
    context.out(values.json ? `${JSON.stringify(answer)}\n` : webhookLine(answer.webhook));
    if (secret === undefined && !values.json) {
      context.out(`${answer.secret}\n`);
      context.screen.write('This secret of the signatures is shown only now.\n');
    }
    return exit.ok;
  });
};

const remove: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.remove, args);
  const word = only(positionals, 'webhooks remove needs the id of one webhook');
  return withWatcher(context, async (client) => {
    const { webhook_id } = meant((await client.listWebhooks()).webhooks, word);
    const answer = await client.removeWebhook({ webhook_id });
    context.out(values.json ? `${JSON.stringify(answer)}\n` : `${answer.message}\n`);
    return exit.ok;
  });
};

const deliveries: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.deliveries, args);
  const word = only(positionals, 'webhooks deliveries needs the id of one webhook');
  const { resend: delivery_id, max } = values;
  if (!/^[1-9]\d{0,2}$/.test(max)) throw usageErrors.USAGE('--max must be a number from 1 to 999');
  return withWatcher(context, async (client) => {
    const { webhook_id } = meant((await client.listWebhooks()).webhooks, word);
    const deliveries =
      delivery_id === undefined
        ? (await client.listDeliveries({ webhook_id, limit: Number(max) })).deliveries
        : [(await client.resendDelivery({ webhook_id, delivery_id })).delivery];
    if (values.json) context.out(`${JSON.stringify(deliveries)}\n`);
    else for (const delivery of deliveries) context.out(deliveryLine(delivery));
    return exit.ok;
  });
};

const actions: Readonly<Record<string, Command>> = { list, add, remove, deliveries };

export const webhooks: Command = byAction('webhooks', actions, 'list');

function eventOf(word: string): WebhookEvent {
  const event = webhookEvents.find((name) => name === word);
  if (event) return event;
  throw usageErrors.USAGE(`there is no event ${word}: ${webhookEvents.join(', ')}`);
}

/** Finds a webhook by its id or a unique beginning of it. */
function meant(all: readonly Webhook[], word: string): Webhook {
  const [match, ...others] = all.filter(({ webhook_id }) => webhook_id.startsWith(word));
  if (match && others.length === 0) return match;
  throw usageErrors.USAGE(match ? `several webhooks begin with ${word}` : `there is no webhook ${word}`);
}

function webhookLine({ webhook_id, url, events }: Webhook): string {
  return `${webhook_id.slice(0, 8)}  ${printable(url)}  ${events.join(', ')}\n`;
}

function deliveryLine({ delivery_id, event, state, created_at, next_try_at, tries }: Delivery): string {
  const last = tries.at(-1);
  const why = last?.error ? `: ${printable(last.error)}` : '';
  const next = next_try_at === null ? '' : `, next try ${timeOf(next_try_at)}`;
  const count = counted(tries.length, 'try', 'tries');
  return `${delivery_id}  ${timeOf(created_at)}  ${event}  ${state}, ${count}${why}${next}\n`;
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}
