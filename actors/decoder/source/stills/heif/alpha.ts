// Which items of a HEIF file are the opacity of others. Pure.
import { Fields } from './boxes.ts';
import type { Item } from './items.ts';

export function isAlpha(item: Item | undefined): boolean {
  const found = item?.properties.find(({ type }) => type === 'auxC');
  if (!found) return false;
  const fields = new Fields(found.body);
  fields.full();
  return ['urn:mpeg:hevc:2015:auxid:1', 'urn:mpeg:mpegB:cicp:systems:auxiliary:alpha'].includes(
    fields.text(),
  );
}
