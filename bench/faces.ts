// Everything that is measured about faces: finding them, what that costs beside pictures, and people of a
// real folder.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { faceFinding } from './face-finding.ts';
import { faceStage } from './face-stage.ts';
import { faceStore } from './face-store.ts';
import type { Question, Row } from './row.ts';

export const faces: Question = async (say, folder) => {
  const rows: Row[] = [];
  for (const ask of [faceFinding, faceStage, faceStore])
    rows.push(...(await ask(say, mkdtempSync(join(folder, 'faces-')))));
  return rows;
};
