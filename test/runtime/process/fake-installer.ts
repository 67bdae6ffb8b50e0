// The installer of onnxruntime as it is, but for its downloads.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const realModules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** Downloads that write whole files of ELF: their section headers would begin at their end. */
export const writesAll = `const head = Buffer.alloc(64); head.writeUInt32BE(0x7f454c46); head.writeBigUInt64LE(64n, 40);
  for (const { filepath } of files) {
    require('fs').mkdirSync(require('path').dirname(filepath), { recursive: true });
    require('fs').writeFileSync(filepath, head);
  }`;
export const failsOffline = 'throw new Error("getaddrinfo ENOTFOUND nowhere");';

/**
 * Puts onnxruntime-node with the real installer into `modules`. `download`: what is done with the `files` it
 * wants.
 */
export function copyInstaller(modules: string, download: string) {
  const own = join(modules, 'onnxruntime-node');
  const script = join(own, 'script');
  cpSync(join(realModules, 'onnxruntime-node', 'script'), script, { recursive: true });
  writeFileSync(join(own, 'package.json'), '{ "version": "1.2.3" }');
  for (const name of ['global-agent', 'adm-zip']) {
    mkdirSync(join(modules, name));
    writeFileSync(join(modules, name, 'index.js'), 'exports.bootstrap = () => {};');
  }
  cpSync(join(script, 'install-utils.js'), join(script, 'real-utils.js'));
  const utils = `module.exports = { ...require('./real-utils.js'), installPackages: (packages, files) => {
    require('fs').appendFileSync(${JSON.stringify(join(modules, 'calls'))}, JSON.stringify(process.env) + '\\n');
    ${download}
  } };`;
  writeFileSync(join(script, 'install-utils.js'), utils);
}

/** The environment of each run of the installer that came to its downloads. */
export function downloadsOf(modules: string): NodeJS.ProcessEnv[] {
  const path = join(modules, 'calls');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  return lines.map((line) => JSON.parse(line) as NodeJS.ProcessEnv);
}

/** What npm tells a command of a checkout in `folder`. The installer fetches nothing when it sees this. */
export function npmEnv(folder: string): Record<string, string> {
  return { npm_config_local_prefix: folder, npm_package_json: join(folder, 'package.json') };
}
