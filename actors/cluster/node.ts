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
import type { Root } from '../index/roots/contract.ts';
import { Alarm } from './alarm.ts';
import { clusterErrors, livingSeconds, type Role, silentSeconds } from './contract.ts';
import type { Database } from './database.ts';
import { readableIn } from './places.ts';

const BEAT_EVERY = 2_000;
/** Seconds of difference between clocks that are told. */
const CLOCK_TELL = 60;

const NodeFile = Type.Object({ version: Type.Literal(1), id: Type.String() });

/** The id of the node of a home folder, which is made when there is none. */
export function nodeIdIn(home: string): string {
  const path = join(home, 'cluster', 'node.json');
  const nodeFile = readJsonNow(NodeFile, path);
  if (nodeFile !== undefined) return nodeFile.id;
  const id = randomUUID();
  replaceFile(path, `${JSON.stringify({ version: 1, id })}\n`, privateFile);
  return id;
}

export interface NodeParts {
  readonly database: Database;
  readonly id: string;
  /** The home folder, absolute. */
  readonly home: string;
  readonly roles: readonly Role[];
  readonly clock: Clock;
  readonly log: Log;
  applied(): number;
  /** Files that are being analysed; paths by root. */
  working(): readonly string[];
  /** Roots of this machine. */
  roots(): Promise<Root[]>;
}

type Identity = Pick<NodeParts, 'database' | 'id' | 'home'>;

/**
 * Throws NODE_COPIED where another engine runs as this node, from another machine or folder: this home folder
 * is a copy of its own. One that was moved is told from a copy by the silence of the other place. While the
 * database is away nobody knows.
 */
export async function expectAlone(
  { clock, ...identity }: Identity & Pick<NodeParts, 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const look = () =>
    elsewhere(identity).catch((error: unknown) => {
      if (clusterErrors.DATABASE_AWAY.is(error)) return null;
      throw error;
    });
  const first = await look();
  const pause = new Alarm(clock);
  for (let place = first; place !== null; place = await look()) {
    signal.throwIfAborted();
    if (place.seen !== first!.seen) throw copied(identity, place);
    await pause.wait(BEAT_EVERY / 2, signal);
  }
}

interface OtherPlace {
  readonly name: string;
  readonly home: string;
  /** Its last sign of life, as text. */
  readonly seen: string;
}

/** Where this node was seen within the last seconds, if that is not here. */
async function elsewhere({ database, id, home }: Identity): Promise<OtherPlace | null> {
  const [place] = await database.query<OtherPlace>(
    `select name, home, seen::text from framehound.node
      where id = $1 and (name, home) <> ($2, $3) and home <> ''
        and seen > clock_timestamp() - interval '${silentSeconds} seconds'`,
    [id, hostname(), home],
  );
  return place ?? null;
}

function copied({ id, home }: Identity, place: OtherPlace): Error {
  return clusterErrors.NODE_COPIED(
    `${home} is a copy of ${place.home} of ${place.name}, which runs as the node ${id}. To make it a node of ` +
      `its own, remove ${join(home, 'cluster', 'node.json')}`,
    { node: id },
  );
}

export class RunningNode {
  readonly #parts: NodeParts;
  readonly #stop = new AbortController();
  readonly #incarnation = randomUUID();
  #isKnown = false;
  #isDraining = false;
  /** Why another engine is this node, and this one is not. */
  #refused: string | null = null;
  /** Roots whose files this worker does not take, and why. */
  #lacks: ReadonlyMap<string, string> = new Map();
  #over: Promise<void> = Promise.resolve();

  constructor(parts: NodeParts) {
    this.#parts = parts;
  }

  /** It takes no files. */
  get isDraining(): boolean {
    return this.#isDraining || this.#refused !== null;
  }

  get troubles(): string[] {
    const lacks = [...this.#lacks].map(([name, why]) => `it takes no files of the root ${name}: ${why}`);
    return [...(this.#refused === null ? [] : [this.#refused]), ...lacks];
  }

  begin(): void {
    const { clock, log } = this.#parts;
    const once = async () => {
      if (!this.#isKnown) await this.#register();
      if (this.#isKnown) await this.#beat();
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
    const { database, id, home, roles, applied, log } = this.#parts;
    const place = await elsewhere(this.#parts);
    if (place !== null) return this.#refuse(copied(this.#parts, place).message);
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
      `insert into framehound.node (id, incarnation, name, home, version, roles, clock_seconds, applied)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (id) do update set incarnation = excluded.incarnation, name = excluded.name,
          home = excluded.home, version = excluded.version, roles = excluded.roles,
          clock_seconds = excluded.clock_seconds, applied = excluded.applied, started = clock_timestamp(),
          seen = clock_timestamp()`,
      [id, this.#incarnation, hostname(), home, programVersion(), [...roles], clock, applied()],
    );
    this.#isKnown = true;
    this.#refused = null;
  }

  async #beat(): Promise<void> {
    const { database, id, roles, applied, working } = this.#parts;
    const roots = await this.#parts.roots();
    const names = roots.map(({ name }) => name);
    const [row] = await database.query<{ draining: boolean; lacks: string[] }>(
      `with known as (
          select unnest(roots) as name from framehound.node
            where seen > clock_timestamp() - interval '${livingSeconds} seconds'
          union select unnest($5::text[])
        )
        update framehound.node set seen = clock_timestamp(), applied = $3, working = $4, roots = $5,
          lacks = array(select name from known where $7 and name <> all($6::text[]) order by name)
          where id = $1 and incarnation = $2 returning draining, lacks`,
      [id, this.#incarnation, applied(), working(), names, readableIn(roots), roles.includes('worker')],
    );
    if (row !== undefined) {
      this.#isDraining = row.draining;
      this.#tellRoots(roots, row.lacks);
      return;
    }
    const [entry] = await database.query('select 1 from framehound.node where id = $1', [id]);
    // Files that it would take could be those of the other one.
    if (entry !== undefined)
      return this.#refuse('another engine runs as the same node: a home folder is of one machine');
    // It was removed as one that does not run.
    this.#isKnown = false;
  }

  #refuse(why: string): void {
    if (this.#refused !== why) this.#parts.log.error('this engine takes no files', { reason: why });
    this.#refused = why;
  }

  #tellRoots(roots: readonly Root[], lacks: readonly string[]): void {
    const whys = lacks.map((name) => {
      const root = roots.find((each) => each.name === name);
      const unknown = `this machine has no such root; to add it: framehound roots add ${name} FOLDER`;
      return [name, root === undefined ? unknown : `${root.folder} ${root.away}`] as const;
    });
    for (const [root, reason] of whys) {
      if (this.#lacks.get(root) !== reason)
        this.#parts.log.warn('this worker takes no files of a root', { root, reason });
    }
    this.#lacks = new Map(whys);
  }
}
