// The metrics of the service for a Prometheus server. Counters are kept by the meters; gauges are read when
// rendering.

import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { TaskListener } from '../../actors/analysis/contract.ts';
import type { Cluster } from '../../actors/cluster/contract.ts';
import type { ClipCounts, Clips } from '../../actors/exporter/clips/contract.ts';
import type { ModelState } from '../../actors/models/contract.ts';
import type { VisualModels } from '../../actors/search/models/contract.ts';
import type { WatchFolders } from '../../actors/watcher/folders/contract.ts';
import type { ChildState } from '../../runtime/child.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Phase } from '../../runtime/ref.ts';
import type { SlotPool } from '../../runtime/slots.ts';
import type { Route } from '../route.ts';
import { clusterFamilies } from './cluster.ts';
import { type MetricFamily, type MetricSample, renderFamilies, single } from './exposition.ts';
import { createTaskMeter, createWatchMeter } from './meters.ts';

export interface MetricsSources {
  readonly routes: readonly Route[];
  states(): readonly ChildState[];
  readonly slots: Pick<SlotPool, 'count' | 'free' | 'waiting'>;
  readonly models: Pick<VisualModels, 'state' | 'loads'>;
  readonly watchFolders: Pick<WatchFolders, 'list'>;
  readonly clips: Pick<Clips, 'counts'>;
  /** Left out for an engine that is in none. */
  readonly cluster?: Pick<Cluster, 'standing' | 'status'> | null;
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
  const processMeter = createProcessMeter();
  return {
    request: requests.count,
    task: tasks.listener,
    render: async () => {
      const ofWatchFolders = await watched.families();
      const ofCluster = await clusterFamilies(sources.cluster ?? null, sources.clock);
      return renderFamilies([
        ...requests.families(),
        single('gauge', 'framehound_http_requests_in_flight', 'HTTP requests in flight.', sources.inFlight()),
        single(
          'gauge',
          'framehound_event_clients',
          'Connected clients of events, by Socket.IO or as a stream.',
          sources.eventClients(),
        ),
        ...tasks.families(),
        ...clipFamilies(sources.clips.counts),
        ...ofCluster,
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
        ...processMeter.families(),
        {
          type: 'gauge',
          name: 'framehound_build_info',
          help: 'Version of the service and of Node.js, as labels; the value is always 1.',
          samples: [{ labels: { version: sources.version, node: process.versions.node }, value: 1 }],
        },
      ]);
    },
    close: processMeter.close,
  };
}

function actorFamilies(states: readonly ChildState[]): MetricFamily[] {
  const each = (value: (state: ChildState) => number): MetricSample[] =>
    states.map((state) => ({ labels: { actor: state.name }, value: value(state) }));
  return [
    {
      type: 'gauge',
      name: 'framehound_actor_phase',
      help: 'Phase of each actor: 1 for the phase it is in, 0 for the others.',
      samples: states.flatMap(({ name, phase }) =>
        Object.keys(phases).map((candidate) => ({
          labels: { actor: name, phase: candidate },
          value: candidate === phase ? 1 : 0,
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

function slotFamilies({ count, free, waiting }: MetricsSources['slots']): MetricFamily[] {
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

function modelFamilies({ state, loads }: MetricsSources['models']): MetricFamily[] {
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

// Metrics of encoded clips, from the counts of their coordinator.

function clipFamilies({ encoded, failed }: ClipCounts): MetricFamily[] {
  return [
    {
      type: 'counter',
      name: 'framehound_clips_encoded_total',
      help: 'Clips whose pictures were encoded, all or some of them, by what encoded them.',
      // The one that every machine has is told from the start.
      samples: samplesOf(new Map([['libx264', 0], ...encoded])),
    },
    {
      type: 'counter',
      name: 'framehound_clip_encoder_failures_total',
      help: 'Clips made in software because the encoder of a device failed, by that encoder.',
      samples: samplesOf(failed),
    },
  ];
}

const samplesOf = (counts: ReadonlyMap<string, number>) =>
  [...counts].map(([encoder, value]) => ({ labels: { encoder }, value }));

// Measures the engine process: CPU time, memory and the delay of its event loop.

interface ProcessMeter {
  families(): MetricFamily[];
  /** Stops measuring the event loop. */
  close(): void;
}

const RESOLUTION_MS = 20;

function createProcessMeter(): ProcessMeter {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let turned = performance.eventLoopUtilization();
  const loop = (): MetricSample[] => {
    // Two measurements are at least the resolution apart; only what exceeds it is delay.
    const late = (ns: number) => (delay.count === 0 ? 0 : Math.max(0, ns / 1e9 - RESOLUTION_MS / 1e3));
    const samples = [
      { labels: { stat: 'p50' }, value: late(delay.percentile(50)) },
      { labels: { stat: 'p99' }, value: late(delay.percentile(99)) },
      { labels: { stat: 'max' }, value: late(delay.max) },
    ];
    delay.reset();
    return samples;
  };
  const busy = (): number => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, turned);
    turned = now;
    return Number.isFinite(utilization) ? utilization : 0;
  };
  return {
    families: () => [
      ...processFamilies(),
      {
        type: 'gauge',
        name: 'framehound_event_loop_delay_seconds',
        help: 'Delay of the main event loop since the last scrape: median, 99th percentile and maximum.',
        samples: loop(),
      },
      single(
        'gauge',
        'framehound_event_loop_utilization',
        'Share of time the main event loop was busy since the last scrape, from 0 to 1.',
        busy(),
      ),
    ],
    close: () => delay.disable(),
  };
}

function processFamilies(): MetricFamily[] {
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1e6;
  const started = (Date.now() - process.uptime() * 1_000) / 1_000;
  const gauge = (name: string, help: string, value: number) => single('gauge', name, help, value);
  return [
    single('counter', 'process_cpu_seconds_total', 'User and system CPU time of all threads.', cpuSeconds),
    gauge('process_resident_memory_bytes', 'Resident memory of the process, shared memory included.', rss),
    gauge('process_start_time_seconds', 'Start of the process, Unix time.', started),
    gauge('framehound_uptime_seconds', 'Seconds since the engine process started.', process.uptime()),
    gauge('framehound_heap_used_bytes', 'JavaScript heap in use, main thread.', heapUsed),
    gauge(
      'framehound_external_memory_bytes',
      'Memory outside the JavaScript heap, such as buffers, main thread.',
      external,
    ),
  ];
}

// Counts requests by route and status, and their duration by route. Every request passes here, so counters
// are numbers that become text only when they are scraped.

/** Upper bounds in seconds: a response from memory takes 0.1 ms, a search 10 ms, a cold model seconds. */
export const LATENCY_BOUNDS = [
  0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
] as const;

/** Above every status. */
const STATUSES = 600;
const BUCKETS = LATENCY_BOUNDS.length + 1;

interface RequestMeter {
  /** `route` is null when no route matched. `received` and `sent`: bytes of the bodies. */
  count(route: Route | null, status: number, seconds: number, received: number, sent: number): void;
  families(): MetricFamily[];
}

export function createRequestMeter(routes: readonly Route[]): RequestMeter {
  // Row 0 is for requests without a route.
  const rows = new Map(routes.map((route, i) => [route, i + 1]));
  /** Counts by row and status; few of these ever occur. */
  const byStatus = new Map<number, number>();
  const byBucket = new Float64Array((routes.length + 1) * BUCKETS);
  const sums = new Float64Array(routes.length + 1);
  let bytesIn = 0;
  let bytesOut = 0;

  const labels = [null, ...routes].map((route) => ({
    method: route?.method ?? '',
    route: route?.path ?? '(none)',
  }));
  const requests = () =>
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([at, value]) => {
        const status = String(at % STATUSES);
        return { labels: { ...labels[Math.floor(at / STATUSES)]!, status }, value };
      });
  const latencies = () =>
    labels.flatMap((routeLabels, row) => {
      const counts = byBucket.subarray(row * BUCKETS, (row + 1) * BUCKETS);
      const none = counts.every((count) => count === 0);
      return none ? [] : [{ labels: routeLabels, bounds: LATENCY_BOUNDS, counts, sum: sums[row]! }];
    });
  return {
    count: (route, status, seconds, received, sent) => {
      const row = route === null ? 0 : (rows.get(route) ?? 0);
      const at = row * STATUSES + (status < STATUSES ? status : 0);
      byStatus.set(at, (byStatus.get(at) ?? 0) + 1);
      let bucket = 0;
      // Linear, not binary: nearly every request ends in one of the first buckets.
      while (bucket < LATENCY_BOUNDS.length && seconds > LATENCY_BOUNDS[bucket]!) bucket++;
      byBucket[row * BUCKETS + bucket]!++;
      sums[row]! += seconds;
      bytesIn += received;
      bytesOut += sent;
    },
    families: () => [
      {
        type: 'counter',
        name: 'framehound_http_requests_total',
        help: 'HTTP responses, by route and status.',
        samples: requests(),
      },
      {
        type: 'histogram',
        name: 'framehound_http_request_duration_seconds',
        help: 'Seconds from the head of a request to its response, by route.',
        series: latencies(),
      },
      {
        type: 'counter',
        name: 'framehound_http_body_bytes_total',
        help: 'Bytes of request and response bodies.',
        samples: [
          { labels: { direction: 'received' }, value: bytesIn },
          { labels: { direction: 'sent' }, value: bytesOut },
        ],
      },
    ],
  };
}
