// Context of the routes: the engine's coordinators, and the few things of the service itself.

import { createHmac, randomBytes } from 'node:crypto';
import type { Cluster } from '../actors/cluster/contract.ts';
import type { Engine } from '../actors/engine.ts';
import type { EventStreams } from '../events/protocol.ts';
import type { SavedSearches } from '../events/searches/contract.ts';
import type { Webhooks } from '../events/webhooks/contract.ts';
import type { Config, SettingSource } from '../runtime/config.ts';
import { errorTable } from '../runtime/errors.ts';
import { folders, settingRows, type settings } from '../settings.ts';
import { hashOf } from './license/store.ts';
import type { Assistants } from './mcp/contract.ts';
import type { Access } from './sessions/access.ts';
import { SECRET_BYTES, seal, unseal } from './sessions/sessions.ts';

export interface Service
  extends Readonly<
    Pick<
      Engine,
      | 'analysis'
      | 'search'
      | 'tasks'
      | 'exporter'
      | 'clips'
      | 'proxies'
      | 'timelines'
      | 'sidecars'
      | 'library'
      | 'people'
      | 'lists'
      | 'roots'
      | 'watchFolders'
      | 'summaries'
      | 'summaryDocuments'
      | 'states'
    >
  > {
  readonly cluster: Pick<Cluster, 'status' | 'standing'> | null;
  /** The models of this machine, read anew for every question. */
  readonly models: Pick<Engine['models'], 'system' | 'list'>;
  /** True once the service was asked to stop. */
  stopping(): boolean;
  readonly metrics: { render(): Promise<string> };
  /** Answers /mcp. */
  readonly assistants: Assistants;
  /** Addresses of the bytes of single media. */
  readonly mediaLinks: MediaLinks;
  readonly access: Pick<Access, 'makeTicket' | 'openSession' | 'endSession' | 'cacheDirOf'>;
  readonly events: EventStreams;
  readonly searches: SavedSearches;
  readonly webhooks: Webhooks;
  /** Where a browser on this machine opens the page. */
  pageAddress(): string;
  readonly settings: SettingsAnswer;
}

/** An engine as a service that nobody reaches by a socket: without links, sessions, metrics and settings. */
export function serviceOf(engine: Engine): Service {
  return { ...engine, stopping: () => false } as unknown as Service;
}

// The settings as the API tells them.

interface SettingsAnswer {
  readonly version: string;
  /** The default analysis folder. */
  readonly cache_dir: string;
  readonly settings: {
    readonly name: string;
    readonly value: unknown;
    readonly source: 'flag' | 'environment' | 'file' | 'default';
    readonly description: string;
  }[];
}

export function settingsAnswer(config: Config<typeof settings>, version: string): SettingsAnswer {
  return {
    version,
    cache_dir: folders(config.values).cache,
    settings: settingRows(config).map(({ name, value, source, doc }) => ({
      name,
      value,
      source: wordOf(source),
      description: doc,
    })),
  };
}

function wordOf(source: SettingSource) {
  return source === 'config.json' ? 'file' : source;
}

// Addresses of the bytes of single media, for a page: `<video>` and `<img>` send no key. An address names no
// path, cannot be guessed, is of one content of one analysis folder, and expires. It ends with the service,
// and with the license key or the session by which it was made.

const linkErrors = errorTable({
  LINK_UNKNOWN: { meaning: 'Link not found', status: 404 },
});

/** A content of an analysis folder. */
interface LinkedMedia {
  readonly cache_dir: string;
  readonly hash_str: string;
  /** Its proxy, and not the file itself. */
  readonly proxy?: boolean;
}

interface MediaLinks {
  /**
   * The same one for the same media and credential within the hour, so that a browser keeps what it has.
   * `credential`: what the request was sent with. `expires`: Unix ms.
   */
  make(media: LinkedMedia, credential: string): { readonly link: string; readonly expires: number };
  /**
   * Throws LINK_UNKNOWN for what was never made, has expired, was pushed out by very many others, or was made
   * by what does not open the service any more.
   */
  open(link: string): Promise<LinkedMedia>;
}

/** Prefix of this program's secrets, by which logs remove them. */
const PREFIX = 'fhm_';
const HOUR_MS = 3_600_000;
/** Links kept. */
const MOST = 50_000;

interface Kept extends LinkedMedia {
  readonly expires: number;
  /** The credential, sealed under the link: the memory without a link gives no key away. */
  readonly sealed: string;
}

/** `now`: Unix ms. `check`: whether a credential opens the service. */
export function createMediaLinks(now: () => number, check: Access['check']): MediaLinks {
  const secret = randomBytes(SECRET_BYTES);
  /** Links by their hash. */
  const cache = new Map<string, Kept>();
  return {
    make: ({ cache_dir, hash_str, proxy = false }, credential) => {
      // One hour at least, two at most.
      const expires = (Math.floor(now() / HOUR_MS) + 2) * HOUR_MS;
      const text = JSON.stringify([cache_dir, hash_str, proxy, expires, credential]);
      const link = PREFIX + createHmac('sha256', secret).update(text).digest('base64url');
      const hash = hashOf(link);
      const sealed = cache.get(hash)?.sealed ?? seal(credential, link, randomBytes(SECRET_BYTES));
      // The latest last.
      cache.delete(hash);
      cache.set(hash, { cache_dir, hash_str, proxy, expires, sealed });
      if (cache.size > MOST) cache.delete(cache.keys().next().value!);
      return { link, expires };
    },
    open: async (link) => {
      const hash = hashOf(link);
      const cached = cache.get(hash);
      if (cached && now() < cached.expires) {
        const { ok } = await check(unseal(cached.sealed, link));
        if (ok) return cached;
      } else cache.delete(hash);
      throw linkErrors.LINK_UNKNOWN(
        'The link or its license key has expired, or the service was restarted since; request a new link',
      );
    },
  };
}
