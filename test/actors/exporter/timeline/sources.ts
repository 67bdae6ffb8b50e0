// Sources and items of the tests of timelines.
import type { TimelineBody, TimelineItem } from '../../../../actors/exporter/timeline/contract.ts';
import type { SourceFacts } from '../../../../actors/exporter/timeline/sequence.ts';

export const rates = {
  '23.976': { num: 24000, den: 1001 },
  '24': { num: 24, den: 1 },
  '25': { num: 25, den: 1 },
  '29.97': { num: 30000, den: 1001 },
  '30': { num: 30, den: 1 },
  '50': { num: 50, den: 1 },
  '59.94': { num: 60000, den: 1001 },
  '60': { num: 60, den: 1 },
} as const;

const stereo = { channels: 2, streams: 1, isStereo: true, sampleRate: 48_000 };

export function film(path: string, more: Partial<SourceFacts> = {}): SourceFacts {
  const name = path.split('/').at(-1)!;
  const rate = more.rate === undefined ? rates['25'] : more.rate;
  const facts = { path, name, kind: 'video' as const, seconds: 100, width: 1920, height: 1080 };
  return { ...facts, varies: false, timecode: null, sound: stereo, ...more, rate };
}

export function recording(path: string, more: Partial<SourceFacts> = {}): SourceFacts {
  return film(path, { kind: 'audio', rate: null, width: 0, height: 0, ...more });
}

export function item(media_path: string, start: number, end: number, more: Partial<TimelineItem> = {}) {
  return {
    media_path,
    source_start_seconds: start,
    source_end_seconds: end,
    track: 'video',
    ...more,
  } as const;
}

export function request(items: readonly TimelineItem[], more: Partial<TimelineBody> = {}): TimelineBody {
  return { format: 'xmeml', sequence_name: 'Cut', items: [...items], ...more };
}

export function known(...facts: readonly SourceFacts[]): Map<string, SourceFacts> {
  return new Map(facts.map((one) => [one.path, one]));
}
