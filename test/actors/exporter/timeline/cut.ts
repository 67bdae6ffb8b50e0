// A small cut with everything a format has to say: a gap, an overlap, a still, stereo and mono sound,
// drop-frame and another rate, names that have to be escaped.
import { type Arranged, arrange } from '../../../../actors/exporter/timeline/arrange.ts';
import type { TimelineBody } from '../../../../actors/exporter/timeline/contract.ts';
import { film, item, known, rates, recording, request } from './sources.ts';

const facts = known(
  film('/media/Tag & Nacht/Größe 1.mov', {
    rate: rates['29.97'],
    timecode: { frame: 107_892, rate: rates['29.97'], dropFrame: true },
    seconds: 20.02,
  }),
  film('/media/b.mp4', { rate: rates['25'], seconds: 8, sound: null, width: 1280, height: 720 }),
  film('/media/still.png', { kind: 'image', rate: null, seconds: 0, width: 800, height: 600, sound: null }),
  recording('/media/voice.wav', {
    seconds: 30,
    sound: { channels: 1, streams: 1, isStereo: false, sampleRate: 44_100 },
  }),
  recording('/media/music.wav', { seconds: 60 }),
);

export function cut(more: Partial<TimelineBody> = {}): Arranged {
  const items = [
    item('/media/Tag & Nacht/Größe 1.mov', 2.002, 4.004, { name: 'Opening <wide>' }),
    item('/media/b.mp4', 1, 3),
    // After a gap of a second.
    item('/media/Tag & Nacht/Größe 1.mov', 10.01, 12.012, { timeline_start_seconds: 5.005 }),
    // Above the end of the clip before it.
    item('/media/still.png', 0, 2, { timeline_start_seconds: 6 }),
    item('/media/voice.wav', 0, 4, { track: 'audio' }),
    item('/media/music.wav', 3, 8, { track: 'audio', timeline_start_seconds: 1 }),
  ];
  return arrange(request(items, { sequence_name: 'Night & Day', ...more }), facts);
}
