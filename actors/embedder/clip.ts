// CLIP with its projections: the towers answer `image_embeds` and `text_embeds`. The text vector is taken at
// the first end token; exports that declare an attention mask are given one.
import { towers } from './towers.ts';

export const clip = towers({
  pictureOutputs: ['image_embeds'],
  textOutputs: ['text_embeds'],
  mask: true,
});
