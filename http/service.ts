// What the routes are handed: the engine's coordinators and the few things of the service itself.
import type { Engine } from '../actors/engine.ts';
import type { MediaLinks } from './media-links.ts';

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
  /** Addresses of the bytes of single media. */
  readonly mediaLinks: MediaLinks;
}
