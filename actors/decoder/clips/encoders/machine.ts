// The encoders of this machine.
import { systemClock } from '../../../../runtime/clock.ts';
import type { Log } from '../../../../runtime/log.ts';
import { Codec } from '../../ffmpeg.ts';
import { mostCandidates } from '../contract.ts';
import type { PictureShape } from '../picture-encoder.ts';
import { type EncoderCandidate, encoderCandidates } from './candidates.ts';
import { defaultLimitMs, newContext } from './device-encoder.ts';
import { findDevices } from './devices.ts';
import { DeviceEncoders, type PictureEncoders, softwareEncoders } from './picture-encoders.ts';
import { proveInProcess, type TrialRequest } from './prove.ts';

const clock = systemClock;
const prove = (request: TrialRequest, signal: AbortSignal) => proveInProcess(request, signal, { clock });

function candidatesOfMachine(): EncoderCandidate[] {
  const { platform } = process;
  const isCompiled = (codec: string) => Codec.findEncoderByName(codec as never) !== null;
  return encoderCandidates({ platform, devices: findDevices(platform), isCompiled }).slice(0, mostCandidates);
}

/** `failures`: made by `newEncoderFailures`, one for all threads. */
export function encodersOfMachine(failures: SharedArrayBuffer, log: Log): PictureEncoders {
  const candidates = candidatesOfMachine();
  if (candidates.length > 0) {
    return new DeviceEncoders({
      candidates,
      prove,
      failures,
      clock,
      limitMs: defaultLimitMs,
      newContext,
      log,
    });
  }
  log.info('no device with an encoder was found; clips are encoded in software');
  return softwareEncoders;
}

/** The pictures that `describeEncoders` tries: those of most films. */
const usual: PictureShape = {
  width: 1920,
  height: 1080,
  format: 'yuv420p',
  base: { num: 1, den: 25 },
  rate: { num: 25, den: 1 },
  pixelAspect: { num: 1, den: 1 },
  firstField: null,
  // A trial has its own.
  colours: {} as PictureShape['colours'],
};

/** What precise clips of 1920x1080 are encoded by, for a person to read. `candidates`: best first. */
export async function describeEncoders(
  choice: 'auto' | 'off',
  signal: AbortSignal,
  candidates: () => readonly EncoderCandidate[] = candidatesOfMachine,
): Promise<string> {
  if (choice === 'off') return 'libx264 (hardware_encoding is off)';
  const refused: string[] = [];
  for (const candidate of candidates()) {
    const { reason, psnr } = await prove({ candidate, shape: usual }, signal);
    if (reason === null)
      return `${candidate.name}, tested (${psnr?.toFixed(1)} dB); libx264 where it cannot be used`;
    refused.push(reason);
  }
  return refused.length > 0
    ? `libx264; ${refused.join('; ')}`
    : 'libx264; no device with an encoder was found';
}
