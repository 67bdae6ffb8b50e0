// Ways to change a sound as another microphone, another speaker or an amplifier would.
import { levelOf, type Random } from './sounds.ts';

/** Another microphone: raises or lowers high tones, or low ones. */
export function equalised(sound: Float32Array, random: Random): Float32Array {
  const tilt = 1.6 * random() - 0.8;
  const low = 0.6 + 0.35 * random();
  let before = 0;
  let smooth = 0;
  return sound.map((value) => {
    const turned = value - tilt * before;
    before = value;
    smooth = low * smooth + (1 - low) * turned;
    return turned - 0.4 * smooth;
  });
}

/** Played at another speed, by linear interpolation: also higher or lower. */
export function faster(sound: Float32Array, speed: number): Float32Array {
  if (speed === 1) return sound;
  return Float32Array.from({ length: Math.max(0, Math.floor((sound.length - 1) / speed)) }, (_, n) => {
    const at = n * speed;
    const index = Math.floor(at);
    return sound[index]! + (at - index) * (sound[index + 1]! - sound[index]!);
  });
}

/** Overdriven: nothing is louder than so many times the mean level. */
export function clipped(sound: Float32Array, times: number): Float32Array {
  const most = times * levelOf(sound);
  return sound.map((value) => Math.max(-most, Math.min(most, value)));
}

/** Adds noise at a level (root of the mean square), in place. */
export function addNoise(sound: Float32Array, level: number, noise: Float32Array): void {
  const gain = level / (levelOf(noise) || 1);
  for (let at = 0; at < sound.length; at++) sound[at] = sound[at]! + gain * noise[at]!;
}
