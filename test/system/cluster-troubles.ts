// What can happen to the machines of a cluster, their lines to the database, the database and the shared
// folder. Each trouble lasts until it is ended.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { codeOf } from '../../runtime/errors.ts';

/** Line between one machine and the database. */
export interface Line {
  readonly url: string;
  /** Connections break, and no other one is made. */
  cut(): void;
  /** Nothing arrives any more, and nobody is told. What was sent meanwhile arrives when it is open again. */
  silence(): void;
  open(): void;
  end(): void;
}

/** `url`: of a database that listens on loopback. */
export async function openLine(url: string): Promise<Line> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: 'open' | 'cut' | 'silent' = 'open';
  const flow = ([near, far]: readonly [Socket, Socket]) => {
    near.pipe(far);
    far.pipe(near);
  };
  const server = createServer((near) => {
    if (state === 'cut') return near.destroy();
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        for (const end of pair) end.destroy();
      });
    }
    if (state === 'open') flow(pair);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    state = 'cut';
    for (const [near] of pairs) near.destroy();
  };
  const own = new URL(url);
  own.port = `${(server.address() as { port: number }).port}`;
  return {
    url: own.href,
    cut,
    end: () => {
      cut();
      server.close();
    },
    silence: () => {
      state = 'silent';
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    open: () => {
      if (state === 'silent') for (const pair of pairs) flow(pair);
      state = 'open';
    },
  };
}

/** The shared folder as a disk of its own. */
export interface Share {
  /** False while another process writes there. */
  protect(): boolean;
  fill(): void;
  takeAway(): void;
  /** As it was. */
  restore(): void;
  end(): void;
}

const MEGABYTES = 192;
const mount = (...args: string[]) => execFileSync('mount', args, { stdio: 'ignore' });

/** Only root can mount it. `shared`: the folder, empty. */
export function mountShare(shared: string): Share {
  const disk = `${shared}-disk`;
  const ballast = join(disk, 'ballast');
  mkdirSync(disk);
  mount('-t', 'tmpfs', '-o', `size=${MEGABYTES}m`, 'framehound-share', disk);
  const bind = () => mount('--bind', disk, shared);
  const unbind = () => execFileSync('umount', ['-l', shared]);
  bind();
  let isThere = true;
  return {
    end: () => {
      if (isThere) unbind();
      execFileSync('umount', ['-l', disk]);
    },
    protect: () => {
      try {
        mount('-o', 'remount,bind,ro', shared);
        return true;
      } catch {
        return false;
      }
    },
    fill: () => {
      const file = openSync(ballast, 'w');
      for (let size = 1 << 20; size >= 4096; ) {
        try {
          writeSync(file, Buffer.alloc(size));
        } catch (error) {
          if (codeOf(error) !== 'ENOSPC') throw error;
          size >>= 1;
        }
      }
      closeSync(file);
    },
    takeAway: () => {
      unbind();
      isThere = false;
    },
    restore: () => {
      rmSync(ballast, { force: true });
      if (isThere) mount('-o', 'remount,bind,rw', shared);
      else bind();
      isThere = true;
    },
  };
}
