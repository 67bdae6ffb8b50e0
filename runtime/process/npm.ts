// How npm is started from inside the program.
import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

const script = 'npm-cli.js';

/**
 * Program that starts npm without a shell, and the arguments before npm's own. The JavaScript of npm runs
 * under `node`; another program, such as that of a version manager, is started directly.
 */
export function npmProgram(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  node = process.execPath,
): { readonly command: string; readonly args: readonly string[] } {
  const folders = (env['Path'] ?? env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  // npm names itself to what it runs.
  const above = env['npm_execpath'] && join(dirname(env['npm_execpath']), script);
  const npm = [...folders.map((folder) => npmIn(folder, platform)), above].find(
    (path) => path && existsSync(path),
  );
  const isScript = npm !== undefined && basename(npm) === script;
  return isScript ? { command: node, args: [npm] } : { command: 'npm', args: [] };
}

/** On Windows the command in a folder is text for the shell, and its JavaScript has a fixed place. */
function npmIn(folder: string, platform: NodeJS.Platform): string | undefined {
  if (platform === 'win32') return join(folder, 'node_modules', 'npm', 'bin', script);
  try {
    return realpathSync(join(folder, 'npm'));
  } catch {
    return undefined; // There is none.
  }
}

/** A script that `npm install --global` runs inherits where and how that installs; another npm must not. */
export function withoutOuterNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const outer =
    /^npm_config_(global|location|prefix|global_prefix|local_prefix|omit|include|package_lock.*)$|^npm_(?!config_)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !outer.test(name)));
}
