// Which frame a player in a browser shows, read back from the number that is drawn into each frame.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { readStamp } from '../actors/decoder/footage/stamp.ts';
import { until } from '../until.ts';

/**
 * Run in the browser. As text: the types of this program are not those of a page. Five pixels for each cell
 * of a stamp: a whole picture would take longer on its way than the player takes for a step.
 */
const pixels = `(() => {
  const video = document.querySelector('video');
  if (!video || video.readyState < 2 || video.seeking) return null;
  const [width, height] = [30, 20];
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  context.drawImage(video, 0, 0, width, height);
  return { width, height, data: [...context.getImageData(0, 0, width, height).data] };
})()`;

/** The number in the frame that the browser shows; null while it shows none. */
async function shownFrame(page: Page): Promise<number | null> {
  const picture: { width: number; height: number; data: number[] } | null = await page.evaluate(pixels);
  if (!picture) return null;
  const { width, height, data } = picture;
  const rgb = data.filter((_, i) => i % 4 !== 3);
  return readStamp(Uint8Array.from(rgb), width, height);
}

/** The number that the page says. */
export const toldFrame = async (page: Page) =>
  Number(await page.locator('[data-frame]').getAttribute('data-frame'));

export async function isShown(page: Page, frame: number): Promise<void> {
  await until(async () => (await shownFrame(page)) === frame);
  assert.equal(await toldFrame(page), frame);
}

/**
 * What waits for a paint or a while is done when the head of the film is read, as on a machine that is busy.
 */
export const late = `{
  const after = window.setTimeout.bind(window);
  const whenRead = (work) => () => {
    const video = document.querySelector('video');
    if (video && video.readyState === 0) video.addEventListener('loadedmetadata', () => after(work), { once: true });
    else work();
  };
  window.setTimeout = (work, ms, ...rest) => after(whenRead(() => work(...rest)), ms);
  window.requestAnimationFrame = (work) => after(whenRead(() => work(performance.now())), 16);
}`;
