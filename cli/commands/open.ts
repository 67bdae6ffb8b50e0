// `framehound open`: the web page in a browser, signed in; a service is started when none runs.
// `framehound stop` ends it.
import { spawn } from 'node:child_process';
import { createClient } from '../../http/client/client.ts';
import { ApiError } from '../../http/client/error.ts';
import { codeOf } from '../../runtime/errors.ts';
import { asStarted } from '../../runtime/files/permissions.ts';
import { localOrigin } from '../../runtime/origin.ts';
import { STOP_LIMIT_MS } from '../../runtime/process/guardian-client.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, exit, flagsOf, pause } from '../context.ts';
import { askToStop, isRunning, type RunningService, runningService, runsHere } from '../service-file.ts';
import { serviceErrors, signIn } from '../sign-in.ts';

// Tells the process of a service to end, and no other one.

/** How long a service may take to say that it is the one, ms. */
const ANSWER_MS = 5_000;

/** Answers the number of the process. Throws NOT_STOPPED. */
async function tellToStop(
  home: string,
  service: RunningService,
  signal: AbortSignal,
  platform = process.platform,
): Promise<number> {
  const { guardian, engine } = service;
  const { pid, started } = guardian && runsHere(guardian) ? guardian : engine;
  // Where the system does not say when a process began, another one may have got the number since.
  if (started === '' && !(await answers(service, signal)))
    throw serviceErrors.NOT_STOPPED(
      `process ${pid} may no longer be this service: nothing answers for it at port ${service.port}`,
    );
  try {
    if (platform === 'win32') askToStop(home, service);
    else process.kill(pid, 'SIGTERM');
  } catch (error) {
    // It has ended meanwhile.
    if (codeOf(error) !== 'ESRCH')
      throw serviceErrors.NOT_STOPPED(
        `process ${pid} could not be asked to stop (${codeOf(error)})`,
        {},
        error,
      );
  }
  return pid;
}

/** The secret of its owner is known to one run of the service alone. */
async function answers({ host, port, owner }: RunningService, signal: AbortSignal): Promise<boolean> {
  const client = createClient({ url: localOrigin(host, port), key: owner ?? '' });
  const options = { signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]) };
  try {
    if (owner === null) return (await client.livez({}, options)).status === 'ok';
    return typeof (await client.getSettings({}, options)).cache_dir === 'string';
  } catch (error) {
    // It is stopping already.
    return error instanceof ApiError && error.status === 503;
  }
}

export const open: Command = async (args, context) => {
  const { print } = flagsOf(commandTable.open, args);
  await openAt('', context, print);
  return exit.ok;
};

/** `place`: what the page shows, as it stands after the `#` of its address; empty for its start. */
export async function openAt(place: string, context: Context, isPrinted = false): Promise<void> {
  const { screen, out } = context;
  const { address, hasTicket } = await signIn(context);
  const whole = place === '' || hasTicket ? `${address}${place}` : `${address}#${place}`;
  out(`${whole}\n`);
  if (!hasTicket)
    screen.write(
      'This service checks keys with a license server: sign in on the page with a license key, or set FRAMEHOUND_LICENSE_KEY before running framehound open\n',
    );
  else screen.write('The address works once, for one browser, and expires in a minute\n');
  if (isPrinted) return;
  if (hasDisplay(process.env)) openPage(whole, context);
  else screen.write('No display was found: open the address in a browser on this machine\n');
}

/** A little longer than the guardian takes. */
const LIMIT_MS = STOP_LIMIT_MS + 5_000;

export const stop: Command = async (args, context) => {
  flagsOf(commandTable.stop, args);
  const { screen, clock, values, signal } = context;
  const { home } = folders(values);
  const service = runningService(home);
  if (service === null) {
    screen.write(`No service is running for the home folder ${home}\n`);
    return exit.ok;
  }
  const pid = await tellToStop(home, service, signal);
  const began = clock.now();
  for (; isRunning(service) && !signal.aborted; await pause(context, 50)) {
    if (clock.now() - began > LIMIT_MS)
      throw serviceErrors.NOT_REACHED(`process ${pid} was asked to stop but has not exited yet`);
  }
  if (signal.aborted) return exit.cancelled;
  screen.write(`Stopped the service on port ${service.port}\n`);
  return exit.ok;
};

// Shows the web page in the browser of the person.

/** True if a browser can show something here. `env`: the environment of the process. */
export function hasDisplay(
  env: Readonly<Record<string, string | undefined>>,
  platform: string = process.platform,
): boolean {
  if (platform === 'darwin' || platform === 'win32') return true;
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

export function opening(
  address: string,
  platform: string = process.platform,
): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open', address];
  // Not by a shell, to which `&` and `%` in an address mean something.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', address];
  return ['xdg-open', address];
}

function openPage(address: string, { screen }: Context): void {
  const [program, ...args] = opening(address);
  const child = asStarted(() => spawn(program, args, { stdio: 'ignore', detached: true }));
  child.on('error', () => screen.write(`No program was found to open ${address}\n`));
  child.unref();
}
