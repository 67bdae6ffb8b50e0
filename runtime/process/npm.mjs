// How npm is started from inside the program. Plain JavaScript for any Node from 18 on, as the launcher is.
import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

/**
 * What starts npm without a shell: the program, and the arguments that come before npm's own. The JavaScript
 * of npm runs under `node`: npm's own command takes the Node that lies beside it, and packages choose by that
 * one what they install. Where the command is another program, as of a version manager, it is started itself.
 */
export function npmProgram(env = process.env, platform = process.platform, node = process.execPath) {
  const folders = (env.Path ?? env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  // npm names itself to what it runs.
  const above = env.npm_execpath && join(dirname(env.npm_execpath), script);
  const found = [...folders.map((folder) => npmIn(folder, platform)), above].find(
    (path) => path && existsSync(path),
  );
  const isScript = found !== undefined && basename(found) === script;
  return isScript ? { command: node, args: [found] } : { command: 'npm', args: [] };
}

const script = 'npm-cli.js';

/** On Windows the command in a folder is text for the shell, and its JavaScript has a fixed place. */
function npmIn(folder, platform) {
  if (platform === 'win32') return join(folder, 'node_modules', 'npm', 'bin', script);
  try {
    return realpathSync(join(folder, 'npm'));
  } catch {
    return undefined; // There is none.
  }
}

/** A script that `npm install --global` runs inherits where and how that installs; another npm must not. */
export function withoutOuterNpm(env) {
  const outer =
    /^npm_config_(global|location|prefix|global_prefix|local_prefix|omit|include|package_lock.*)$|^npm_(?!config_)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !outer.test(name)));
}
