// How npm is started from inside the program. Plain JavaScript for any Node from 18 on, as the launcher is.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * What starts npm without a shell: the program, and the arguments that come before npm's own. On Windows npm
 * is a script for the shell, so the JavaScript beside it is started instead.
 */
export function npmProgram(env = process.env, platform = process.platform) {
  if (platform !== 'win32') return { command: 'npm', args: [] };
  const folders = (env.Path ?? env.PATH ?? '').split(delimiter);
  const scripts = folders.map((folder) => join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js'));
  const script = scripts.find((path) => existsSync(path));
  return script === undefined ? { command: 'npm', args: [] } : { command: process.execPath, args: [script] };
}

/** A script that `npm install --global` runs inherits where and how that installs; another npm must not. */
export function withoutOuterNpm(env) {
  const outer =
    /^npm_config_(global|location|prefix|global_prefix|local_prefix|omit|include|package_lock.*)$|^npm_(?!config_)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !outer.test(name)));
}
