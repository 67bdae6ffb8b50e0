// Which item of a HEIF file is the opacity of another one.
import { Fields } from './boxes.ts';
import type { HeifItems, Item } from './items.ts';

/** The item that is the opacity of `item`. */
export function alphaOf({ items, references }: HeifItems, item: Item): Item | undefined {
  return references
    .filter(({ type, to }) => type === 'auxl' && to.includes(item.id))
    .map(({ from }) => items.get(from))
    .find(isAlpha);
}

function isAlpha(item: Item | undefined): boolean {
  const found = item?.properties.find(({ type }) => type === 'auxC');
  if (!found) return false;
  const fields = new Fields(found.body);
  fields.full();
  return ['urn:mpeg:hevc:2015:auxid:1', 'urn:mpeg:mpegB:cicp:systems:auxiliary:alpha'].includes(
    fields.text(),
  );
}
