// The encoders of H.264 that need no device, as far as this FFmpeg was built with them.
import { hasEncoder } from '../ffmpeg.ts';
import { clipErrors } from './contract.ts';

/** FFmpeg's names, best first. OpenH264 takes whole pictures of 8 bits and 4:2:0 only. */
const codecs = ['libx264', 'libopenh264'] as const;
export type SoftwareCodec = (typeof codecs)[number];

/** Null for a build without any. */
export function softwareCodec(): SoftwareCodec | null {
  return codecs.find(hasEncoder) ?? null;
}

/** The reason, and what can be done about it. `isForbidden`: by the settings. */
export function noEncoder(isForbidden: boolean) {
  const why = isForbidden
    ? 'hardware_encoding is "only", and no device can encode these pictures: set it to "auto"'
    : 'FFmpeg was built without libx264 and libopenh264, and no device can encode these pictures: install node-av with its own FFmpeg';
  return clipErrors.CLIP_NO_ENCODER(`${why}, or use a device with an H.264 encoder (docs/gpu.md)`);
}
