// Media with facts that a test chooses; everything else is plain.
import type { Probe, VideoStream } from '../../../../actors/decoder/contract.ts';
import type { MediaFacts } from '../../../../actors/index/facets/facet.ts';
import type { MediaRecord } from '../../../../actors/index/store/contract.ts';

export const stream: VideoStream = {
  index: 0,
  codec: 'h264',
  profile: 'High',
  coded_width: 1920,
  coded_height: 1080,
  pixel_aspect: { num: 1, den: 1 },
  rotation: 0,
  pixel_format: 'yuv420p',
  bit_depth: 8,
  color_space: null,
  color_transfer: null,
  color_primaries: null,
  hdr: false,
  frame_rate: { num: 25, den: 1 },
  bit_rate: null,
};

export function probe(more: Partial<Probe> = {}): Probe {
  return {
    kind: 'video',
    container: 'mov,mp4,m4a,3gp,3g2,mj2',
    size_bytes: 1000,
    duration_seconds: 30,
    grid_frames: 30,
    width: 1920,
    height: 1080,
    video: stream,
    audio: [],
    subtitles: [],
    timecode: { text: '00:00:00:00', drop_frame: false, rate: { num: 25, den: 1 } },
    creation_date: null,
    camera_make: null,
    camera_model: null,
    location: null,
    ...more,
  };
}

export function record(hash_str: string, path: string, more: Partial<Probe> = {}): MediaRecord {
  return {
    path,
    identity: { hash_str, size_bytes: 1000, mtime_ms: 1.5, inode: '42' },
    probe: probe(more),
  };
}

export function facts(more: Partial<Probe> = {}, paths: readonly string[] = ['/a/b.mp4']): MediaFacts {
  return { ...record('aa', paths[0] ?? '/a/b.mp4', more), paths };
}
