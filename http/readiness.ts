// Why the service is not ready, if it is not.
import type { ModelState } from '../actors/embedder/contract.ts';
import type { ChildState } from '../runtime/child.ts';
import type { Phase } from '../runtime/ref.ts';

export interface NotReady {
  /** An actor, `visual model`, `analysis data` or `service`. */
  readonly name: string;
  /** Its phase or load status. */
  readonly state: Phase | ModelState['load_status'];
  /** Empty when nothing more is known. */
  readonly reason: string;
}

/** Empty when the service is ready. */
export function notReadyReasons(
  states: readonly ChildState[],
  visual: ModelState,
  stopping: boolean,
  restoring = false,
): readonly NotReady[] {
  const service: NotReady[] = stopping
    ? [{ name: 'service', state: 'stopping', reason: 'the service is stopping' }]
    : [];
  const actors = states
    .filter(({ phase }) => phase !== 'ready' && phase !== 'idle')
    .map(({ name, phase, reason }) => ({ name, state: phase, reason }));
  const reason = 'data that was loaded before the restart is being reloaded';
  const data: NotReady[] = restoring ? [{ name: 'analysis data', state: 'loading', reason }] : [];
  return [...service, ...actors, ...modelReasons(visual), ...data];
}

/** `unavailable` is no reason: no model was asked for. */
function modelReasons({ load_status, requested_model_key, error }: ModelState): NotReady[] {
  if (load_status !== 'loading' && load_status !== 'failed') return [];
  const reason = error ?? `model "${requested_model_key}" is ${load_status}`;
  return [{ name: 'visual model', state: load_status, reason }];
}
