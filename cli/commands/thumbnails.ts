// `framehound thumbnails FILE --at SECONDS | --scene START-END`: pictures of a film as JPEG files.

import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ThumbnailsRequest } from '../../actors/search/thumbnails/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { replaceFile } from '../../runtime/files/atomic-write.ts';
import { makeExportFolder } from '../../runtime/files/folder.ts';
import { typedPath } from '../../runtime/files/user-folders.ts';
import { folders } from '../../settings.ts';
import { numberArgument } from '../arguments.ts';
import { commandTable } from '../command-table.ts';
import { argumentsOf, type Command, type Context, exit, only, usageErrors } from '../context.ts';
import { withService } from '../service.ts';
import { printable } from '../terminal.ts';

interface Picture {
  /** Time as typed: `12.5` or `00:00:12`. */
  readonly time: string;
  /** Base64 JPEG; null where there is no picture. */
  readonly image: string | null;
}

export const thumbnails: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(commandTable.thumbnails, args);
  const file = only(positionals, 'thumbnails needs exactly one file');
  const asks = (values.at.length > 0 ? 1 : 0) + (values.scene === undefined ? 0 : 1);
  if (asks !== 1) throw usageErrors.USAGE('thumbnails needs either --at SECONDS or --scene START-END');
  const request = {
    cache_dir: folders(context.values).cache,
    path: resolve(file),
    max_size: numberArgument('--max-size', values['max-size'], ThumbnailsRequest.properties.max_size),
  };
  const seconds = values.at.map((text) => numberArgument('--at', text, { type: 'number', maximum: 1e7 }));
  const scene = values.scene === undefined ? undefined : range(values.scene);
  return withService(context, 0, async ({ client }) => {
    const pictures = scene
      ? await strip(client, { ...request, ...scene })
      : await moments(client, request, seconds);
    return save(pictures, request.path, typedPath(values.out), values.json, context);
  });
};

interface PictureRequest {
  readonly cache_dir: string;
  readonly path: string;
  readonly max_size: number;
}

async function moments(
  client: Client,
  request: PictureRequest,
  seconds: readonly number[],
): Promise<Picture[]> {
  const { cache_dir, path, max_size } = request;
  const requests = seconds.map((time_seconds) => ({ media_path: path, time_seconds }));
  const { thumbnails: images } = await client.thumbnails({ cache_dir, requests, max_size });
  return images.map(({ thumbnail }, i) => ({ time: String(seconds[i]), image: thumbnail }));
}

async function strip(
  client: Client,
  { path, ...range }: PictureRequest & { readonly start_time: string; readonly end_time: string },
): Promise<Picture[]> {
  const request = { ...range, media_path: path };
  const { scene_thumbnails } = await client.sceneThumbnails(request);
  return (scene_thumbnails ?? []).map(([image, time]) => ({ time, image }));
}

/**
 * Writes what there is, each file whole or not at all; a moment without a picture is reported as a failure.
 */
async function save(
  pictures: readonly Picture[],
  path: string,
  folder: string,
  json: boolean,
  { out, screen }: Context,
): Promise<number> {
  makeExportFolder(folder);
  const saved: { time: string; path: string | null }[] = [];
  for (const { time, image } of pictures) {
    const target = join(folder, `${basename(path)}-${time.replaceAll(':', '-')}.jpg`);
    if (image === null)
      screen.write(
        `✗ ${printable(path)}: ${existsSync(path) ? `there is no picture at ${time} s` : 'file not found'}\n`,
      );
    else {
      replaceFile(target, Buffer.from(image, 'base64'), { flush: false, isExport: true });
      if (!json) out(`${target}\n`);
    }
    saved.push({ time, path: image === null ? null : target });
  }
  if (json) out(`${JSON.stringify({ thumbnails: saved })}\n`);
  if (pictures.length === 0) screen.write(`✗ ${printable(path)}: there is no picture in this range\n`);
  const missing = pictures.length === 0 || saved.some((picture) => picture.path === null);
  return missing ? exit.someFailed : exit.ok;
}

/** `10-20`, `00:01:00-00:01:30`: whole seconds or clock times, both ends included. */
function range(text: string): { start_time: string; end_time: string } {
  const [start, end, ...more] = text.split('-').map(clock);
  if (start === undefined || end === undefined || more.length > 0) {
    throw usageErrors.USAGE(`--scene must be START-END, in seconds or HH:MM:SS, not ${text}`);
  }
  return { start_time: start, end_time: end };
}

function clock(text: string): string | undefined {
  if (/^\d{2,4}:[0-5]\d:[0-5]\d$/.test(text)) return text;
  if (!/^\d{1,7}$/.test(text)) return undefined;
  const two = (n: number) => String(Math.floor(n)).padStart(2, '0');
  const seconds = Number(text);
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
}
