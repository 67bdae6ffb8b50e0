// Selects the voice detector: Silero as soon as it is downloaded, until then our own.
import type { Log } from '../../../runtime/log.ts';
import type { ModelRow } from '../../models/contract.ts';
import { fileOf, missingFiles, readRegistry } from '../../models/registry.ts';
import { openSession } from '../../models/session.ts';
import type { VoiceDetectors } from './detector.ts';
import { openSilero } from './silero.ts';

export class DetectorSelection {
  readonly #modelsDir: string;
  readonly #own: VoiceDetectors;
  readonly #log: Log;
  #silero: VoiceDetectors | null = null;
  #opening: Promise<VoiceDetectors> | null = null;
  /** A graph that could not be opened is not tried again for every file. */
  #broken: string | null = null;

  constructor(modelsDir: string, own: VoiceDetectors, log: Log) {
    this.#modelsDir = modelsDir;
    this.#own = own;
    this.#log = log;
  }

  /** The best one there is now; detectors opened before stay usable. */
  async best(): Promise<VoiceDetectors> {
    if (this.#silero) return this.#silero;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async close(): Promise<void> {
    await this.#opening;
    await this.#silero?.close();
    await this.#own.close();
  }

  async #open(): Promise<VoiceDetectors> {
    const row = await this.#downloaded();
    if (!row || row.key === this.#broken) return this.#own;
    const file = fileOf(this.#modelsDir, row, 'voice');
    try {
      // Always on the CPU: for windows of 32 ms the transfer to another device takes longer than the run.
      const options = { device: 'cpu', threads: 1, log: this.#log } as const;
      this.#silero = await openSilero(row.key, file, (source) => openSession(source, options));
    } catch (error) {
      this.#broken = row.key;
      this.#log.error('voice detection model cannot be loaded, our own detector is used', {
        model: row.key,
        error,
      });
      return this.#own;
    }
    this.#log.info('voice detection model in use', { model: row.key });
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
