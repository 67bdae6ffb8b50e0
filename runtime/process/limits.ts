// Limits of this process: open files, memory and cores.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';

// How many files and sockets may be open: the limit of the system, and what of it the engine needs.

/** Infinity where the system does not say. */
export function openFileLimit(): number {
  if (process.platform !== 'linux') return limitInReport();
  try {
    return limitIn(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return Number.POSITIVE_INFINITY; // Without /proc nothing is known.
  }
}

/** The soft limit, in the words of `/proc/self/limits`. */
export function limitIn(text: string): number {
  const limit = /^Max open files\s+(\d+|unlimited)/m.exec(text)?.[1];
  return limit === undefined || limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
}

/** Windows has no such limit, and its report none. */
function limitInReport(): number {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const usual = report.excludeNetwork;
  // Names of all open connections would be looked up.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  report.excludeNetwork = usual;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

/** Files, pipes and queues of an engine at work, generously: measured are 80 at rest with two decoders. */
export function filesOfEngine(decoders: number): number {
  return 144 + 8 * decoders;
}

/** Connections that leave the engine what it needs. */
export function mostConnections(limit: number, decoders: number): number {
  return Math.max(16, limit - filesOfEngine(decoders));
}

// How much memory this process may use.

/** Bytes of the machine, or of the container where that has a limit of its own. */
export function usableMemory(): number {
  // 0 or a number beyond all memory where nothing limits the process.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

// How many cores this process may use. Two threads of a core share its arithmetic, so they gain nothing where
// arithmetic is all there is to do.

/**
 * Cores, not their threads: of those that the process may use, the share that the machine has. Where the
 * system does not say, every thread counts. `folder`: where Linux tells, one folder a thread.
 */
export function physicalCores(threads = availableParallelism(), folder = '/sys/devices/system/cpu'): number {
  try {
    const processors = readdirSync(folder).filter((name) => /^cpu\d+$/.test(name));
    const siblings = (name: string) =>
      readFileSync(join(folder, name, 'topology/thread_siblings_list'), 'utf8');
    const cores = new Set(processors.map(siblings));
    return processors.length === 0 ? threads : Math.ceil((threads * cores.size) / processors.length);
  } catch {
    return threads;
  }
}
