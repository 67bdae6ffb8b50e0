// Opens a family of speech models on a folder as the actor does.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { ModelRow, SpeechRow } from '../../../actors/models/contract.ts';
import { fileOf } from '../../../actors/models/registry.ts';
import { type ModelSession, openSession } from '../../../actors/models/session.ts';
import { familyOf } from '../../../actors/transcriber/actor.ts';
import type { SpeechFamily, SpeechWindow } from '../../../actors/transcriber/family.ts';
import { createLog } from '../../../runtime/log.ts';
import type { Checkpoint } from '../../../runtime/sync/checkpoint.ts';

export const turning: Checkpoint = async () => {
  await eventLoopTurn();
};

/** Sessions that were opened and not yet released. */
export const openSessions = new Set<ModelSession>();

/** `onRun` sees what each graph is fed. */
export function openFamily(
  modelsDir: string,
  row: ModelRow,
  checkpoint: Checkpoint = turning,
  onRun: (...fed: Parameters<ModelSession['run']>) => void = () => {},
): Promise<SpeechFamily> {
  const log = createLog('test', () => {});
  const open = async (source: string | Uint8Array) => {
    const session = await openSession(source, { device: 'cpu', threads: 1, log });
    openSessions.add(session);
    const release = async () => {
      openSessions.delete(session);
      await session.release();
    };
    const run: ModelSession['run'] = (...fed) => {
      onRun(...fed);
      return session.run(...fed);
    };
    return { ...session, run, release };
  };
  const speech = row as SpeechRow;
  return familyOf(speech).open(speech, (role) => fileOf(modelsDir, row, role), open, checkpoint);
}

/** All of it is speech. */
export const windowOf = (samples: Float32Array): SpeechWindow => ({ samples, speech: [[0, samples.length]] });

export const textOf = ({ pieces }: { pieces: readonly { text: string }[] }) =>
  pieces.map(({ text }) => text).join('');
