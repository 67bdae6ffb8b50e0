// Which speaker model a measurement asks, and whether the voices of the table are strangers to it.
import { starterSpeakerFile } from '../../actors/models/starter/speaker.ts';

/**
 * `FRAMEHOUND_BENCH_SPEAKER` names a file that was trained without the held voices, in the place of the starter's; they are
 * strangers to it. The starter's own has heard every voice of train-clean-100: only test-other says something about it.
 */
export function measuredModel(): { readonly path: string; readonly hasHeardHeld: boolean } {
  const named = process.env['FRAMEHOUND_BENCH_SPEAKER'];
  return { path: named ?? starterSpeakerFile.path, hasHeardHeld: named === undefined };
}
