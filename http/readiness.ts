// Whether the service can do its work, and if not why. Pure.
import type { ModelState } from '../actors/embedder/contract.ts';
import type { Phase } from '../runtime/ref.ts';
import type { ChildState } from '../runtime/supervisor.ts';

export interface Obstacle {
  /** An actor, `visual model` or `service`. */
  readonly name: string;
  /** Its phase or load status. */
  readonly state: Phase | ModelState['load_status'];
  /** Empty when nothing more is known. */
  readonly reason: string;
}

/** What keeps the service from its work; empty when nothing does. */
export function obstacles(
  states: readonly ChildState[],
  visual: ModelState,
  stopping: boolean,
): readonly Obstacle[] {
  const service: Obstacle[] = stopping
    ? [{ name: 'service', state: 'stopping', reason: 'the service is stopping' }]
    : [];
  const actors = states
    .filter(({ phase }) => phase !== 'ready')
    .map(({ name, phase, reason }) => ({ name, state: phase, reason }));
  return [...service, ...actors, ...modelObstacle(visual)];
}

/** A service that was asked for no model does what it was asked for. */
function modelObstacle({ load_status, requested_model_key, error }: ModelState): Obstacle[] {
  if (load_status !== 'loading' && load_status !== 'failed') return [];
  const reason = error ?? `model "${requested_model_key}" is ${load_status}`;
  return [{ name: 'visual model', state: load_status, reason }];
}
