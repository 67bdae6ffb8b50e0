// Measures the engine process: CPU time, memory and the delay of its event loop.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { type Family, type Sample, single } from './exposition.ts';

export interface ProcessMeter {
  families(): Family[];
  /** Stops measuring the event loop. */
  close(): void;
}

const RESOLUTION_MS = 20;

export function createProcessMeter(): ProcessMeter {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let turned = performance.eventLoopUtilization();
  const loop = (): Sample[] => {
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

function processFamilies(): Family[] {
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
