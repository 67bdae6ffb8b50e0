// Which names belong to media: in a folder only files with the ending of a media format are looked at, so
// that notes and project files beside films cause no errors.
import { extname } from 'node:path';

const stills = new Set('jpg jpeg jpe png webp tif tiff gif avif heic heif bmp jp2'.split(' '));
const films = new Set(
  'mp4 m4v mov mkv webm avi mxf ts m2ts mts mpg mpeg vob flv wmv asf 3gp 3g2 ogv dv f4v mjpeg gxf'.split(' '),
);
const sounds = new Set('wav mp3 m4a aac flac ogg oga opus aif aiff wma ac3 mka caf'.split(' '));

export function isMediaName(name: string): boolean {
  return kindByName(name) !== null;
}

/** Most likely kind of a file by its name; null for no media. Only probing is certain. */
export function kindByName(name: string): 'video' | 'audio' | 'image' | null {
  const ending = endingOf(name);
  if (films.has(ending)) return 'video';
  if (sounds.has(ending)) return 'audio';
  return stills.has(ending) ? 'image' : null;
}

export function isStillName(name: string): boolean {
  return stills.has(endingOf(name));
}

function endingOf(name: string): string {
  return extname(name).slice(1).toLowerCase();
}
