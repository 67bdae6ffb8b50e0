// Shows the web page in the browser of the person.
import { spawn } from 'node:child_process';
import { asStarted } from '../runtime/files/permissions.ts';
import type { Context } from './context.ts';

/** True if a browser can show something here. `env`: the environment of the process. */
export function hasDisplay(
  env: Readonly<Record<string, string | undefined>>,
  platform: string = process.platform,
): boolean {
  if (platform === 'darwin' || platform === 'win32') return true;
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

/** The command that shows an address. */
export function opening(
  address: string,
  platform: string = process.platform,
): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open', address];
  // Not by a shell, to which `&` and `%` in an address mean something.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', address];
  return ['xdg-open', address];
}

export function openPage(address: string, { screen }: Context): void {
  const [program, ...args] = opening(address);
  const child = asStarted(() => spawn(program, args, { stdio: 'ignore', detached: true }));
  child.on('error', () => screen.write(`No program was found to open ${address}\n`));
  child.unref();
}
