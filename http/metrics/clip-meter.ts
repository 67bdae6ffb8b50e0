// What encoded clips, from the counts of their coordinator.
import type { ClipCounts } from '../../actors/exporter/clips/contract.ts';
import type { Family } from './exposition.ts';

export function clipFamilies({ encoded, failed }: ClipCounts): Family[] {
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
