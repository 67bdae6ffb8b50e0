// The process of npm that runs a command: npm that is killed hands no signal on. Plain JavaScript for the
// launcher.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Calls `onGone` once when npm, or the shell between, has ended. */
export function endWithNpm(onGone) {
  const npm = npmAbove();
  if (npm === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === parent || isAlive(npm))) return;
    clearInterval(timer);
    onGone();
  }, 1000);
  timer.unref();
}

/**
 * Undefined where the parent is none of npm's, which may well end before its command. npm starts commands by a
 * shell, and few shells hand over their process to the command.
 */
function npmAbove() {
  const { npm_command: command, npm_package_name: name } = process.env;
  if (process.platform === 'win32' || (command !== 'exec' && name !== 'framehound')) return undefined;
  const parent = parentOf(process.ppid);
  return parent !== undefined && /sh$/.test(parent.command) ? parent.above : process.ppid;
}

/** The command of process `pid`, and the id of its parent. */
function parentOf(pid) {
  try {
    if (process.platform === 'linux') {
      const [, command, above] = /\((.*)\) \S+ (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      return { command, above: Number(above) };
    }
    const { stdout } = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' });
    const [, above, command] = /^\s*(\d+)\s+(\S.*?)\s*$/.exec(stdout) ?? [];
    return command === undefined ? undefined : { command, above: Number(above) };
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
