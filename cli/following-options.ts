// The commands for what goes on by itself in a running service.

import { webhookEvents } from '../events/webhooks/contract.ts';
import { filterValue, json, many } from './command-options.ts';

export const followingCommands = {
  searches: {
    help: 'save searches, which are run on new files',
    options: json,
    actions: {
      list: { usage: '', help: 'list the saved searches of the running service', options: json },
      save: {
        usage: 'NAME [QUERY]',
        help: 'from now on, search each new file of the analysis folder',
        options: {
          image: { type: 'string', value: 'FILE', completes: 'file', help: 'picture to compare with' },
          filter: { ...many, value: filterValue, help: 'only matching files, as for framehound search' },
          ...json,
        },
      },
      remove: { usage: 'ID', help: 'delete a saved search and its hits', options: json },
      hits: { usage: 'ID', help: 'list its latest hits, and mark them as seen', options: json },
      follow: { usage: '[ID...]', help: 'print hits as they come, until stopped', options: json },
    },
  },
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
