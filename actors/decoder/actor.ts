// The decoder actor: connects the messages of its contract to their handlers. Every request names a file by
// its path; the only state is the hardware device, opened when the first film is decoded, what is known of
// encoders of devices, and the sound that peaks are being made of.
import { type ActorEnv, actor, type FeedTurn } from '../../runtime/actor.ts';
import { clip } from './clips/clip.ts';
import {
  encodersOfMachine,
  noEncoders,
  type PictureEncoders,
  softwareEncoders,
} from './clips/encoders/machine.ts';
import { proxy } from './clips/proxy.ts';
import { decoderContract } from './contract.ts';
import { frames } from './frames/frames.ts';
import { moments, picture } from './frames/moments.ts';
import { partPictures } from './frames/part-pictures.ts';
import { sections } from './frames/sections.ts';
import { Hardware } from './packets/picture-decoder.ts';
import { PeakRuns } from './peaks/runs.ts';
import { shrink, storedBars, storedFrames, storedSize } from './pixels/stored.ts';
import { digest, identify } from './probe/hash.ts';
import { playable, probe } from './probe/probe.ts';
import { sound } from './sound/sound.ts';
import { subtitles } from './subtitles/subtitles.ts';
import { pictureTimes } from './times/picture-times.ts';

export interface DecoderSettings {
  /** `off`: decodes in software even where there is a device. */
  readonly hardware?: 'auto' | 'off';
  /** Which device, as models count them. */
  readonly card?: number;
  /** Failures of encoders, as all threads know them; without it clips are encoded in software. */
  readonly encoderFailures?: SharedArrayBuffer | null;
  /** False where clips and proxies are encoded by devices alone. */
  readonly softwareEncoding?: boolean;
}

export const definition = actor({
  contract: decoderContract,
  create: ({ settings, log }: ActorEnv<DecoderSettings | undefined>) => {
    let hardware: Hardware | null | undefined = settings?.hardware === 'off' ? null : undefined;
    const device = () => {
      if (hardware === undefined) hardware = Hardware.find(process.platform, settings?.card ?? 0, log);
      return hardware;
    };
    const failures = settings?.encoderFailures;
    let encoders: PictureEncoders | null = null;
    const clipEncoders = () => {
      const software = settings?.softwareEncoding !== false;
      encoders ??= failures
        ? encodersOfMachine(failures, log, software)
        : software
          ? softwareEncoders
          : noEncoders;
      return encoders;
    };
    const peakRuns = new PeakRuns();
    return {
      handlers: {
        probe,
        identify: ({ path }) => identify(path),
        digest,
        sections: (request, turn) => sections(request, turn, device() !== null),
        frames: (request, turn: FeedTurn) => frames(request, turn, request.sections ? null : device()),
        stored_frames: storedFrames,
        stored_bars: storedBars,
        stored_size: storedSize,
        picture,
        moments,
        part_pictures: partPictures,
        shrink,
        sound,
        subtitles,
        picture_times: pictureTimes,
        peaks: (request, turn) => peakRuns.step(request, turn),
        end_peaks: ({ run }) => {
          peakRuns.end(run);
          return {};
        },
        clip: (request, turn) => clip(request, turn, clipEncoders()),
        proxy: (request, turn: FeedTurn) => proxy(request, turn, clipEncoders()),
        playable,
      },
      close: () => {
        peakRuns.close();
        hardware?.close();
      },
    };
  },
});
