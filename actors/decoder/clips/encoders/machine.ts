// The encoders of this machine.
import { systemClock } from '../../../../runtime/clock.ts';
import type { Log } from '../../../../runtime/log.ts';
import { hasEncoder } from '../../ffmpeg.ts';
import { type EncodingChoice, mostCandidates } from '../contract.ts';
import type { PictureShape } from '../picture-encoder.ts';
import { noEncoder, softwareCodec } from '../software.ts';
import { type EncoderCandidate, encoderCandidates } from './candidates.ts';
import { defaultLimitMs, newContext } from './device-encoder.ts';
import { findDevices } from './devices.ts';
import {
  DeviceEncoders,
  type PictureEncoders,
  type RestEncoders,
  softwareEncoders,
} from './picture-encoders.ts';
import { proveInProcess, type TrialRequest } from './prove.ts';

const clock = systemClock;
const prove = (request: TrialRequest, signal: AbortSignal) => proveInProcess(request, signal, { clock });

function candidatesOfMachine(): EncoderCandidate[] {
  const { platform } = process;
  const devices = findDevices(platform);
  return encoderCandidates({ platform, devices, isCompiled: hasEncoder }).slice(0, mostCandidates);
}

/** `failures`: made by `newEncoderFailures`, one for all threads. `rest`: where no device encodes. */
export function encodersOfMachine(
  failures: SharedArrayBuffer,
  log: Log,
  rest: RestEncoders = softwareEncoders,
): PictureEncoders {
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
      rest,
    });
  }
  const otherwise = rest.codec === null ? 'no clips can be encoded' : 'clips are encoded in software';
  log.info(`no device with an encoder was found; ${otherwise}`);
  return rest;
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

/**
 * What precise clips of 1920x1080 are encoded by, for a person to read. `candidates`: best first. Throws
 * CLIP_NO_ENCODER where nothing can encode them.
 */
export async function describeEncoders(
  choice: EncodingChoice,
  signal: AbortSignal,
  candidates: () => readonly EncoderCandidate[] = candidatesOfMachine,
): Promise<string> {
  const software = choice === 'only' ? null : softwareCodec();
  const refused: string[] = [];
  for (const candidate of choice === 'off' ? [] : candidates()) {
    const { reason, psnr } = await prove({ candidate, shape: usual }, signal);
    if (reason === null)
      return `${candidate.name}, tested (${psnr?.toFixed(1)} dB); ${software ?? 'nothing'} where it cannot be used`;
    refused.push(reason);
  }
  if (software === null) throw noEncoder(choice === 'only');
  if (choice === 'off') return `${software} (hardware_encoding is off)`;
  return `${software}; ${refused.length > 0 ? refused.join('; ') : 'no device with an encoder was found'}`;
}
