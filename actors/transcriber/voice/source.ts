// Which voice detector is in use: Silero as soon as it is downloaded, until then our own.
import type { Log } from '../../../runtime/log.ts';
import type { ModelRow } from '../../models/contract.ts';
import { fileOf, missingFiles, readRegistry } from '../../models/registry.ts';
import { openSession } from '../../models/session.ts';
import type { VoiceDetectors } from './detector.ts';
import { openSilero } from './silero.ts';

export class VoiceSource {
  readonly #modelsDir: string;
  readonly #own: VoiceDetectors;
  readonly #log: Log;
  #silero: VoiceDetectors | null = null;
  #looking: Promise<VoiceDetectors> | null = null;
  /** A graph that could not be opened is not tried again with every file. */
  #broken: string | null = null;

  constructor(modelsDir: string, own: VoiceDetectors, log: Log) {
    this.#modelsDir = modelsDir;
    this.#own = own;
    this.#log = log;
  }

  /** The best one there is now; one that was answered before goes on to work. */
  async best(): Promise<VoiceDetectors> {
    if (this.#silero) return this.#silero;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async close(): Promise<void> {
    await this.#looking;
    await this.#silero?.close();
    await this.#own.close();
  }

  async #look(): Promise<VoiceDetectors> {
    const row = await this.#downloaded();
    if (!row || row.key === this.#broken) return this.#own;
    const file = fileOf(this.#modelsDir, row, 'voice');
    try {
      // A graph of 2 MB for 32 ms of sound: any other device would spend its time on the way there.
      const options = { device: 'cpu', threads: 1, log: this.#log } as const;
      this.#silero = await openSilero(row.key, file, (source) => openSession(source, options));
    } catch (error) {
      this.#broken = row.key;
      this.#log.error('voice model cannot be loaded, our own detector is used', { model: row.key, error });
      return this.#own;
    }
    this.#log.info('voice model in use', { model: row.key });
    return this.#silero;
  }

  async #downloaded(): Promise<ModelRow | null> {
    const { rows } = await readRegistry(this.#modelsDir);
    for (const row of rows) {
      if (row.kind !== 'voice' || row.family !== 'silero') continue;
      if ((await missingFiles(this.#modelsDir, row)).length === 0) return row;
    }
    return null;
  }
}
