// Runs `npm pack` for one package, without a shell, so that the registry, the proxy and the mirror of the
// user's npm hold.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { npmProgram, withoutOuterNpm } from '../../../runtime/process/npm.mjs';
import { modelErrors } from '../contract.ts';

/** What an answer of the registry means that no other try changes. */
const refusals = ['E401', 'E403', 'E404', 'E405', 'E410', 'ETARGET', 'ENOVERSIONS', 'ENEEDAUTH', 'EUSAGE'];
const MOST_SAID = 1 << 16;

/**
 * `spec`: name and version. `folder` gets the tarball, and npm's cache with it. Throws DOWNLOAD_FAILED and
 * DOWNLOAD_REFUSED with what npm says; the reason of `signal`.
 */
export async function packPackage(
  spec: string,
  folder: string,
  { signal, env }: { readonly signal: AbortSignal; readonly env: NodeJS.ProcessEnv },
): Promise<void> {
  signal.throwIfAborted();
  const { command, args } = npmProgram(env);
  // The cache of the user would keep the tarball, which is of no use to other packages. Whoever calls tries
  // again.
  const settings = ['--cache', join(folder, 'cache'), '--pack-destination', folder, '--fetch-retries=0'];
  const quiet = ['--loglevel=error', '--ignore-scripts', '--no-update-notifier', '--no-progress'];
  const npm = spawn(command, [...args, 'pack', spec, ...settings, ...quiet], {
    cwd: folder,
    env: withoutOuterNpm(env),
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
  let said = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MOST_SAID);
  });
  // Nothing of what it wrote is kept, so it needs no time to end well.
  const kill = () => void npm.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  try {
    const [status] = await once(npm, 'close');
    signal.throwIfAborted();
    if (status !== 0) throw packError(spec, said, status);
  } catch (error) {
    throw signal.aborted ? signal.reason : notFound(spec, error);
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

function packError(spec: string, said: string, status: number | null) {
  const { code, text } = npmError(said);
  const message = `${spec}: npm ${text === '' ? `ended with ${status}` : `says: ${text}`}`;
  const details = { package: spec, code };
  // The tarball is not what the registry says of it: once more would be another hundred megabytes for the
  // same answer.
  if (code === 'EINTEGRITY') return modelErrors.DOWNLOAD_MISMATCH(message, details);
  if (refusals.includes(code)) return modelErrors.DOWNLOAD_REFUSED(message, details);
  return modelErrors.DOWNLOAD_FAILED(message, details);
}

function notFound(spec: string, error: unknown): unknown {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  if (!isMissing) return error;
  const message = `${spec}: npm is not in the PATH of this process`;
  return modelErrors.DOWNLOAD_REFUSED(message, { package: spec, code: 'ENOENT' }, error);
}

/** Code and text of an error as npm prints it, `npm error code E404` and lines of text after it. */
export function npmError(said: string): { code: string; text: string } {
  const lines = [...said.matchAll(/^npm (?:error|ERR!) ?(.*)$/gm)].map(([, line]) => line!.trim());
  const code = /^code (\S+)$/.exec(lines[0] ?? '')?.[1] ?? '';
  const texts = lines.filter(
    (line) =>
      line !== '' && !/^(code|errno|syscall) \S+$|^A complete log of this run|^\S+-debug-0\.log$/.test(line),
  );
  const [first = ''] = texts;
  return { code, text: first.replace(/^(\d{3}|notarget|network) /, '') || code };
}
