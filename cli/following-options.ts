// The commands for what goes on by itself in a running service.

import { webhookEvents } from '../events/webhooks/contract.ts';
import { json, many } from './command-options.ts';

export const followingCommands = {
  webhooks: {
    help: 'send signed events to other programs',
    options: json,
    actions: {
      list: { usage: '', help: 'list the webhooks of the running service', options: json },
      add: {
        usage: 'URL',
        help: 'send events to an address of this machine, or of the setting webhook_hosts',
        options: {
          event: {
            ...many,
            value: 'EVENT',
            completes: webhookEvents,
            help: `${webhookEvents.join(', ')} (all; may be repeated)`,
          },
          secret: { type: 'string', value: 'TEXT', help: 'secret of the signatures (made and printed once)' },
          ...json,
        },
      },
      remove: { usage: 'ID', help: 'send it no more events', options: json },
      deliveries: {
        usage: 'ID',
        help: 'list what was sent to it, newest first',
        options: {
          resend: { type: 'string', value: 'DELIVERY', help: 'send this one again' },
          max: { type: 'string', default: '20', value: 'N', help: 'at most N deliveries (20)' },
          ...json,
        },
      },
    },
  },
} as const;
