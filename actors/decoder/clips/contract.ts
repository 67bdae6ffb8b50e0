// The message that cuts a clip out of a film or of sound, and why a clip cannot be cut.
import { type Static, Type } from 'typebox';
import { ask, feed } from '../../../runtime/contract.ts';
import { errorTable } from '../../../runtime/errors.ts';

export const clipErrors = errorTable({
  CLIP_RANGE: { meaning: 'The end of the clip must be after its start', status: 400 },
  CLIP_PATH: { meaning: 'The path of the source is not absolute', status: 400 },
  CLIP_OF_STILL: { meaning: 'Clips can be cut from films and sound only', status: 400 },
  CLIP_OUTSIDE: { meaning: 'The clip starts after the end of the file', status: 400 },
  CLIP_UNTIMED: {
    meaning: 'The packets of the file have no timestamps; only precise clips can be cut',
    status: 400,
  },
  /** Never leaves the decoder: the clip is precise then, and says why. */
  CLIP_NOT_SMART: { meaning: 'Copied and encoded pictures cannot be joined into a clip', status: 400 },
  CLIP_NO_ENCODER: { meaning: 'No encoder for H.264 can be used', status: 400 },
  CLIP_UNWRITABLE: { meaning: 'The clip cannot be written', status: 400 },
});

/** Modes, in the order in which they are shown. */
export const clipModes = ['precise', 'smart', 'copy'] as const;

/**
 * `precise`: encoded anew, from picture to picture. `smart`: the same pictures, of which only those of groups
 * that the cuts fall into are encoded; precise where that cannot be. `copy`: the packets as they are, from
 * the keyframe before.
 */
export const ClipMode = Type.Union([Type.Literal('precise'), Type.Literal('smart'), Type.Literal('copy')]);
export type ClipMode = Static<typeof ClipMode>;

export const ClipRequest = Type.Object({
  path: Type.String(),
  /** File to write, which must not be there yet; after an error it is gone. */
  output: Type.String(),
  /**
   * Seconds from the first picture, or in a file of sound from its first sample; the end is not part of the
   * clip.
   */
  start_seconds: Type.Number({ minimum: 0 }),
  end_seconds: Type.Number({ minimum: 0 }),
  mode: ClipMode,
});
export type ClipRequest = Static<typeof ClipRequest>;

export const ClipMade = Type.Object({
  /** Extension of the container: `mp4`, `m4a`, `mkv`. */
  extension: Type.String(),
  /** Where the clip really starts and ends, seconds of the source. */
  start_seconds: Type.Number(),
  end_seconds: Type.Number(),
  /** Pictures in the clip; 0 for sound. */
  frames: Type.Integer(),
  /** FFmpeg's name of what encoded the pictures; null where none were encoded. */
  encoder: Type.Union([Type.String(), Type.Null()]),
  /** The encoder of a device that failed before `encoder` made the clip. */
  failed_encoder: Type.Optional(Type.String()),
  mode_used: ClipMode,
  /** Why that is not the mode that was asked for; null when it is. */
  mode_reason: Type.Union([Type.String(), Type.Null()]),
});
export type ClipMade = Static<typeof ClipMade>;

/** A clip that was written, however it was asked for. */
export type CutResult = Omit<ClipMade, 'mode_used' | 'mode_reason'>;

/** A whole film, or sound, for players that cannot play the file itself. */
export const ProxyJob = Type.Object({
  path: Type.String(),
  /** File to write, which must not be there yet; after an error it is gone. */
  output: Type.String(),
  /** Longest side as shown, px; pictures are never made larger. */
  max_side: Type.Integer({ minimum: 16 }),
});
export type ProxyJob = Static<typeof ProxyJob>;

export const ProxyMade = Type.Object({
  /** `mp4`, or `m4a` for sound. */
  extension: Type.String(),
  frames: Type.Integer(),
  /** Coded size of the pictures, px; 0 for sound. */
  width: Type.Integer(),
  height: Type.Integer(),
  seconds: Type.Number(),
});
export type ProxyMade = Static<typeof ProxyMade>;

export const ProxyStep = Type.Object({
  /** Up to which it is made. */
  seconds: Type.Number(),
  /** Result, in the last step only, when the file is complete. */
  made: Type.Union([ProxyMade, Type.Null()]),
});
export type ProxyStep = Static<typeof ProxyStep>;

/** `off`: no device encodes. `only`: nothing but devices encodes. */
export const EncodingChoice = Type.Union([Type.Literal('auto'), Type.Literal('off'), Type.Literal('only')]);
export type EncodingChoice = Static<typeof EncodingChoice>;

/** Encoders of devices that are tried on one machine. */
export const mostCandidates = 64;
/** Shared by all threads of a process: failures of each encoder, by its index among those of the machine. */
export const newEncoderFailures = () => new SharedArrayBuffer(mostCandidates * Int32Array.BYTES_PER_ELEMENT);

export const clipMessages = {
  /**
   * Cuts one clip and writes it. Errors: CLIP_…, UNSUPPORTED_CODEC, DECODE_FAILED, FILE_CHANGED, CANCELLED
   * and those of opening a file.
   */
  clip: ask(ClipRequest, ClipMade),
  /**
   * Makes an mp4 of H.264 and AAC with every picture of the film at its time, or an m4a of sound, and tells
   * how far it is. Errors as `clip`.
   */
  proxy: feed(ProxyJob, ProxyStep),
  /**
   * Argument for `HTMLMediaElement.canPlayType` of a film or sound; null for a still. Errors of opening a
   * file.
   */
  playable: ask(Type.Object({ path: Type.String() }), Type.Union([Type.String(), Type.Null()])),
};
