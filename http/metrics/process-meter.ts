// Measures the process of the engine: processor, memory, and how late its event loop turns.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { type Family, type Sample, single } from './exposition.ts';

export interface ProcessMeter {
  families(): Family[];
  /** Ends the measurement of the event loop. */
  close(): void;
}

const RESOLUTION_MS = 20;

export function createProcessMeter(): ProcessMeter {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let turned = performance.eventLoopUtilization();
  const loop = (): Sample[] => {
    // Between two measurements lies the resolution itself; what is more is delay. Before the first there is none.
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
    families: () => {
      const { rss, heapUsed, external } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const started = (Date.now() - process.uptime() * 1_000) / 1_000;
      return [
        single(
          'counter',
          'process_cpu_seconds_total',
          'Processor seconds of all threads.',
          (user + system) / 1e6,
        ),
        single('gauge', 'process_resident_memory_bytes', 'Memory in use, shared memory included.', rss),
        single('gauge', 'process_start_time_seconds', 'Unix time of the start.', started),
        single('gauge', 'framehound_uptime_seconds', 'Since the start of this engine.', process.uptime()),
        single('gauge', 'framehound_heap_used_bytes', 'Objects of the main thread.', heapUsed),
        single('gauge', 'framehound_external_memory_bytes', 'Buffers of the main thread.', external),
        {
          type: 'gauge',
          name: 'framehound_event_loop_delay_seconds',
          help: 'How late the main event loop turned since the last scrape.',
          samples: loop(),
        },
        single(
          'gauge',
          'framehound_event_loop_utilization',
          'Share of time the main event loop worked since the last scrape.',
          busy(),
        ),
      ];
    },
    close: () => delay.disable(),
  };
}
