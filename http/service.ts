// What the routes are handed: the engine's coordinators and the few things of the service itself.
import type { Engine } from '../actors/engine.ts';
import type { Assistants } from './mcp/contract.ts';
import type { MediaLinks } from './media-links.ts';
import type { Access } from './sessions/access.ts';
import type { SettingsAnswer } from './settings-answer.ts';

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
      | 'library'
      | 'people'
      | 'lists'
      | 'watchFolders'
      | 'summaries'
      | 'summaryDocuments'
      | 'states'
    >
  > {
  /** The models of this machine, read anew for every question. */
  readonly models: Pick<Engine['models'], 'system' | 'list'>;
  /** True once the service was asked to stop. */
  stopping(): boolean;
  readonly metrics: { render(): Promise<string> };
  /** Answers /mcp. */
  readonly assistants: Assistants;
  /** Addresses of the bytes of single media. */
  readonly mediaLinks: MediaLinks;
  /** Tickets and sessions. */
  readonly access: Pick<Access, 'makeTicket' | 'openSession' | 'endSession' | 'cacheDirOf'>;
  /** Where a browser on this machine opens the page. */
  pageAddress(): string;
  readonly settings: SettingsAnswer;
}
