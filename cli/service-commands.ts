// The commands of the service and of its page, as the table of commands lists them.

export const serviceCommands = {
  open: {
    usage: '',
    help: 'the page in a browser, signed in; starts a service when none runs',
    options: {
      print: {
        type: 'boolean',
        default: false,
        help: 'only print the address, for one browser, within a minute',
      },
    },
  },
  serve: {
    usage: '',
    help: 'answer programs over REST and Socket.IO until it is stopped',
    settings: { usage: '--host NAME --port N', help: 'where to listen (127.0.0.1, 6699)' },
    options: {
      'no-guardian': {
        type: 'boolean',
        default: false,
        help: 'in this process, to debug: a crash is not mended',
      },
    },
  },
  mcp: {
    usage: '',
    help: 'tools for assistants (Model Context Protocol) over standard input and output',
    options: {},
  },
  stop: { usage: '', help: 'ends the service that runs with this home folder' },
} as const;
