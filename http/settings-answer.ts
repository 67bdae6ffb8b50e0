// The settings as the API tells them.
import type { Config, Source } from '../runtime/config.ts';
import { folders, settingRows, type settings } from '../settings.ts';

export interface SettingsAnswer {
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

function wordOf(source: Source) {
  return source === 'config.json' ? 'file' : source;
}
