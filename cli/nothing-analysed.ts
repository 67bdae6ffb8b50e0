// What a search says where nothing is analysed.
import { existsSync } from 'node:fs';
import { storeErrors } from '../actors/index/store/contract.ts';
import type { Context } from './context.ts';

/** A folder that is not there is an error: most likely another one is meant. */
export function writeNothingAnalysed(screen: Context['screen'], model: string, folder: string): void {
  if (!existsSync(folder)) {
    throw analyseFirst(`The analysis folder ${folder} does not exist`);
  }
  screen.write(
    `Nothing has been analysed with ${model} in ${folder}. To analyse footage: framehound analyze PATH\n`,
  );
}

/** The folder cannot be searched, and what to do first. */
export function analyseFirst(reason: string): Error {
  return storeErrors.STORE_UNAVAILABLE(`${reason}. Analyse something first: framehound analyze PATH`);
}
