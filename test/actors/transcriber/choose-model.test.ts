import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noModelErrors } from '../../../actors/models/contract.ts';
import { chooseSpeechModel, type SpeechCandidate } from '../../../actors/transcriber/choose-model.ts';
import { speechErrors, type XPreference } from '../../../actors/transcriber/contract.ts';

const offer = (
  key: string,
  languages: string[],
  accuracy: number,
  speed: number,
  downloaded: boolean,
): SpeechCandidate => ({
  key,
  languages,
  accuracy,
  speed,
  size_gb: 1,
  is_measured: key.startsWith('whisper'),
  downloaded,
});
/** `here`: the keys that are downloaded. */
const offers = (...here: string[]): SpeechCandidate[] =>
  [
    offer('x3-asr-0.6b', ['en', 'de', 'ja'], 4, 3, false),
    offer('x3-asr-1.7b', ['en', 'de', 'ja'], 5, 1, false),
    offer('parakeet-tdt-0.6b-v3', ['en', 'de', 'sv'], 4, 5, false),
    offer('whisper-tiny', ['*'], 1, 5, false),
    offer('whisper-turbo', ['*'], 4, 2, false),
    offer('moon', ['en'], 5, 5, false),
  ].map((one) => ({ ...one, downloaded: here.includes(one.key) }));

test('the preferred model is used where it is there and understands the language, else the best that is', () => {
  const table: [string[], XPreference, string | null, string, string | null][] = [
    [['x3-asr-0.6b', 'x3-asr-1.7b'], 'faster', 'en', 'x3-asr-0.6b', null],
    [['x3-asr-0.6b', 'x3-asr-1.7b'], 'more accurate', 'en', 'x3-asr-1.7b', null],
    [['x3-asr-0.6b', 'x3-asr-1.7b'], 'x3-asr-0.6b', 'de-CH', 'x3-asr-0.6b', null],
    [['x3-asr-0.6b', 'x3-asr-1.7b'], 'auto', 'en', 'x3-asr-1.7b', null],
    [['x3-asr-0.6b'], 'more accurate', 'en', 'x3-asr-0.6b', 'x3-asr-1.7b'],
    [['x3-asr-0.6b', 'whisper-tiny'], 'faster', 'is', 'whisper-tiny', 'x3-asr-0.6b'],
    [['whisper-tiny', 'parakeet-tdt-0.6b-v3'], 'auto', 'sv', 'parakeet-tdt-0.6b-v3', null],
    [['whisper-tiny', 'whisper-turbo', 'parakeet-tdt-0.6b-v3'], 'auto', 'en', 'parakeet-tdt-0.6b-v3', null],
    [['moon', 'whisper-tiny'], 'auto', null, 'whisper-tiny', null],
    [['moon'], 'auto', null, 'moon', null],
    [['moon', 'whisper-tiny'], 'auto', 'en', 'moon', null],
  ];
  for (const [here, preference, language, model_key, instead_of] of table) {
    const choice = chooseSpeechModel(offers(...here), preference, language);
    assert.deepEqual(choice, { model_key, instead_of }, `${here} ${preference} ${language}`);
  }
});

test('with nothing downloaded the error names the command that downloads the model that was meant', () => {
  const table: [XPreference, string | null, RegExp][] = [
    ['more accurate', 'en', /framehound models pull x3-asr-1\.7b \(not measured here\)$/],
    ['faster', 'is', /framehound models pull whisper-tiny$/],
    ['auto', 'sv', /framehound models pull whisper-tiny$/],
    ['auto', null, /framehound models pull whisper-tiny$/],
  ];
  for (const [preference, language, message] of table) {
    assert.throws(
      () => chooseSpeechModel(offers(), preference, language),
      (error) => noModelErrors.NO_SPEECH_MODEL.is(error) && message.test(error.message),
    );
  }
});

test('of models that were not measured the best is suggested where there is no other, and that is said', () => {
  const unmeasured = offers().filter(({ is_measured }) => !is_measured);
  assert.throws(() => chooseSpeechModel(unmeasured, 'auto', null, '; /m/mine lacks a.onnx'), {
    message: /: framehound models pull moon \(not measured here\); \/m\/mine lacks a\.onnx$/,
    details: { language: null, command: 'framehound models pull moon' },
  });
});

test('a language that nothing downloaded understands is named, with what would understand it', () => {
  assert.throws(
    () => chooseSpeechModel(offers('x3-asr-0.6b', 'moon'), 'auto', 'is'),
    (error) =>
      speechErrors.LANGUAGE_UNSUPPORTED.is(error) &&
      /^Of x3-asr-0\.6b, moon none understands Icelandic \(is\): framehound models pull whisper-/.test(
        error.message,
      ),
  );
  const european = offers('parakeet-tdt-0.6b-v3').filter(({ languages }) => !languages.includes('*'));
  assert.throws(
    () => chooseSpeechModel(european, 'auto', 'tlh'),
    (error) =>
      speechErrors.LANGUAGE_UNSUPPORTED.is(error) && /none understands Klingon \(tlh\)$/.test(error.message),
  );
});
