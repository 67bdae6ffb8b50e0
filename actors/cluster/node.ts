// This engine as a node: says every two seconds that it is there and how far it is, and hears whether it is
// to take files.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import type { Clock } from '../../runtime/clock.ts';
import { privateFile, replaceFile } from '../../runtime/files/atomic-write.ts';
import { readJsonNow } from '../../runtime/files/json-file.ts';
import type { Log } from '../../runtime/log.ts';
import { programVersion } from '../../runtime/process/program.ts';
import { Alarm } from './alarm.ts';
import type { Role } from './contract.ts';
import type { Database } from './database.ts';

const BEAT_EVERY = 2_000;
/** Seconds of difference between clocks that are told. */
const CLOCK_TELL = 60;

const NodeFile = Type.Object({ version: Type.Literal(1), id: Type.String() });

/** The id of the node of a home folder, which is made when there is none. */
export function nodeIdIn(home: string): string {
  const path = join(home, 'cluster', 'node.json');
  const known = readJsonNow(NodeFile, path);
  if (known !== undefined) return known.id;
  const id = randomUUID();
  replaceFile(path, `${JSON.stringify({ version: 1, id })}\n`, privateFile);
  return id;
}

export interface NodeParts {
  readonly database: Database;
  readonly id: string;
  readonly roles: readonly Role[];
  readonly clock: Clock;
  readonly log: Log;
  applied(): number;
  /** Files that are being analysed; paths by root. */
  working(): readonly string[];
}

export class Node {
  readonly #parts: NodeParts;
  readonly #stop = new AbortController();
  readonly #incarnation = randomUUID();
  #isKnown = false;
  #isDraining = false;
  #over: Promise<void> = Promise.resolve();

  constructor(parts: NodeParts) {
    this.#parts = parts;
  }

  /** It takes no files. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  begin(): void {
    const { clock, log } = this.#parts;
    const once = async () => {
      if (this.#isKnown) await this.#beat();
      else await this.#register();
      return false;
    };
    const complain = (error: string) => log.error('the node cannot be recorded', { error });
    this.#over = new Alarm(clock).repeat(BEAT_EVERY, this.#stop.signal, once, complain);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#over;
  }

  async #register(): Promise<void> {
    const { database, id, roles, applied, log } = this.#parts;
    const [row] = await database.query<{ now: number }>(
      'select extract(epoch from clock_timestamp())::float8 as now',
    );
    const clock = Date.now() / 1000 - row!.now;
    if (Math.abs(clock) > CLOCK_TELL) {
      log.warn('the clock of this machine differs from that of the database', {
        seconds: Math.round(clock),
      });
    }
    await database.query(
      `insert into framehound.node (id, incarnation, name, version, roles, clock_seconds, applied)
        values ($1, $2, $3, $4, $5, $6, $7)
        on conflict (id) do update set incarnation = excluded.incarnation, name = excluded.name,
          version = excluded.version, roles = excluded.roles, clock_seconds = excluded.clock_seconds,
          applied = excluded.applied, started = clock_timestamp(), seen = clock_timestamp()`,
      [id, this.#incarnation, hostname(), programVersion(), [...roles], clock, applied()],
    );
    this.#isKnown = true;
  }

  async #beat(): Promise<void> {
    const { database, id, applied, working, log } = this.#parts;
    const [row] = await database.query<{ draining: boolean }>(
      `update framehound.node set seen = clock_timestamp(), applied = $3, working = $4
        where id = $1 and incarnation = $2 returning draining`,
      [id, this.#incarnation, applied(), working()],
    );
    if (row !== undefined) {
      this.#isDraining = row.draining;
      return;
    }
    const [other] = await database.query('select 1 from framehound.node where id = $1', [id]);
    if (other === undefined) {
      // It was removed as one that does not run.
      this.#isKnown = false;
      return;
    }
    // Files that it would take could be those of the other one.
    if (!this.#isDraining)
      log.error(
        'another engine runs as the same node, so this one takes no files: a home folder is of one machine',
        { node: id },
      );
    this.#isDraining = true;
  }
}
