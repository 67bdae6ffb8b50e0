// The metrics of the service for a Prometheus server. Counters are kept by the meters; gauges are read when rendering.
import type { TaskListener } from '../../actors/analysis/contract.ts';
import type { ModelState } from '../../actors/embedder/contract.ts';
import type { Clips } from '../../actors/exporter/clips/contract.ts';
import type { VisualModels } from '../../actors/search/models/contract.ts';
import type { WatchFolders } from '../../actors/watch-folders/contract.ts';
import type { ChildState } from '../../runtime/child.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Phase } from '../../runtime/ref.ts';
import type { SlotPool } from '../../runtime/slots.ts';
import type { Route } from '../route.ts';
import { clipFamilies } from './clip-meter.ts';
import { type Family, renderFamilies, type Sample, single } from './exposition.ts';
import { createProcessMeter } from './process-meter.ts';
import { createRequestMeter, type RequestMeter } from './request-meter.ts';
import { createTaskMeter } from './task-meter.ts';
import { createWatchMeter } from './watch-meter.ts';

export interface MetricsSources {
  readonly routes: readonly Route[];
  states(): readonly ChildState[];
  readonly slots: Pick<SlotPool, 'count' | 'free' | 'waiting'>;
  readonly models: Pick<VisualModels, 'state' | 'loads'>;
  readonly watchFolders: Pick<WatchFolders, 'list'>;
  readonly clips: Pick<Clips, 'counts'>;
  readonly clock: Clock;
  /** Requests in flight. */
  inFlight(): number;
  /** Connections of the event server. */
  eventClients(): number;
  /** How often the guardian has restarted the engine. */
  readonly engineRestarts: number;
  readonly version: string;
}

export interface Metrics {
  /** One answered request; see `RequestMeter.count`. */
  readonly request: RequestMeter['count'];
  /** To be subscribed to the tasks. */
  readonly task: TaskListener;
  /** The exposition text, format 0.0.4. */
  render(): Promise<string>;
  close(): void;
}

const phases: Readonly<Record<Phase, true>> = {
  idle: true,
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
  const watched = createWatchMeter(() => sources.watchFolders.list(), sources.clock);
  const own = createProcessMeter();
  return {
    request: requests.count,
    task: tasks.listener,
    render: async () => {
      const ofWatchFolders = await watched.families();
      return renderFamilies([
        ...requests.families(),
        single('gauge', 'framehound_http_requests_in_flight', 'HTTP requests in flight.', sources.inFlight()),
        single('gauge', 'framehound_event_clients', 'Open Socket.IO connections.', sources.eventClients()),
        ...tasks.families(),
        ...clipFamilies(sources.clips.counts),
        ...ofWatchFolders,
        ...actorFamilies(sources.states()),
        ...slotFamilies(sources.slots),
        ...modelFamilies(sources.models),
        single(
          'counter',
          'framehound_engine_restarts_total',
          'Restarts of the engine process by its guardian.',
          sources.engineRestarts,
        ),
        ...own.families(),
        {
          type: 'gauge',
          name: 'framehound_build_info',
          help: 'Version of the service and of Node.js, as labels; the value is always 1.',
          samples: [{ labels: { version: sources.version, node: process.versions.node }, value: 1 }],
        },
      ]);
    },
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
      help: 'Phase of each actor: 1 for the phase it is in, 0 for the others.',
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
      help: 'Messages waiting in the mailbox of each actor.',
      samples: each(({ waiting }) => waiting),
    },
    {
      type: 'gauge',
      name: 'framehound_actor_turns',
      help: 'Messages each actor is handling.',
      samples: each(({ running }) => running),
    },
    {
      type: 'counter',
      name: 'framehound_actor_restarts_total',
      help: 'Restarts of each actor after a crash or a hang, since the engine process started.',
      samples: each(({ restarts }) => restarts),
    },
  ];
}

function slotFamilies({ count, free, waiting }: MetricsSources['slots']): Family[] {
  return [
    {
      type: 'gauge',
      name: 'framehound_slots',
      help: 'Shared memory slots for frames, free and in use.',
      samples: [
        { labels: { state: 'free' }, value: free },
        { labels: { state: 'used' }, value: count - free },
      ],
    },
    single(
      'gauge',
      'framehound_slots_waiting',
      'Frames waiting for a free slot: above 0, decoding is faster than the models.',
      waiting,
    ),
  ];
}

function modelFamilies({ state, loads }: MetricsSources['models']): Family[] {
  const { model_key, device, load_status } = state;
  return [
    {
      type: 'gauge',
      name: 'framehound_model_status',
      help: 'Load status of the model: 1 for the current one, 0 for the others.',
      samples: loadStatuses.map((status) => ({
        labels: { kind: 'visual', status },
        value: status === load_status ? 1 : 0,
      })),
    },
    {
      type: 'gauge',
      name: 'framehound_model_info',
      help: 'Model in use and the device it runs on, as labels; the value is always 1.',
      samples:
        model_key === null ? [] : [{ labels: { kind: 'visual', model_key, device: device ?? '' }, value: 1 }],
    },
    {
      type: 'counter',
      name: 'framehound_model_loads_total',
      help: 'Attempts to load a model, by result.',
      samples: (['ready', 'failed'] as const).map((result) => ({
        labels: { kind: 'visual', result },
        value: loads[result],
      })),
    },
    single('counter', 'framehound_model_load_seconds_total', 'Seconds spent loading models.', loads.seconds),
  ];
}
