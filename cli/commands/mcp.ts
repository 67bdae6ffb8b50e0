// `framehound mcp`: the tools for assistants over standard input and output, until the assistant closes them.
// Nothing but the protocol is written to standard output.
import { parseArgs } from 'node:util';
import { createClient } from '../../http/client/client.ts';
import { serveOverPipes } from '../../http/mcp/protocol.ts';
import { programVersion } from '../../runtime/process/version.ts';
import { folders } from '../../settings.ts';
import { assistantService } from '../assistant-service.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit } from '../context.ts';
import { protocolOutput } from '../protocol-output.ts';

export const mcp: Command = async (args, context) => {
  parseArgs({ args: [...args], options: commandTable.mcp.options });
  const { values, log } = context;
  const service = assistantService(context);
  const { url, key, fetch } = service;
  const client = createClient({ url, key, ...(fetch && { fetch }) });
  const desk = { client, url, cacheDir: folders(values).cache };
  // Before the first message is read: it may be the last one.
  const over = connectionOver(context);
  const connection = serveOverPipes({
    desk,
    output: protocolOutput(process.stdout, process.stderr),
    version: programVersion(),
    onError: (error) => log.warn('a message was rejected', { error: error.message }),
  });
  try {
    await over;
  } finally {
    await connection.close();
    await service.close();
  }
  return exit.ok;
};

/** Resolves when the assistant has gone, or this process is told to end. */
function connectionOver({ signal }: Context): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    process.stdin.once('error', () => resolve());
  });
}
