// Which names belong to media: in a folder only files with the ending of a media format are looked at, so that notes and
// project files beside films cause no errors. Pure.
import { extname } from 'node:path';

const stills = new Set('jpg jpeg jpe png webp tif tiff gif avif heic heif bmp jp2'.split(' '));
const others = new Set(
  (
    'mp4 m4v mov mkv webm avi mxf ts m2ts mts mpg mpeg vob flv wmv asf 3gp 3g2 ogv dv f4v mjpeg gxf ' +
    'wav mp3 m4a aac flac ogg oga opus aif aiff wma ac3 mka caf'
  ).split(' '),
);

export function isMediaName(name: string): boolean {
  return isStillName(name) || others.has(endingOf(name));
}

export function isStillName(name: string): boolean {
  return stills.has(endingOf(name));
}

function endingOf(name: string): string {
  return extname(name).slice(1).toLowerCase();
}
