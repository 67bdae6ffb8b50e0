// Writes a timeline in a format: the worker of the pool. What a format needs is loaded when it is first asked
// for.
import type { TimelineFormat } from './contract.ts';
import type { Timeline } from './model.ts';

export interface TimelineTask {
  readonly timeline: Timeline;
  readonly format: TimelineFormat;
}

/** *Copied* to the thread that asked. */
export async function write({ timeline, format }: TimelineTask): Promise<string> {
  const writers = {
    xmeml: async () => (await import('./xmeml.ts')).xmeml,
    fcpxml: async () => (await import('./fcpxml.ts')).fcpxml,
    edl: async () => (await import('./edl.ts')).edl,
    otio: async () => (await import('./otio.ts')).otio,
  } satisfies Record<TimelineFormat, () => Promise<(timeline: Timeline) => string>>;
  return (await writers[format]())(timeline);
}
