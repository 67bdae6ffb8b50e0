// Programs that take the place of npm: a script in a folder that goes before all others in the PATH.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * `script`: JavaScript that runs with `folder`, where the tarball belongs, `spec`, and `fs`. Answers the
 * environment in which it is npm.
 */
export function standInNpm(at: string, script: string): NodeJS.ProcessEnv {
  const head = `const fs = require('node:fs'); const folder = process.argv[process.argv.indexOf('--pack-destination') + 1]; const spec = process.argv[3];`;
  const forWindows = join(at, 'node_modules', 'npm', 'bin', 'npm-cli.js');
  mkdirSync(dirname(forWindows), { recursive: true });
  writeFileSync(forWindows, `${head}\n${script}`);
  const npm = join(at, 'npm');
  writeFileSync(npm, `#!${process.execPath}\n${head}\n${script}`);
  chmodSync(npm, 0o755);
  return { ...process.env, PATH: [at, process.env['PATH']].join(delimiter) };
}
