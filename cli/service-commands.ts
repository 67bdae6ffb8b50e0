// The commands of the service, its page and its keys, as the table of commands lists them.

const json = { json: { type: 'boolean', default: false } } as const;

export const serviceCommands = {
  open: {
    usage: '',
    help: 'open the page in a browser; starts a service if none runs',
    options: {
      print: {
        type: 'boolean',
        default: false,
        help: 'only print the address; it works once, within a minute',
      },
    },
  },
  serve: {
    usage: '',
    help: 'serve REST, Socket.IO and the page until stopped',
    settings: { usage: '--host NAME --port N', help: 'address to listen on (127.0.0.1, 6699)' },
    options: {
      'no-guardian': {
        type: 'boolean',
        default: false,
        help: 'run in this process, for debugging; no restart after a crash',
      },
    },
  },
  mcp: {
    usage: '',
    help: 'serve an assistant (MCP) over standard input and output',
    options: {},
  },
  stop: { usage: '', help: 'stop the service of this home folder' },
  license: {
    help: 'issue, list and revoke access keys of the service',
    actions: {
      issue: {
        usage: '',
        help: 'make a key and print it',
        options: {
          tier: {
            type: 'string',
            value: 'pro|basic',
            completes: ['pro', 'basic'],
            help: 'tier of the key; the service requires pro',
          },
          name: { type: 'string', default: '', value: 'NAME', help: 'whose key it is' },
          days: { type: 'string', value: 'D', help: 'expires after D days (never)' },
        },
      },
      list: { usage: '[--json]', help: 'list the keys of this machine, without their text', options: json },
      revoke: { usage: 'ID|KEY', help: 'revoke a key; a running service then refuses it' },
    },
  },
} as const;
