// The webhooks of a home folder, and the events of this service that they are sent.
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { stageKinds } from '../../actors/analysis/stages/kinds.ts';
import type { TaskSnapshot } from '../../actors/analysis/tasks/contract.ts';
import type { Telling, ToldListener } from '../../actors/cluster/contract.ts';
import type { WatchFolders } from '../../actors/watcher/folders/contract.ts';
import type { Clock } from '../../runtime/clock.ts';
import { reasonOf } from '../../runtime/errors.ts';
import type { HomeFiles } from '../../runtime/files/home-files.ts';
import { RecordFile } from '../../runtime/files/record-file.ts';
import type { Log } from '../../runtime/log.ts';
import type { SavedSearches } from '../searches/contract.ts';
import {
  type Delivery,
  mostWebhooks,
  type NewWebhook,
  Webhook,
  type WebhookEvent,
  type Webhooks,
  webhookErrors,
} from './contract.ts';
import { Deliveries } from './deliveries.ts';
import { addressFault } from './sending.ts';

const Recorded = Type.Object({ ...Webhook.properties, secret: Type.String() });
type Recorded = Static<typeof Recorded>;

/** How often watch folders are looked at, where a webhook wants to know of their trouble. */
const LOOK_MS = 5000;
const SECRET_BYTES = 24;

export interface WebhookParts {
  /** Folder of the records, in the home folder. */
  readonly folder: string;
  readonly homeFiles: HomeFiles;
  readonly telling: Telling;
  /** Names of other machines that may be called. */
  readonly hosts: readonly string[];
  readonly watchFolders: Pick<WatchFolders, 'list'>;
  readonly searches: Pick<SavedSearches, 'onFound'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Unix seconds. */
  readonly now: () => number;
}

export class WebhookService implements Webhooks {
  readonly #parts: WebhookParts;
  readonly #file: RecordFile<typeof Recorded>;
  readonly #deliveries: Deliveries;
  readonly #subscriptions: readonly (() => void)[];
  #isClosed = false;
  #stopLooking = () => {};
  /** Watch folders in trouble, by id. */
  #troubled = new Set<string>();

  constructor(parts: WebhookParts) {
    this.#parts = parts;
    const { folder, telling } = parts;
    this.#file = new RecordFile(join(folder, 'webhooks.json'), Recorded, parts.homeFiles, parts.clock, {
      damaged: (what, path, cause) => webhookErrors.WEBHOOKS_DAMAGED(what, { path }, cause),
      unwritable: (what, path, cause) => webhookErrors.WEBHOOKS_UNWRITABLE(what, { path }, cause),
    });
    const target = (id: string) => this.#target(id);
    this.#deliveries = new Deliveries({ ...parts, folder: join(folder, 'deliveries'), target });
    this.#subscriptions = [
      telling.subscribe((...event) => this.#onTask(...event)),
      parts.searches.onFound((hit) => this.publish('search.hit', hit, hit.hit_id)),
    ];
    this.#lookLater();
  }

  list(): Webhook[] {
    return this.#file.read().map(shown);
  }

  async add({ url, events, secret = newSecret() }: NewWebhook) {
    const fault = addressFault(url, this.#parts.hosts);
    if (fault !== null) throw webhookErrors.WEBHOOK_INVALID(`url ${fault}`, { field: 'url' });
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64').length;
    if (bytes < SECRET_BYTES || bytes > 64)
      throw webhookErrors.WEBHOOK_INVALID('secret must have 24 to 64 bytes', { field: 'secret' });
    const created_at = this.#parts.now();
    const newWebhook = {
      webhook_id: randomUUID(),
      url: new URL(url).href,
      events: [...new Set(events)],
      created_at,
      secret,
    };
    await this.#file.change((now) => {
      if (now.length < mostWebhooks) return [...now, newWebhook];
      throw webhookErrors.WEBHOOKS_FULL(`There are already ${mostWebhooks} webhooks; remove one first`);
    });
    return { webhook: shown(newWebhook), secret };
  }

  async remove(webhookId: string): Promise<void> {
    this.#expect(webhookId);
    await this.#file.change((now) => now.filter(({ webhook_id }) => webhook_id !== webhookId));
    this.#deliveries.removeOf(webhookId);
  }

  deliveries(webhookId: string, { offset, limit }: Parameters<Webhooks['deliveries']>[1]) {
    this.#expect(webhookId);
    const all = this.#deliveries.of(webhookId);
    return { total: all.length, deliveries: all.slice(offset, offset + limit) };
  }

  resend(webhookId: string, deliveryId: string): Delivery {
    this.#expect(webhookId);
    const delivery = this.#deliveries.resend(webhookId, deliveryId);
    if (delivery) return delivery;
    throw webhookErrors.DELIVERY_UNKNOWN(`The webhook has no delivery ${deliveryId}`, {
      delivery_id: deliveryId,
    });
  }

  async publish(event: WebhookEvent, data: object, key: string | null = null): Promise<void> {
    const recipients = this.#listening(event);
    if (recipients.length === 0) return;
    const timestamp = new Date(this.#parts.now() * 1000).toISOString();
    const body = JSON.stringify({ type: event, timestamp, data });
    await Promise.all(recipients.map(({ webhook_id }) => this.#deliveries.add(webhook_id, event, body, key)));
  }

  /** Tasks that ended with an earlier engine, which could not tell. */
  interrupted(tasks: readonly Pick<TaskSnapshot, 'task_id' | 'state' | 'error' | 'ended'>[]): void {
    for (const { task_id, state, error, ended } of tasks)
      void this.publish('task.ended', { task_id, state, error }, `${task_id} ${state} ${ended}`);
  }

  /** The next service sends pending deliveries. */
  close(): void {
    this.#isClosed = true;
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    this.#stopLooking();
    this.#deliveries.close();
  }

  #listening(event: WebhookEvent): readonly Recorded[] {
    try {
      return this.#file.read().filter(({ events }) => events.includes(event));
    } catch (error) {
      this.#parts.log.error('an event is not sent to webhooks', { event, error: reasonOf(error) });
      return [];
    }
  }

  #target(webhookId: string) {
    const webhook = this.#find(webhookId);
    if (!webhook) return null;
    const fault = addressFault(webhook.url, this.#parts.hosts);
    return fault === null ? webhook : { fault: `url ${fault}` };
  }

  #find(webhookId: string): Recorded | undefined {
    return this.#file.read().find(({ webhook_id }) => webhook_id === webhookId);
  }

  #expect(webhookId: string): void {
    if (this.#find(webhookId)) return;
    throw webhookErrors.WEBHOOK_UNKNOWN(`There is no webhook ${webhookId}`, { webhook_id: webhookId });
  }

  async #onTask(...[task_id, event, sequence]: Parameters<ToldListener>): Promise<void> {
    if (event.type === 'end') {
      const { state, error } = event;
      await this.publish('task.ended', { task_id, state, error }, sequence);
    } else if (event.type === 'result' && !event.result.closing && filed.has(event.result.type)) {
      const { path: media_path, hash_str, type, outcome, error } = event.result;
      // A resumed task repeats results that it had told when its engine crashed; in a cluster none does.
      const key = sequence ?? [task_id, media_path, type, outcome].join('\0');
      const data = { task_id, media_path, hash_str, type, ...(outcome === 'failed' && { error }) };
      if (outcome === 'failed') await this.publish('file.failed', data, key);
      else if (outcome === 'analyzed') await this.publish('file.analyzed', data, key);
    }
  }

  #lookLater(): void {
    if (this.#isClosed) return;
    this.#stopLooking = this.#parts.clock.after(LOOK_MS, () => {
      void this.#lookAtFolders().then(() => this.#lookLater());
    });
  }

  /** A folder that goes on being in trouble is told once. */
  async #lookAtFolders(): Promise<void> {
    // In a cluster one machine tells of it.
    if (!this.#parts.telling.tells || this.#listening('watch_folder.trouble').length === 0) return;
    try {
      const { watch_folders, service_status } = await this.#parts.watchFolders.list();
      const troubled = watch_folders.flatMap(({ id, folder_path }) => {
        const { paused_until = null, last_error = null } = service_status.folder_stats[id] ?? {};
        return paused_until === null ? [] : [{ id, folder_path, error: last_error, paused_until }];
      });
      for (const folder of troubled)
        if (!this.#troubled.has(folder.id)) void this.publish('watch_folder.trouble', folder);
      this.#troubled = new Set(troubled.map(({ id }) => id));
    } catch (error) {
      this.#parts.log.warn('watch folders cannot be looked at for webhooks', { error: reasonOf(error) });
    }
  }
}

/** Work on files of footage: clips, proxies and models are told of by the end of their task. */
const filed = new Set<string>(stageKinds.filter(({ place }) => place === 'analysis').map(({ type }) => type));

function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

function shown({ secret: _, ...webhook }: Recorded): Webhook {
  return webhook;
}
