// Says that the service is there, whether it can work, and how it does, without a key; and in which cluster
// it is.

import { Type } from 'typebox';
import { ClusterStatus } from '../../actors/cluster/contract.ts';
import type { ModelState } from '../../actors/models/contract.ts';
import type { ChildState } from '../../runtime/child.ts';
import type { Phase } from '../../runtime/ref.ts';
import { described, field, nullable } from '../../runtime/schema.ts';
import { EXPOSITION_TYPE } from '../metrics/exposition.ts';
import { askAgain } from '../request/response.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

// Why the service is not ready, if it is not.

interface NotReady {
  /** An actor, `visual model`, `analysis data`, `cluster` or `service`. */
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

const tag = 'Health';
const Status = Type.Object({ status: field('Always `ok`.', Type.String()) });

export const health = route({
  method: 'GET',
  path: '/api/v1/health',
  id: 'health',
  tag,
  summary: 'Check whether the service responds',
  access: 'open',
  answers: { 200: Status },
  handle: () => reply(200, { status: 'ok' }),
});

export const livez = route({
  method: 'GET',
  path: '/livez',
  id: 'livez',
  tag,
  summary: 'Check whether the process responds',
  description:
    'Responds as long as the process can respond at all. If there is no response, restart the process.',
  access: 'open',
  answers: { 200: Status },
  handle: () => reply(200, { status: 'ok' }),
});

const Readiness = Type.Object({
  ready: field('Whether the service is fully operational.', Type.Boolean()),
  reasons: described(
    Type.Array(
      Type.Object({
        name: described(
          Type.String(),
          'A part (actor) of the engine, `visual model`, `analysis data`, `cluster` or `service`.',
        ),
        state: described(Type.String(), 'Its state as in /metrics, or its load status.'),
        reason: field('Why the service is not fully operational.', Type.String()),
      }),
    ),
    'Why the service is not ready; empty if it is ready.',
  ),
});

export const readyz = route({
  method: 'GET',
  path: '/readyz',
  id: 'readyz',
  tag,
  summary: 'Check whether the service is ready',
  description:
    'Returns 503 while a part (actor) of the engine is not ready, while the visual model is loading or ' +
    'if it could not be loaded, while an engine that restarted after a crash reloads its data, while a node ' +
    'of a cluster cannot do all that it is for, and when the service is stopping. Routes that do not need the missing part still work.',
  access: 'open',
  answers: { 200: Readiness, 503: Readiness },
  handle: (_, service) => {
    const { models, restoring } = service.search;
    const ownReasons = notReadyReasons(service.states(), models.state, service.stopping(), restoring);
    const troubles = service.cluster?.standing().troubles ?? [];
    const reasons = [
      ...ownReasons,
      ...troubles.map((reason) => ({ name: 'cluster', state: 'failed', reason })),
    ];
    return reasons.length === 0
      ? reply(200, { ready: true, reasons })
      : reply(503, { ready: false, reasons }, askAgain);
  },
});

export const metrics = route({
  method: 'GET',
  path: '/metrics',
  id: 'metrics',
  tag,
  summary: 'Get metrics for a Prometheus server',
  description: 'Uses the text exposition format 0.0.4. Counters start at 0 when the engine starts.',
  access: 'open',
  form: { text: EXPOSITION_TYPE },
  answers: { 200: Type.String() },
  handle: async (_, service) => reply(200, await service.metrics.render()),
});

export const getCluster = route({
  method: 'GET',
  path: '/api/v1/cluster',
  id: 'getCluster',
  tag,
  summary: 'Get the machines of the cluster',
  description:
    'Every machine of a cluster gives the same answer, from its database. Returns 503 while the database ' +
    'cannot be reached. Names of files begin with the name of their root.',
  answers: {
    200: Type.Object({
      cluster: field('The cluster; null for a service that is in none.', nullable(ClusterStatus)),
    }),
    503: ErrorBody,
  },
  handle: async (_, { cluster }) => reply(200, { cluster: cluster === null ? null : await cluster.status() }),
});

export const healthRoutes: readonly Route[] = [health, livez, readyz, metrics, getCluster];
