// Our own voice detector against Silero: agreement on voices it was not trained on, clean, with noise and
// over music; false alarms of both in sounds without speech; speed.
import { openSession } from '../actors/models/session.ts';
import { builtInDetectors } from '../actors/transcriber/voice/built-in.ts';
import type { VoiceDetectors } from '../actors/transcriber/voice/detector.ts';
import { openSilero } from '../actors/transcriber/voice/selection.ts';
import { createLog } from '../runtime/log.ts';
import { alternate, processorSeconds, type Question, type Row } from './row.ts';
import { agreementRows, beginningRows } from './voice/agreement.ts';
import { hasCorpus, type Recording, readCorpus, sileroFile } from './voice/corpus.ts';
import { type Pair, regionsOf } from './voice/detect.ts';
import { missingRecordings, readRecordings, recordingsFolder } from './voice/recordings.ts';
import { recordedRows, syntheticRows } from './voice/silent.ts';
import { rate } from './voice/sounds.ts';

async function speedRows({ own, silero }: Pair, test: readonly Recording[]): Promise<Row[]> {
  const sound = test.at(-2)!.samples;
  const speedOf = (detectors: VoiceDetectors) => async () =>
    sound.length / rate / (await processorSeconds(() => regionsOf(detectors, sound)));
  const speed = await alternate(5, { 'own detector': speedOf(own), Silero: speedOf(silero) });
  return Object.entries(speed).map(([name, value]) => ({
    question: 'voice',
    name: `${name}, by processor time`,
    value,
    unit: '× real time',
    against: { name: 'real time', value: 1 },
    ratio: value,
    goal: name === 'Silero' ? null : { of: 'ratio', at: 'least', than: 300 },
  }));
}

export const voice: Question = async (say) => {
  if (!hasCorpus()) {
    say('the recordings and Silero are not beside the checkout; nothing is measured');
    return [];
  }
  const missing = missingRecordings('test');
  if (missing.length > 0) {
    say(
      `${missing.length} recordings of other sounds are not in ${recordingsFolder}, ${missing[0]} among them`,
    );
  }
  say('decoding');
  const { test } = await readCorpus({ fit: false });
  const sounds = await readRecordings('test');
  const log = createLog('bench', () => {});
  const open = (source: string | Uint8Array) => openSession(source, { device: 'cpu', threads: 1, log });
  const pair: Pair = { own: builtInDetectors(), silero: await openSilero('silero-vad', sileroFile, open) };
  try {
    const rows = await agreementRows(pair, test, sounds, say);
    rows.push(...(await beginningRows(pair, test, say)));
    rows.push(...(await syntheticRows(pair, say)), ...(await recordedRows(pair, sounds, say)));
    return [...rows, ...(await speedRows(pair, test))];
  } finally {
    await pair.silero.close();
  }
};
