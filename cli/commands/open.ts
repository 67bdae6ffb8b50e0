// `framehound open`: the web page in a browser, signed in; a service is started when none runs.
// `framehound stop` ends it.
import { parseArgs } from 'node:util';
import { STOP_LIMIT_MS } from '../../runtime/process/guardian-client.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { type Command, exit } from '../context.ts';
import { hasDisplay, openPage } from '../open-page.ts';
import { pause } from '../pause.ts';
import { isRunning, runningService } from '../service-file.ts';
import { serviceErrors, signIn } from '../sign-in.ts';
import { tellToStop } from '../stop-service.ts';

export const open: Command = async (args, context) => {
  const { print } = parseArgs({ args: [...args], options: commandTable.open.options }).values;
  const { screen, out } = context;
  const { address, hasTicket } = await signIn(context);
  out(`${address}\n`);
  if (!hasTicket)
    screen.write(
      'This service checks keys with a license server: sign in on the page with a license key, or set FRAMEHOUND_LICENSE_KEY before running framehound open\n',
    );
  else screen.write('The address works once, for one browser, and expires in a minute\n');
  if (print) return exit.ok;
  if (hasDisplay(process.env)) openPage(address, context);
  else screen.write('No display was found: open the address in a browser on this machine\n');
  return exit.ok;
};

/** A little longer than the guardian takes. */
const LIMIT_MS = STOP_LIMIT_MS + 5_000;

export const stop: Command = async (args, context) => {
  parseArgs({ args: [...args], options: {} });
  const { screen, clock, values, signal } = context;
  const { home } = folders(values);
  const service = runningService(home);
  if (service === null) {
    screen.write(`No service is running for the home folder ${home}\n`);
    return exit.ok;
  }
  const pid = await tellToStop(service, signal);
  const began = clock.now();
  for (; isRunning(service) && !signal.aborted; await pause(context, 50)) {
    if (clock.now() - began > LIMIT_MS)
      throw serviceErrors.NOT_REACHED(`process ${pid} was asked to stop but has not exited yet`);
  }
  if (signal.aborted) return exit.cancelled;
  screen.write(`Stopped the service on port ${service.port}\n`);
  return exit.ok;
};
