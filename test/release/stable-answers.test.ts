// FRAMEHOUND_RELEASE_MINUTES: how long; one minute unless said otherwise.
import { test } from 'node:test';
import { checkStableAnswers } from '../actors/index/visual/stable-answers.ts';

const minutes = Number(process.env['FRAMEHOUND_RELEASE_MINUTES'] ?? 1);

test(`through ${minutes} minutes of forgetting and analysing no answer about what stays changes`, async (t) => {
  const end = performance.now() + minutes * 60_000;
  await checkStableAnswers(t, { seed: 7, stills: 160, goOn: () => performance.now() < end });
});
