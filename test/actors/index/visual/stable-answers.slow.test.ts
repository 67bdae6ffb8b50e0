import { test } from 'node:test';
import { checkStableAnswers } from './stable-answers.ts';

test('forgetting and analysing change no answer about what stays, and a restart changes none', async (t) => {
  await checkStableAnswers(t, { seed: 1, stills: 40, goOn: (rounds) => rounds < 6 });
});
