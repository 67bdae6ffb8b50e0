// Chapters as WebVTT, as players take them for the chapters of a film.
import { cueTimes, escapedCue } from '../captions.ts';
import type { Chapter } from './contract.ts';

export function chaptersDocument(chapters: readonly Chapter[]): string {
  const cues = chapters.map(({ title, start_seconds: start, end_seconds: end }) => {
    return `${cueTimes({ start, end }, '.')}\n${escapedCue(title)}\n`;
  });
  return ['WEBVTT\n', ...cues].join('\n');
}
