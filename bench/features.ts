// Speed of spectral features (log-mel, fbank) on one thread, against real time.
import { Fbank, wespeakerFbank } from '../actors/acoustics/fbank.ts';
import { LogMel, melRate } from '../actors/acoustics/mel.ts';
import { alternate, processorSeconds, type Question, type Row } from './row.ts';

const seconds = 30;

/** Noise, so that no frame is cheaper than another. */
function sound(): Float32Array {
  let state = 7;
  return Float32Array.from({ length: seconds * melRate }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
}

export const features: Question = async (say) => {
  say('30 s of noise, whole');
  const samples = sound();
  const mel80 = new LogMel(80);
  const mel128 = new LogMel(128);
  const fbank = new Fbank(wespeakerFbank);
  const speedOf = (work: () => unknown) => async () => seconds / (await processorSeconds(work));
  const speed = await alternate(7, {
    'log-mel, 80 bands (Whisper)': speedOf(() => mel80.padded(samples)),
    'log-mel, 128 bands (Whisper large, x3asr)': speedOf(() => mel128.spectrogram(samples)),
    'fbank, 80 bands (voices)': speedOf(() => fbank.whole(samples)),
  });
  return Object.entries(speed).map(
    ([name, value]): Row => ({
      question: 'features',
      name: `${name}, by processor time`,
      value,
      unit: '× real time',
      against: { name: 'real time', value: 1 },
      ratio: value,
      goal: { of: 'ratio', at: 'least', than: 300 },
    }),
  );
};
