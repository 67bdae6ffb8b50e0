// The stages there are, one for every kind of work.
import { clipsStage } from './clips/stage.ts';
import { facesStage } from './faces/stage.ts';
import { checkKinds } from './kind.ts';
import { stageKinds } from './kinds.ts';
import { pictureStage } from './picture/stage.ts';
import { proxyStage } from './proxy/stage.ts';
import { pullStage } from './pull/stage.ts';
import { speechStage } from './speech/stage.ts';
import { type Stage, stageOf } from './stage.ts';
import { summaryStage } from './summary/stage.ts';
import { textStage } from './text/stage.ts';
import { thingsStage } from './things/stage.ts';

const works = [
  pictureStage,
  speechStage,
  facesStage,
  textStage,
  thingsStage,
  summaryStage,
  clipsStage,
  pullStage,
  proxyStage,
] as const satisfies readonly Stage[];

checkKinds(stageKinds);

/** In the order of the kinds. Loading this module throws when one has no stage. */
export const stages: readonly Stage[] = stageKinds.map(({ type }) => stageOf(works, type));
