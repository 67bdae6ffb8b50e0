// A picture of a person's own, dropped in, pasted or chosen: as text, small enough to be sent with every question.
import { toast } from '../../toasts.ts';
import { searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';
import { change } from './state.ts';

/** Models look at far fewer. */
const MOST_PIXELS_ASIDE = 1024;
const SENT_AS_IT_IS = 300 * 1024;
const types = ['image/jpeg', 'image/png', 'image/webp'];

export function pictureIn(data: DataTransfer | null): File | null {
  return [...(data?.files ?? [])].find(({ type }) => type.startsWith('image/')) ?? null;
}

export async function searchByPicture(file: File): Promise<void> {
  try {
    const isSmall = file.size <= SENT_AS_IT_IS && types.includes(file.type);
    // Read in any case: a file that only has the name of a picture is told here.
    const bitmap = await createImageBitmap(file);
    const blob = isSmall ? file : await reduced(bitmap);
    bitmap.close();
    change({
      picture: { kind: 'own', name: file.name || t(searchWords.picture), data: await base64Of(blob) },
    });
  } catch {
    toast(t(searchWords.noPicture, { name: file.name }), { kind: 'error' });
  }
}

async function reduced(bitmap: ImageBitmap): Promise<Blob> {
  const scale = Math.min(1, MOST_PIXELS_ASIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext('2d')!.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.92));
  if (!blob) throw new Error('the picture cannot be written');
  return blob;
}

async function base64Of(blob: Blob): Promise<string> {
  const reader = new FileReader();
  const read = new Promise<string>((resolve, reject) => {
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
  });
  reader.readAsDataURL(blob);
  const text = await read;
  return text.slice(text.indexOf(',') + 1);
}
