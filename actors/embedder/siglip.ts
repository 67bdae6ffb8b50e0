// SigLIP and SigLIP 2 with a fixed picture size: both towers answer `pooler_output`. The text vector is taken
// at the last position, so a text is always padded to the full length, and the graph takes no mask.
import { towers } from './towers.ts';

export const siglip = towers({
  pictureOutputs: ['pooler_output', 'image_embeds'],
  textOutputs: ['pooler_output', 'text_embeds'],
  mask: false,
});
