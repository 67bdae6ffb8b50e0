// Says that the service is there, whether it can work, and how it does. None of these needs a key.
import { Type } from 'typebox';
import { described } from '../../runtime/schema.ts';
import { EXPOSITION_TYPE } from '../metrics/exposition.ts';
import { notReadyReasons } from '../readiness.ts';
import { askAgain } from '../request/response.ts';
import { type Route, reply, route } from '../route.ts';

const tag = 'Health';
const Status = Type.Object({ status: Type.String() });

export const health = route({
  method: 'GET',
  path: '/api/v1/health',
  id: 'health',
  tag,
  summary: 'Whether the service answers',
  access: 'open',
  answers: { 200: Status },
  handle: () => reply(200, { status: 'ok' }),
});

export const livez = route({
  method: 'GET',
  path: '/livez',
  id: 'livez',
  tag,
  summary: 'Whether the process of the service responds',
  description:
    'Answers as long as the process can answer anything. No answer: the process is to be restarted.',
  access: 'open',
  answers: { 200: Status },
  handle: () => reply(200, { status: 'ok' }),
});

const Readiness = Type.Object({
  ready: Type.Boolean(),
  reasons: described(
    Type.Array(
      Type.Object({
        name: described(
          Type.String(),
          'A part (actor) of the engine, `visual model`, `analysis data` or `service`.',
        ),
        state: described(Type.String(), 'Its state, as /metrics names it, or its load status.'),
        reason: Type.String(),
      }),
    ),
    'What keeps the service from its work; empty when it is ready.',
  ),
});

export const readyz = route({
  method: 'GET',
  path: '/readyz',
  id: 'readyz',
  tag,
  summary: 'Whether the service can do its work, and if not why',
  description:
    '503 while a part (actor) of the engine is not ready, while the visual model loads or when it could not be loaded, while an ' +
    'engine that was restarted after a crash reloads its data, and once the service is stopping. Routes that do not need what is missing answer all the same.',
  access: 'open',
  answers: { 200: Readiness, 503: Readiness },
  handle: (_, service) => {
    const { models, restoring } = service.search;
    const reasons = [...notReadyReasons(service.states(), models.state, service.stopping(), restoring)];
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
  summary: 'Counters and gauges of the service for a Prometheus server',
  description: 'Text exposition format 0.0.4. Counters begin at 0 when the engine starts.',
  access: 'open',
  form: { text: EXPOSITION_TYPE },
  answers: { 200: Type.String() },
  handle: async (_, service) => reply(200, await service.metrics.render()),
});

export const healthRoutes: readonly Route[] = [health, livez, readyz, metrics];
