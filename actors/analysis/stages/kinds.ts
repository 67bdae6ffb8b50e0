// The kinds of stages, in the order in which they are reported; one comes after those it needs. Request
// fields, counts, events and metrics are all derived from this list.
import { clipsKind } from './clips/kind.ts';
import { facesKind } from './faces/kind.ts';
import { placeOf } from './kind.ts';
import { pictureKind } from './picture/kind.ts';
import { proxyKind } from './proxy/kind.ts';
import { pullKind } from './pull/kind.ts';
import { soundsKind } from './sounds/kind.ts';
import { speechKind } from './speech/kind.ts';
import { summaryKind } from './summary/kind.ts';
import { textKind } from './text/kind.ts';
import { thingsKind } from './things/kind.ts';

export const stageKinds = [
  pictureKind,
  speechKind,
  facesKind,
  textKind,
  thingsKind,
  soundsKind,
  summaryKind,
  clipsKind,
  pullKind,
  proxyKind,
] as const;

/** False of a task of what is done beside analyses, as clips. `types`: its kinds of work. */
export function isAnalysis(types: readonly string[]): boolean {
  return placeOf(stageKinds.filter(({ type }) => types.includes(type))) === 'analysis';
}
