// The library as lines for a person.

import { clockTime } from '../actors/decoder/contract.ts';
import type { DiskAnswer, LibraryMedia } from '../actors/library/contract.ts';
import { minuteText, printable } from './terminal.ts';

export function mediaLines(media: LibraryMedia): string {
  const { media_path, kind, duration_seconds, visual, faces, transcript, summaries, replaced, unreadable } =
    media;
  const length = kind === 'image' || duration_seconds === null ? '' : `  ${clockTime(duration_seconds)}`;
  const facts = [
    ...visual.map(({ model_key, frames, stored }) => `pictures by ${model_key}, ${frames} s${when(stored)}`),
    ...faces.map((found) => `${found.faces} faces by ${found.model_key}${when(found.stored)}`),
    ...(transcript
      ? [
          `transcript by ${transcript.model_key}${transcript.language ? ` (${transcript.language})` : ''}, ${transcript.segments} segments${when(transcript.stored)}`,
        ]
      : []),
    ...(summaries > 0 ? [`${summaries} ${summaries === 1 ? 'summary' : 'summaries'}`] : []),
    ...(unreadable.length > 0 ? [`damaged: ${unreadable.join(', ')}; analyse the file again`] : []),
    ...(replaced ? ['the file has been replaced; framehound prune removes this entry'] : []),
  ];
  const shown = facts.length > 0 ? facts : ['nothing analysed'];
  return `${printable(media_path)}${length}\n${shown.map((fact) => `    ${fact}\n`).join('')}`;
}

/** Empty for what an earlier version stored. */
function when(stored: number | null): string {
  return stored === null ? '' : `, ${minuteText(stored)}`;
}

export function diskLines({ analysis, models, free_bytes }: DiskAnswer): string {
  const rows: [string, number, string][] = [
    ['analysis', analysis.bytes, analysis.folder],
    ['  previews', analysis.previews_bytes, 'of films'],
    ['  peaks', analysis.peaks_bytes, 'of sound'],
    ['  vectors', analysis.vectors_bytes, ''],
    ...analysis.models.map(({ model_key, bytes, vectors, dead_vectors }): [string, number, string] => [
      `    ${model_key}`,
      bytes,
      `${vectors} vectors${dead_vectors > 0 ? `, ${dead_vectors} of them unused until the next compaction` : ''}`,
    ]),
    ...(analysis.people_bytes > 0
      ? [
          ['  people', analysis.people_bytes, ''] as [string, number, string],
          ...analysis.face_models.map(({ model_key, bytes, faces, dead_faces }): [string, number, string] => [
            `    ${model_key}`,
            bytes,
            `${faces} faces${dead_faces > 0 ? `, ${dead_faces} of them unused until the next compaction` : ''}`,
          ]),
        ]
      : []),
    [
      '  records',
      analysis.records_bytes,
      'media, transcripts, summaries, names, vectors and previews of stills',
    ],
    ...(analysis.proxies_bytes > 0
      ? [['  proxies', analysis.proxies_bytes, 'playable in browsers'] as [string, number, string]]
      : []),
    ...(analysis.unfinished_bytes > 0
      ? [
          ['  unfinished', analysis.unfinished_bytes, 'being written, or left by interrupted work'] as [
            string,
            number,
            string,
          ],
        ]
      : []),
    ['models', models.bytes, models.folder],
    ['free', free_bytes, 'on the disk with the analysis folder'],
  ];
  return rows
    .map(
      ([name, bytes, what]) =>
        `${`${name.padEnd(28)} ${size(bytes).padStart(9)}  ${printable(what)}`.trimEnd()}\n`,
    )
    .join('');
}

function size(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}
