// Limits of a process that parses strangers' files. On Linux the system limits its memory, and where
// bubblewrap (`bwrap`) is installed and allowed it can write no file and reaches no network.
import { spawn } from 'node:child_process';

const bwrap =
  'bwrap --ro-bind / / --dev /dev --unshare-net --unshare-ipc --unshare-uts --die-with-parent --new-session --';

/** The system ends the program with its parent, also while native code of it hangs. */
const setpriv = 'setpriv --pdeathsig KILL';
/** Else a volume that is mounted later would be missing in a process that runs already. */
const sharesMounts = "grep -q '^[^ ]* [^ ]* [^ ]* / / .* shared:' /proc/self/mountinfo";
/** Arguments: KiB of memory, then the program. */
const script = [
  'ulimit -d "$0"',
  `${sharesMounts} && ${bwrap} true 2>/dev/null && exec ${bwrap} "$@"`,
  `${setpriv} true 2>/dev/null && exec ${setpriv} "$@"`,
  'exec "$@"',
].join('\n');

/** The command that runs `program` with `mostBytes` of memory. */
export function confined(program: readonly string[], mostBytes: number): [string, ...string[]] {
  if (process.platform !== 'linux') return program as [string, ...string[]];
  return ['/bin/sh', '-c', script, String(Math.ceil(mostBytes / 1024)), ...program];
}

/** Why bubblewrap does not confine processes here; null where it does. */
export async function unconfined(): Promise<string | null> {
  if (process.platform !== 'linux') return 'bubblewrap is for Linux alone';
  const looks = `${sharesMounts} || { echo 'mounts of this system are not shared' >&2; exit 1; }\n${bwrap} true`;
  const child = spawn('/bin/sh', ['-c', looks], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  return code === 0 ? null : said.trim() || `it ends with ${code}`;
}
