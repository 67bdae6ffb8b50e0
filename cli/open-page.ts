// Shows a page in the browser of the person.
import { spawn } from 'node:child_process';
import { asStarted } from '../runtime/files/permissions.ts';
import type { Context } from './context.ts';

/** Whether a browser can show something here. `env`: the environment of the process. */
export function hasDisplay(
  env: Readonly<Record<string, string | undefined>>,
  platform: string = process.platform,
): boolean {
  if (platform === 'darwin' || platform === 'win32') return true;
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

export function openPage(page: string, { screen }: Context): void {
  const [program, ...before] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '']
        : ['xdg-open'];
  const child = asStarted(() => spawn(program!, [...before, page], { stdio: 'ignore', detached: true }));
  child.on('error', () => screen.write(`No program was found to open ${page}\n`));
  child.unref();
}
