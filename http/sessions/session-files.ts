// What is kept of sessions, so that they outlive a crash and a restart: a private folder of the home folder with one small
// file a session, as license keys have. A file holds the hash of the token, and the license key sealed under the token.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { privateFile, replaceFile } from '../../runtime/files/atomic-write.ts';
import { codeOf } from '../../runtime/files/error-code.ts';
import type { Log } from '../../runtime/log.ts';
import { nullable } from '../../runtime/schema.ts';

/** Times are Unix seconds. */
const StoredSession = Type.Object({
  version: Type.Literal(1),
  /** SHA-256 of the token. */
  hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  opened_at: Type.Number(),
  last_used_at: Type.Number(),
  /** Null: it stands for the owner of the home folder. */
  sealed: nullable(Type.String()),
  /** The analysis folder that its page begins with; null is the default one. */
  cache_dir: nullable(Type.String()),
});
export type StoredSession = Static<typeof StoredSession>;

export interface SessionFiles {
  /** Longest unused first. A file that is no session is removed. */
  read(): StoredSession[];
  /** `flush`: it survives a power cut. */
  write(session: StoredSession, flush: boolean): void;
  remove(hash: string): void;
}

/** A session works as well when it cannot be kept: nothing throws, the log says so when it begins and when it ends. */
export function sessionFiles(folder: string, log: Log): SessionFiles {
  let failing = false;
  const pathOf = (hash: string) => join(folder, `${hash.slice(0, 24)}.json`);
  const tryDisk = (work: () => void): void => {
    try {
      work();
      if (failing) log.info('sessions can be kept again');
      failing = false;
    } catch (error) {
      if (!failing) log.error('sessions cannot be kept; they end with the service', { folder, error });
      failing = true;
    }
  };
  return {
    read: () => {
      const found = namesIn(folder, log).flatMap((name) => readSession(join(folder, name), log));
      return found.sort((a, b) => a.last_used_at - b.last_used_at);
    },
    write: (session, flush) => {
      const text = `${JSON.stringify(session)}\n`;
      tryDisk(() => replaceFile(pathOf(session.hash), text, { ...privateFile, flush }));
    },
    remove: (hash) => tryDisk(() => rmSync(pathOf(hash), { force: true })),
  };
}

function namesIn(folder: string, log: Log): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') log.error('the kept sessions cannot be read', { folder, error });
    return [];
  }
}

function readSession(path: string, log: Log): StoredSession[] {
  try {
    const value: unknown = parsed(readFileSync(path, 'utf8'));
    if (Check(StoredSession, value)) return [value];
    log.warn('a kept session is damaged and removed', { path });
    rmSync(path, { force: true });
  } catch (error) {
    log.error('a kept session cannot be read', { path, error });
  }
  return [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Fails the schema check of the caller.
  }
}
