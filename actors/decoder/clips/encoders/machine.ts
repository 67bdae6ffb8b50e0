// The encoders of this machine.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../../runtime/clock.ts';
import type { Log } from '../../../../runtime/log.ts';
import { hasNvidia } from '../../../../runtime/process/nvidia.mjs';
import { hasEncoder } from '../../ffmpeg.ts';
import { type EncodingChoice, mostCandidates } from '../contract.ts';
import { noEncoder, type PictureShape, softwareCodec } from '../picture-encoder.ts';
import { type Device, type EncoderCandidate, encoderCandidates } from './candidates.ts';
import { defaultLimitMs, newContext } from './device-encoder.ts';
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

// Finds what on this machine may have an encoder, without opening it: a few files are looked at.

/** `root`: folder that the paths of the system lie in, for tests. The paths of devices are without it. */
export function findDevices(platform: string, root = '/'): Device[] {
  // Elsewhere only trying tells.
  if (platform !== 'linux') return [{ kind: 'system', path: null, facts: platform, vendor: null }];
  return [...nvidia(root), ...renderNodes(root)];
}

function nvidia(root: string): Device[] {
  if (!hasNvidia(root)) return [];
  const facts = textOf(join(root, 'proc/driver/nvidia/version')).split('\n')[0]!;
  return [{ kind: 'nvidia', path: null, facts, vendor: null }];
}

function renderNodes(root: string): Device[] {
  return namesIn(join(root, 'dev/dri'))
    .filter((name) => /^renderD\d+$/.test(name))
    .sort()
    .map((name): Device => {
      const about = (field: string) => textOf(join(root, 'sys/class/drm', name, 'device', field));
      const [vendor, device] = [about('vendor'), about('device')];
      const number = Number.parseInt(vendor, 16);
      return {
        kind: 'render',
        path: `/dev/dri/${name}`,
        facts: `${vendor} ${device} ${textOf(join(root, 'proc/sys/kernel/osrelease'))}`.trim(),
        vendor: Number.isNaN(number) ? null : number,
      };
    });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // Nothing is there.
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return ''; // Not every system tells it.
  }
}
