// What the service tells a Prometheus server about itself. Counters are kept by the meters; everything else is asked for
// when it is rendered.
import type { TaskListener } from '../../actors/analysis/contract.ts';
import type { ModelState } from '../../actors/embedder/contract.ts';
import type { VisualModels } from '../../actors/search/models/contract.ts';
import type { Phase } from '../../runtime/ref.ts';
import type { SlotPool } from '../../runtime/slots.ts';
import type { ChildState } from '../../runtime/supervisor.ts';
import type { Route } from '../route.ts';
import { type Family, renderFamilies, type Sample, single } from './exposition.ts';
import { createProcessMeter } from './process-meter.ts';
import { createRequestMeter, type RequestMeter } from './request-meter.ts';
import { createTaskMeter } from './task-meter.ts';

export interface MetricsSources {
  readonly routes: readonly Route[];
  states(): readonly ChildState[];
  readonly slots: Pick<SlotPool, 'count' | 'free' | 'waiting'>;
  readonly models: Pick<VisualModels, 'state' | 'loads'>;
  /** Requests begun and not answered. */
  inFlight(): number;
  /** Connections of the event server. */
  eventClients(): number;
  /** Lives of the engine before this one, from the guardian client. */
  readonly engineRestarts: number;
  readonly version: string;
}

export interface Metrics {
  /** One answered request; see `RequestMeter.count`. */
  readonly request: RequestMeter['count'];
  /** To be subscribed to the tasks. */
  readonly task: TaskListener;
  /** The exposition text, format 0.0.4. */
  render(): string;
  close(): void;
}

const phases: Readonly<Record<Phase, true>> = {
  starting: true,
  ready: true,
  stopping: true,
  down: true,
  stuck: true,
};
const loadStatuses: readonly ModelState['load_status'][] = ['unavailable', 'loading', 'ready', 'failed'];

export function createMetrics(sources: MetricsSources): Metrics {
  const requests = createRequestMeter(sources.routes);
  const tasks = createTaskMeter();
  const own = createProcessMeter();
  return {
    request: requests.count,
    task: tasks.listener,
    render: () =>
      renderFamilies([
        ...requests.families(),
        single('gauge', 'framehound_http_requests_in_flight', 'Requests being answered.', sources.inFlight()),
        single('gauge', 'framehound_event_clients', 'Clients of the event server.', sources.eventClients()),
        ...tasks.families(),
        ...actorFamilies(sources.states()),
        ...slotFamilies(sources.slots),
        ...modelFamilies(sources.models),
        single(
          'counter',
          'framehound_engine_restarts_total',
          'Restarts of the engine by its guardian.',
          sources.engineRestarts,
        ),
        ...own.families(),
        {
          type: 'gauge',
          name: 'framehound_build_info',
          help: 'What runs here.',
          samples: [{ labels: { version: sources.version, node: process.versions.node }, value: 1 }],
        },
      ]),
    close: own.close,
  };
}

function actorFamilies(states: readonly ChildState[]): Family[] {
  const each = (value: (state: ChildState) => number): Sample[] =>
    states.map((state) => ({ labels: { actor: state.name }, value: value(state) }));
  return [
    {
      type: 'gauge',
      name: 'framehound_actor_phase',
      help: '1 for the phase an actor is in.',
      samples: states.flatMap(({ name, phase }) =>
        Object.keys(phases).map((one) => ({
          labels: { actor: name, phase: one },
          value: one === phase ? 1 : 0,
        })),
      ),
    },
    {
      type: 'gauge',
      name: 'framehound_actor_queue_depth',
      help: 'Messages waiting for a turn.',
      samples: each(({ waiting }) => waiting),
    },
    {
      type: 'gauge',
      name: 'framehound_actor_turns',
      help: 'Turns running.',
      samples: each(({ running }) => running),
    },
    {
      type: 'counter',
      name: 'framehound_actor_restarts_total',
      help: 'Crashes and replacements in this life of the engine.',
      samples: each(({ restarts }) => restarts),
    },
  ];
}

function slotFamilies({ count, free, waiting }: MetricsSources['slots']): Family[] {
  return [
    {
      type: 'gauge',
      name: 'framehound_slots',
      help: 'Slots for frames, by state.',
      samples: [
        { labels: { state: 'free' }, value: free },
        { labels: { state: 'used' }, value: count - free },
      ],
    },
    single('gauge', 'framehound_slots_waiting', 'Frames waiting for a free slot.', waiting),
  ];
}

function modelFamilies({ state, loads }: MetricsSources['models']): Family[] {
  const { model_key, device, load_status } = state;
  return [
    {
      type: 'gauge',
      name: 'framehound_model_status',
      help: '1 for the load status a model is in.',
      samples: loadStatuses.map((status) => ({
        labels: { kind: 'visual', status },
        value: status === load_status ? 1 : 0,
      })),
    },
    {
      type: 'gauge',
      name: 'framehound_model_info',
      help: 'The model in use and the device it runs on.',
      samples:
        model_key === null ? [] : [{ labels: { kind: 'visual', model_key, device: device ?? '' }, value: 1 }],
    },
    {
      type: 'counter',
      name: 'framehound_model_loads_total',
      help: 'Loads of a model, by how they ended.',
      samples: (['ready', 'failed'] as const).map((result) => ({
        labels: { kind: 'visual', result },
        value: loads[result],
      })),
    },
    single('counter', 'framehound_model_load_seconds_total', 'Seconds spent loading models.', loads.seconds),
  ];
}
