// Everything that is measured about faces: finding them, what that costs beside pictures, and people of a
// real folder.
import { faceFinding } from './face-finding.ts';
import { faceStage } from './face-stage.ts';
import { faceStore } from './face-store.ts';
import type { Question } from './row.ts';

export const faces: Question = async (say) => [
  ...(await faceFinding(say)),
  ...(await faceStage(say)),
  ...(await faceStore(say)),
];
