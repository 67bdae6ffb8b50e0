// Shows a page in the browser of the person.
import { spawn } from 'node:child_process';
import type { Context } from './context.ts';

export function openPage(page: string, { screen }: Context): void {
  const [program, ...before] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '']
        : ['xdg-open'];
  const child = spawn(program!, [...before, page], { stdio: 'ignore', detached: true });
  child.on('error', () => screen.write(`No program was found that opens ${page}\n`));
  child.unref();
}
