// Inventory of this machine, for commands that start no engine. Composed here; native packages are loaded on
// demand.
import { type Clock, systemClock } from '../runtime/clock.ts';
import type { ClusterAdmin } from './cluster/contract.ts';
import type { EncodingChoice } from './decoder/clips/contract.ts';
import type { Root } from './index/roots/contract.ts';
import type { LibraryTransfer, Transferred } from './library/transfer/contract.ts';
import { type BackgroundPull, type PullOrder, pullInBackground } from './models/background-pull.ts';
import type { ModelLibrary, PullStand } from './models/contract.ts';
import { type DeviceChoice, partsOf } from './models/device.ts';
import { type ProbedDevice, probeDevices } from './models/device-probe.ts';
import { createModelLibrary } from './models/library.ts';
import { graphicsHere, thisMachine } from './models/machine.ts';

export interface Installation {
  /** The models of this machine, as files. */
  readonly models: ModelLibrary;
  /** Downloads models in a process that may go on alone. */
  pullInBackground(order: PullOrder, progress: (stand: PullStand) => void): BackgroundPull;
  /** Copies the samples that are missing in `folder` into it; answers the names of those. */
  copySamples(folder: string): Promise<string[]>;
  readonly native: NativePackages;
  /** Analysis folders as files. */
  readonly libraries: Libraries;
  /** `url`: of the database. */
  cluster(url: string, clock: Clock): Promise<ClusterAdmin>;
}

export interface Libraries {
  /** See `exportLibrary` of actors/library/transfer/. */
  export(transfer: LibraryTransfer): Promise<Transferred>;
  import(transfer: LibraryTransfer): Promise<Transferred>;
  /** Roots of a home folder. */
  roots(home: string): Promise<Root[]>;
}

/**
 * Loads native packages: one that is there may still not load on this system, and then the promise is
 * rejected.
 */
export interface NativePackages {
  /** Versions of the media libraries. */
  media(): Promise<string>;
  /** Devices that models may run on, each tried. */
  modelDevices(): Promise<ProbedDevice[]>;
  /** The object detector and its precision; null where none is downloaded. */
  objectDetector(): Promise<string | null>;
  store(): Promise<void>;
  /** Why a process that reads files can still write some and reach the network; null where it cannot. */
  unconfined(): Promise<string | null>;
  /** Encoder of precise clips; tries the encoders of devices. `choice`: as in the settings. */
  clipEncoders(choice: EncodingChoice): Promise<string>;
}

/** `modelsDir`: absolute. `device`: where models are to run. */
export function openInstallation(modelsDir: string, device: DeviceChoice): Installation {
  return {
    models: createModelLibrary(modelsDir, thisMachine(device), undefined, device),
    pullInBackground: (order, progress) => pullInBackground({ device, ...order }, progress),
    libraries: {
      export: async (transfer) => {
        const { exportLibrary } = await import('./library/transfer/export.ts');
        return { manifest: await exportLibrary(transfer), merged: null };
      },
      import: async (transfer) => (await import('./library/transfer/import.ts')).importLibrary(transfer),
      roots: async (file) => (await import('./library/roots.ts')).rootsIn(file),
    },
    cluster: async (...of) => (await import('./cluster/admin.ts')).openAdmin(...of),
    copySamples: async (folder) => (await import('./samples/samples.ts')).copySamples(folder),
    native: {
      media: async () => (await import('./decoder/ffmpeg.ts')).describeFfmpeg(),
      modelDevices: async () => {
        const { offeredDevices } = await import('./models/session.ts');
        const { signal } = new AbortController();
        const graphics = graphicsHere();
        const { card } = partsOf(device);
        return probeDevices({
          available: await offeredDevices(),
          graphics,
          card,
          signal,
          clock: systemClock,
        });
      },
      objectDetector: async () => {
        const { describeDetector } = await import('./things/detector.ts');
        return describeDetector(modelsDir, device);
      },
      store: async () => {
        await import('./index/store/store.ts');
      },
      unconfined: async () => (await import('../runtime/process/confine.ts')).unconfined(),
      clipEncoders: async (choice) => {
        const { describeEncoders } = await import('./decoder/clips/encoders/machine.ts');
        return describeEncoders(choice);
      },
    },
  };
}
