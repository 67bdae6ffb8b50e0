// The decoder actor: connects the messages of its contract to their handlers. Every request names a file by its path; the
// only state is the hardware device, opened when the first film is decoded.
import { type ActorEnv, actor, type FeedTurn } from '../../runtime/actor.ts';
import { clip } from './clips/clip.ts';
import { decoderContract } from './contract.ts';
import { frames } from './frames/frames.ts';
import { moments } from './frames/moments.ts';
import { picture } from './frames/picture.ts';
import { Hardware } from './packets/hardware.ts';
import { shrink } from './pixels/shrink.ts';
import { storedFrames, storedSize } from './pixels/stored.ts';
import { digest } from './probe/digest.ts';
import { identify } from './probe/hash.ts';
import { probe } from './probe/probe.ts';
import { sound } from './sound/sound.ts';
import { subtitles } from './subtitles/subtitles.ts';

/** `off`: decodes in software even where there is a device. */
export interface DecoderSettings {
  readonly hardware?: 'auto' | 'off';
}

export const definition = actor({
  contract: decoderContract,
  create: ({ settings, log }: ActorEnv<DecoderSettings | undefined>) => {
    let hardware: Hardware | null | undefined = settings?.hardware === 'off' ? null : undefined;
    const device = () => {
      if (hardware === undefined) hardware = Hardware.find(process.platform, log);
      return hardware;
    };
    return {
      handlers: {
        probe,
        identify: ({ path }) => identify(path),
        digest,
        frames: (request, turn: FeedTurn) => frames(request, turn, device()),
        stored_frames: storedFrames,
        stored_size: storedSize,
        picture,
        moments,
        shrink,
        sound,
        subtitles,
        clip,
      },
      close: () => hardware?.close(),
    };
  },
});
