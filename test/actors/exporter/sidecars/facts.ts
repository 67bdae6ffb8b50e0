// What a sidecar says of a still and of a film that exist nowhere.
import type { SidecarFacts } from '../../../../actors/exporter/sidecars/contract.ts';

const nothingSeen: SidecarFacts['seen'] = { things: [], shots: [], lines: [], sounds: null };

export function stillFacts(more: Partial<SidecarFacts> = {}): SidecarFacts {
  return {
    media_path: '/media/harbour.jpg',
    hash_str: '0a1b2c3d',
    kind: 'image',
    size_bytes: 1000,
    duration_seconds: 0,
    width: 3000,
    height: 4000,
    creation_date: '2024-05-17T10:11:12+02:00',
    camera_make: 'Maker',
    camera_model: 'Model "X" & Söhne',
    location: '48.2,16.3',
    orientation: 6,
    keywords: ['harbour', 'Straße & Platz', 'boat'],
    people: [
      { name: 'Ann <O’Hara>', ranges: [[0, 1]], faces: [{ time_seconds: 0, box: [0.1, 0.2, 0.2, 0.1] }] },
    ],
    people_in_xmp: ['Bob'],
    seen: {
      ...nothingSeen,
      things: [
        {
          class: 'boat',
          measured: true,
          score: 0.75,
          ranges: [[0, 1]],
          tracks: [{ start_seconds: 0, end_seconds: 1, box: [0, 0.5, 0.5, 0.25] }],
        },
      ],
    },
    transcript: null,
    ...more,
  };
}

export function filmFacts(): SidecarFacts {
  const face = (time_seconds: number) => ({ time_seconds, box: [0.25, 0.25, 0.125, 0.25] as const });
  const said = { segment_index: 0, speaker: null, speaker_name: null };
  return {
    ...stillFacts(),
    media_path: '/media/film.mp4',
    kind: 'video',
    duration_seconds: 12.5,
    width: 1920,
    height: 1080,
    orientation: null,
    keywords: ['boat'],
    people: [
      {
        name: 'Ann',
        ranges: [
          [2, 4],
          [8, 9],
        ],
        faces: [face(2), face(3), face(8)],
      },
      { name: 'Bob', ranges: [[3, 4]], faces: [face(3)] },
    ],
    people_in_xmp: [],
    seen: {
      ...nothingSeen,
      shots: [{ size: 'medium', start_seconds: 2, end_seconds: 4 }],
      lines: [{ text: 'EXIT', score: 0.97, start_seconds: 1, end_seconds: 3, box: [0, 0, 0.1, 0.1] }],
    },
    transcript: [
      { ...said, start_seconds: 0.5, end_seconds: 1.25, text: ' Where is "it" & why?', speaker_name: 'Ann' },
      { ...said, start_seconds: 1.25, end_seconds: 3, text: ' There.' },
    ],
  };
}
