// The deliveries of webhooks: a file each, so that what waits for its next try outlives the process. The ones
// that have ended are the log, and the latest of them are kept.
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import type { Clock } from '../../runtime/clock.ts';
import { codeOf, reasonOf } from '../../runtime/errors.ts';
import { replaceFile } from '../../runtime/files/atomic-write.ts';
import { expectVersion, readJsonNow } from '../../runtime/files/json-file.ts';
import { isAlive, LockHolder, letGo, newHolder } from '../../runtime/files/lock.ts';
import { rmSync } from '../../runtime/files/names.ts';
import type { Log } from '../../runtime/log.ts';
import { Semaphore } from '../../runtime/sync/locks.ts';
import { Delivery, type WebhookEvent } from './contract.ts';
import { type DeliveryOutcome, send } from './sending.ts';

/** Before the second try and those after it. */
const WAITS_MS = [5_000, 60_000, 600_000, 3_600_000];
/** Deliveries that wait, and that have ended. */
const MOST_PENDING = 10_000;
const MOST_ENDED = 1000;
const AT_ONCE = 8;

const VERSION = 1;
const Document = Type.Object({
  version: Type.Literal(VERSION),
  ...Delivery.properties,
  /** Remaining tries since it was created or resent. */
  tries_left: Type.Integer({ minimum: 0 }),
  /** The process that tries it. */
  owner: LockHolder,
});
type Document = Static<typeof Document>;

interface DeliveryParts {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Unix seconds. */
  readonly now: () => number;
  /** Where a webhook is now, or why it may not be called; null when it was removed. */
  target(webhookId: string): { readonly url: string; readonly secret: string } | { fault: string } | null;
}

export class Deliveries {
  readonly #parts: DeliveryParts;
  readonly #owner = newHolder();
  /** Oldest first. */
  readonly #all = new Map<string, Document>();
  readonly #pending = new Set<string>();
  /** In the order in which they ended. */
  readonly #ended = new Set<string>();
  readonly #timers = new Map<string, () => void>();
  /** Callbacks that wait for a try of a delivery, by its id. */
  readonly #untried = new Map<string, () => void>();
  readonly #places = new Semaphore(AT_ONCE);
  readonly #closing = new AbortController();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    const documents = namesIn(parts.folder).flatMap((name) => this.#read(join(parts.folder, name)) ?? []);
    for (const document of documents.toSorted((a, b) => a.created_at - b.created_at)) this.#adopt(document);
  }

  #read(path: string): Document | undefined {
    try {
      return readJsonNow(Document, path, (value) => expectVersion(VERSION, value));
    } catch (error) {
      this.#parts.log.warn('a delivery cannot be read', { path, error: reasonOf(error) });
      return undefined;
    }
  }

  /** Takes over a pending delivery of a process that has ended. */
  #adopt(document: Document): void {
    this.#all.set(document.delivery_id, document);
    if (document.state !== 'pending') this.#end(document.delivery_id);
    else if (isAlive(document.owner) !== true) {
      const adopted = { ...document, owner: this.#owner };
      this.#put(adopted);
      this.#schedule(adopted);
    }
  }

  /**
   * `key`: what has the same one is the same event, and is sent once; null for one without its like. Resolves
   * when it was tried for the first time.
   */
  async add(webhook_id: string, event: WebhookEvent, body: string, key: string | null): Promise<void> {
    const { now, log } = this.#parts;
    const delivery_id = idOf(webhook_id, event, key);
    if (this.#all.has(delivery_id)) return;
    if (this.#pending.size >= MOST_PENDING) {
      log.error('an event is not sent: too many deliveries are pending', {
        webhook_id,
        event,
        most: MOST_PENDING,
      });
      return;
    }
    const time = now();
    const state = { state: 'pending', next_try_at: time, tries_left: WAITS_MS.length + 1 } as const;
    const newDelivery = {
      version: VERSION,
      delivery_id,
      webhook_id,
      event,
      created_at: time,
      tries: [],
      body,
    } as const;
    const document: Document = { ...newDelivery, ...state, tries: [], owner: this.#owner };
    const tried = Promise.withResolvers<void>();
    this.#untried.set(delivery_id, tried.resolve);
    this.#put(document);
    this.#schedule(document);
    await tried.promise;
  }

  /** Undefined when there is none. */
  resend(webhookId: string, id: string): Delivery | undefined {
    const delivery = this.#all.get(id);
    if (delivery?.webhook_id !== webhookId) return undefined;
    const again = {
      state: 'pending',
      next_try_at: this.#parts.now(),
      tries_left: WAITS_MS.length + 1,
    } as const;
    const document: Document = { ...delivery, ...again, owner: this.#owner };
    this.#ended.delete(id);
    this.#put(document);
    this.#schedule(document);
    return shown(document);
  }

  /** Newest first. */
  of(webhookId: string): Delivery[] {
    return [...this.#all.values()]
      .filter(({ webhook_id }) => webhook_id === webhookId)
      .reverse()
      .map(shown);
  }

  removeOf(webhookId: string): void {
    for (const { delivery_id, webhook_id } of this.#all.values())
      if (webhook_id === webhookId) this.#drop(delivery_id);
  }

  /** Deliveries in progress stay pending. */
  close(): void {
    this.#closing.abort();
    for (const stop of this.#timers.values()) stop();
    this.#timers.clear();
    letGo(this.#owner);
  }

  #schedule({ delivery_id, next_try_at }: Document): void {
    const { clock, now } = this.#parts;
    this.#timers.get(delivery_id)?.();
    const wait = Math.max(0, ((next_try_at ?? 0) - now()) * 1000);
    this.#timers.set(
      delivery_id,
      clock.after(wait, () => void this.#try(delivery_id)),
    );
  }

  async #try(id: string): Promise<void> {
    const { signal } = this.#closing;
    this.#timers.delete(id);
    try {
      await this.#places.run(
        async () => {
          const document = this.#all.get(id);
          const target = document && this.#parts.target(document.webhook_id);
          if (target === null) this.#drop(id);
          else if (target) this.#tried(id, await this.#send(document, target, signal));
        },
        { signal },
      );
    } catch (error) {
      if (!signal.aborted) this.#parts.log.error('a delivery cannot be tried', { delivery_id: id, error });
    }
  }

  async #send(
    { delivery_id: id, body }: Document,
    target: NonNullable<ReturnType<DeliveryParts['target']>>,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> {
    if ('fault' in target) return { status: null, error: target.fault };
    return send({ ...target, id, body, time: Math.floor(this.#parts.now()) }, signal);
  }

  #tried(id: string, { status, error }: DeliveryOutcome): void {
    const before = this.#all.get(id);
    // Its webhook was removed meanwhile.
    if (before === undefined) return;
    const time = this.#parts.now();
    const tries = [...before.tries, { time, status, error }].slice(-(WAITS_MS.length + 1));
    const tries_left = before.tries_left - 1;
    const wait = WAITS_MS[WAITS_MS.length - tries_left];
    const isPending = error !== null && tries_left > 0 && wait !== undefined;
    const state = error === null ? 'delivered' : isPending ? 'pending' : 'failed';
    const next_try_at = isPending ? time + wait / 1000 : null;
    const document: Document = { ...before, tries, tries_left, state, next_try_at };
    if (!isPending) this.#end(id);
    this.#put(document);
    if (isPending) this.#schedule(document);
    this.#wasTried(id);
  }

  #wasTried(id: string): void {
    this.#untried.get(id)?.();
    this.#untried.delete(id);
  }

  #put(document: Document): void {
    const { delivery_id, state } = document;
    this.#all.set(delivery_id, document);
    if (state === 'pending') this.#pending.add(delivery_id);
    try {
      // Not flushed: a power cut may cost what was just written, and files end by the thousands.
      replaceFile(this.#path(delivery_id), JSON.stringify(document), {
        flush: false,
        mode: 0o600,
        folderMode: 0o700,
      });
    } catch (error) {
      this.#parts.log.error('a delivery cannot be written', { delivery_id, error: codeOf(error) });
    }
  }

  #end(id: string): void {
    this.#pending.delete(id);
    this.#ended.add(id);
    if (this.#ended.size <= MOST_ENDED) return;
    const [oldest = ''] = this.#ended;
    this.#drop(oldest);
  }

  #drop(id: string): void {
    this.#wasTried(id);
    this.#timers.get(id)?.();
    this.#timers.delete(id);
    this.#all.delete(id);
    this.#pending.delete(id);
    this.#ended.delete(id);
    rmSync(this.#path(id), { force: true });
  }

  #path(id: string): string {
    return join(this.#parts.folder, `${id}.json`);
  }
}

/** On whichever machine: receivers know by it what they have had. */
function idOf(webhook_id: string, event: WebhookEvent, key: string | null): string {
  const bytes =
    key === null ? randomBytes(13) : createHash('sha256').update(`${webhook_id} ${event} ${key}`).digest();
  return `msg_${bytes.toString('hex').slice(0, 26)}`;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^msg_\w+\.json$/.test(name));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function shown({ version: _, owner: __, tries_left: ___, ...delivery }: Document): Delivery {
  return delivery;
}
