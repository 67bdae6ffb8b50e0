import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { outlineSteps } from '../../../../actors/summarizer/outline/outline.ts';
import { atOnce } from '../../../../runtime/sync/checkpoint.ts';
import { openStarter, type Starter } from '../../models/starter/starter-model.ts';
import { f1 } from './composed.ts';
import { drawnFilm, drawnFilms } from './drawn.ts';

const outlineOf = (...request: Parameters<typeof outlineSteps>) => atOnce(outlineSteps(...request));

let starter: Starter;
before(async () => {
  starter = await openStarter();
});
after(() => starter.close());

for (const [number, film] of drawnFilms.entries()) {
  const names = film.map(([name]) => name).join(', ');
  test(`chapters of drawn scenes with subtitles are found: ${names} (film ${number})`, async () => {
    const { material, chapterStarts } = await drawnFilm(starter, film);
    const { nodes } = outlineOf(material);
    const found = nodes.filter(({ level, start }) => level === 1 && start > 0).map(({ start }) => start);
    const score = f1(found, chapterStarts, 2);
    assert.ok(score >= 0.8, `F1 ${score}: ${found} for ${chapterStarts}`);
  });
}
