// Where a node starts from: its own replica; or the newest snapshot, where it has none, or the log was cut
// while it was away.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../runtime/clock.ts';
import { rm } from '../../runtime/files/names.ts';
import type { Log } from '../../runtime/log.ts';
import { bundleFolders, databaseFile } from '../index/store/names.ts';
import { Store } from '../index/store/store.ts';
import { transferErrors } from '../library/transfer/contract.ts';
import { clusterErrors } from './contract.ts';
import type { Database, ReplicaPosition } from './database.ts';
import type { ClusterExchange } from './exchange.ts';
import { changesAfter } from './log.ts';
import { listSnapshots, type ReplicaSnapshot, refuseSnapshot } from './snapshots.ts';

/** Library that an analysis folder follows. */
export interface Followed extends ReplicaPosition {
  readonly library: string;
}

/** ms between two lines of the log. */
const TELL_EVERY = 10_000;

export interface FirstReplicaParts {
  readonly database: Database;
  readonly exchange: Pick<ClusterExchange, 'take' | 'expectSealed'>;
  readonly library: string;
  readonly nodeId: string;
  /** Nobody else uses it yet. */
  readonly cacheDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Null where it follows nothing. The errors of the store. */
export async function followedBy(cacheDir: string): Promise<Followed | null> {
  const store = new Store(cacheDir);
  try {
    return store.replica;
  } finally {
    await store.close();
  }
}

/**
 * `position`: what the folder follows. SNAPSHOT_DAMAGED where it can follow the log from nowhere,
 * SHARED_FOLDER, TRANSFER_FAILED.
 */
export async function firstReplica(
  parts: FirstReplicaParts,
  position: Followed | null,
  signal: AbortSignal,
): Promise<void> {
  const { database, library, cacheDir, log } = parts;
  const isOther = position === null ? existsSync(databaseFile(cacheDir)) : position.library !== library;
  // It is refused by what opens it.
  if (isOther) return;
  const begun = position ?? { seq: 0, at_ms: 0 };
  const { cut, last, stands, changes } = await changesAfter(database, library, begun, 1);
  const next = changes[0]?.seq ?? last + 1;
  let snapshots = await listSnapshots(database, library);
  if (position !== null && stands && position.seq >= cut) {
    // A gap that no cut has made is filled from a snapshot, if there is one.
    snapshots = next === position.seq + 1 ? [] : snapshots.filter(({ seq }) => seq >= next - 1);
    if (snapshots.length === 0) return;
  }
  if (!stands)
    log.warn('this replica has what the database does not have: it is made again', { change: begun.seq });
  const refused: string[] = [];
  for (const snapshot of snapshots) {
    if (await taken(parts, snapshot, signal)) return;
    refused.push(snapshot.sealed.place);
  }
  // Parts of them may be there.
  if (refused.length > 0 || !stands) await removeAll(cacheDir);
  if (cut === 0) return;
  log.error('no snapshot of the library can be used', { damaged: refused.join(', ') });
  const what = refused.length === 0 ? 'there is none' : `these are damaged: ${refused.join(', ')}`;
  throw clusterErrors.SNAPSHOT_DAMAGED(
    `The log begins behind change ${cut}, and of the snapshots before it ${what}. Start this machine again when another one has made a snapshot`,
    { cut },
  );
}

/** False, and it is told, when it is damaged. */
async function taken(
  parts: FirstReplicaParts,
  snapshot: ReplicaSnapshot,
  signal: AbortSignal,
): Promise<boolean> {
  const { database, exchange, cacheDir, nodeId, clock, log } = parts;
  const { seq, sealed } = snapshot;
  log.info('the library is taken from a snapshot', { change: seq, snapshot: sealed.place });
  let lastReport = clock.now();
  const progress = (done: number, total: number) => {
    if (clock.now() - lastReport < TELL_EVERY) return;
    lastReport = clock.now();
    log.info('the library is taken from a snapshot', {
      megabytes: Math.round(done / 1e6),
      of: Math.round(total / 1e6),
    });
  };
  try {
    // The present data stays until its replacement is complete.
    await exchange.expectSealed(sealed);
    await removeRecords(cacheDir);
    await exchange.take(sealed, cacheDir, signal, progress);
    await database.query('update framehound.node set missed = 0 where id = $1', [nodeId]);
    return true;
  } catch (error) {
    const { LIBRARY_DAMAGED, NO_LIBRARY, INCOMPLETE } = transferErrors;
    const isDamaged = [LIBRARY_DAMAGED, NO_LIBRARY, INCOMPLETE].some((maker) => maker.is(error));
    if (!isDamaged) throw error;
    log.error('a snapshot of the library is damaged', {
      snapshot: sealed.place,
      reason: (error as Error).message,
    });
    await refuseSnapshot(database, snapshot);
    return false;
  }
}

/** Data that is made of media again on demand. */
const remade = ['peaks', 'proxies'];

/**
 * Without them it is no analysis folder, and the bundles there are compared with what is to come. Media may
 * have been forgotten meanwhile, so nothing else stays.
 */
async function removeRecords(cacheDir: string): Promise<void> {
  for (const name of remade) await rm(join(cacheDir, name), { recursive: true, force: true });
  const records = databaseFile(cacheDir);
  for (const end of ['', '-lock', '-spare', '.import']) await rm(`${records}${end}`, { force: true });
}

async function removeAll(cacheDir: string): Promise<void> {
  await removeRecords(cacheDir);
  for (const name of bundleFolders) await rm(join(cacheDir, name), { recursive: true, force: true });
}
