// Clips, timelines and transcripts as files.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '../session.ts';

export async function clips(s: Session): Promise<void> {
  const { places, talk, flowers, gone } = s.media;
  const output_dir = join(s.out, 'clips');
  mkdirSync(output_dir);
  const clip = (media_path: string, start_seconds: number, end_seconds: number, more = {}) => {
    return { media_path, start_seconds, end_seconds, ...more };
  };
  await s.ask('/export/clips', {
    output_dir,
    clips: [
      clip(places, 1, 2.5),
      clip(places, 4, 5, { output_name: 'car' }),
      clip(places, 4, 5, { output_name: 'car' }),
      clip(talk, 0.5, 3),
      clip(places, 5, 5),
      clip(places, 50, 60),
      clip(flowers, 0, 1),
      clip(gone, 0, 1),
    ],
  });
  await s.ask('/export/clips', {
    output_dir,
    mode: 'copy',
    clips: [clip(places, 5, 7, { output_name: 'copied' })],
  });
  await s.ask('/export/clips', {
    output_dir,
    mode: 'smart',
    clips: [clip(places, 1, 11, { output_name: 'smart' })],
  });
  await s.ask('/export/clips', { output_dir: 'clips', clips: [clip(places, 1, 2)] });
  await s.ask('/export/clips', { output_dir, clips: [clip(places, 1, 2)], mode: 'fast' });
  await s.ask('/export/clips', { output_dir, clips: [], task: true });
  await s.run('/export/clips', {
    output_dir,
    clips: [clip(places, 8, 9, { output_name: 'task' })],
    task: true,
  });
  await s.inFolder('/media/metadata', {
    media_paths: [join(output_dir, 'car.mp4'), join(output_dir, 'copied.mp4')],
  });
  s.noteFiles(output_dir);
}

const tracks = (places: string, people: string, talk: string) => [
  { media_path: places, source_start_seconds: 1, source_end_seconds: 3, track: 'video', name: 'Sea' },
  { media_path: places, source_start_seconds: 1, source_end_seconds: 3, track: 'audio' },
  { media_path: people, source_start_seconds: 0, source_end_seconds: 2.1, track: 'video' },
  {
    media_path: talk,
    source_start_seconds: 0.5,
    source_end_seconds: 3,
    timeline_start_seconds: 10,
    track: 'audio',
  },
];

export async function timelines(s: Session): Promise<void> {
  const { places, people, talk, clock, gone } = s.media;
  const items = tracks(places, people, talk);
  const folder = join(s.out, 'timelines');
  mkdirSync(folder);
  await s.ask('/export/premiere-xml', { items, output_path: join(folder, 'cut.xml'), sequence_name: 'Cut' });
  await s.ask('/export/premiere-xml', { items, output_path: join(folder, 'cut.xml') });
  await s.ask('/export/premiere-xml', { items: items.slice(0, 1), fps: 29.97, width: 640, height: 360 });
  const pictures = items.filter(({ track }) => track === 'video');
  for (const [format, ending] of [
    ['fcpxml', 'fcpxml'],
    ['otio', 'otio'],
    ['edl', 'edl'],
  ] as const) {
    const output_path = join(folder, `cut.${ending}`);
    await s.ask('/export/timeline', {
      format,
      items: pictures,
      output_path,
      fps: 25,
      start_timecode: '01:00:00:00',
    });
  }
  const lost = [...pictures, { ...pictures[0], media_path: gone }];
  await s.ask('/export/timeline', { format: 'edl', items: lost });
  await s.ask('/export/timeline', {
    format: 'otio',
    items: lost,
    unreadable: 'leave_out',
    output_path: join(folder, 'rest.otio'),
  });
  const chapter_markers = { cache_dir: s.cacheDir };
  await s.ask('/export/premiere-xml', {
    items: pictures,
    chapter_markers,
    output_path: join(folder, 'chapters.xml'),
  });
  const withTimecode = [
    { media_path: clock, source_start_seconds: 0, source_end_seconds: 0.5, track: 'video' },
  ];
  await s.ask('/export/timeline', { format: 'edl', items: withTimecode });
  await s.ask('/export/premiere-xml', { items: [] });
  await s.ask('/export/premiere-xml', { items, fps: 12.7 });
  s.noteFiles(folder);
}

export async function sidecars(s: Session): Promise<void> {
  const { places, people, gone } = s.media;
  const output_dir = join(s.out, 'sidecars');
  mkdirSync(output_dir);
  await s.inFolder('/export/sidecars', { media_paths: [places, people, gone], output_dir });
  await s.inFolder('/export/sidecars', { media_paths: [places], formats: ['xmp'] });
  await s.inFolder('/export/sidecars', { media_paths: [places], output_dir, beside_media: true });
  await s.inFolder('/export/sidecars', { media_paths: [], output_dir });
  await s.inFolder('/export/sidecars', { media_paths: [places], output_dir, formats: ['pdf'] });
  s.noteFiles(output_dir);
}

export async function transcripts(s: Session): Promise<void> {
  const output_dir = join(s.out, 'transcripts');
  mkdirSync(output_dir);
  const segments = [
    [0.5, ' The budget is larger.', 3, 'Ann'],
    [3.5, ' Who drives the red car?', 6, 'Ben'],
    [9, ' Nobody knows.', 11],
  ];
  for (const format of ['txt', 'csv', 'srt', 'vtt', 'docx', 'pdf'])
    await s.ask('/export/transcript', { segments, format, display_name: 'Talk: one', output_dir });
  await s.ask('/export/transcript', { segments, format: 'txt', display_name: 'Talk: one', output_dir });
  await s.ask('/export/transcript', { segments, format: 'txt', display_name: 'Talk' });
  await s.ask('/export/transcript', { segments, format: 'rtf', display_name: 'Talk' });
  await s.ask('/export/transcript', { segments: [[3, 'x', 1]], format: 'txt', display_name: 'Talk' });
  s.noteFiles(output_dir);
}
