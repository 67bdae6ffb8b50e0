// The actions of `framehound export` that have options of their own.

import { documentFormats } from '../actors/exporter/contract.ts';
import { sidecarFormats } from '../actors/exporter/sidecars/contract.ts';
import { timelineFormats } from '../actors/exporter/timeline/contract.ts';
import { switchedOn } from './command-options.ts';

/** A flag is completed the same way wherever it stands. */
export const formats = [...documentFormats, ...timelineFormats, ...sidecarFormats];

const clipOptions = {
  smart: {
    ...switchedOn,
    help: 'exact too, but encode only around the cuts where possible',
  },
  copy: { ...switchedOn, help: 'do not encode; start at the keyframe before' },
  json: { ...switchedOn, help: 'print JSON' },
  out: {
    type: 'string',
    value: 'DIR',
    completes: 'folder',
    help: 'write into this folder (Movies or Videos of your home folder)',
  },
} as const;

export const exportActions = {
  timeline: {
    usage: 'FILE',
    help: 'write a list of scenes (JSON; - is standard input) as a timeline',
    completes: 'file',
    options: {
      format: {
        type: 'string',
        value: 'F',
        completes: formats,
        help: `one of ${timelineFormats.join(', ')} (by the name of --out)`,
      },
      out: {
        type: 'string',
        default: '-',
        value: 'FILE',
        completes: 'folder',
        help: 'write to this file; - prints it (-)',
      },
      chapters: { ...switchedOn, help: 'add the chapters of summaries as markers' },
      json: switchedOn,
    },
  },
  clips: {
    usage: 'FILE START-END...',
    help: 'cut clips from a film or sound file',
    completes: 'file',
    options: clipOptions,
  },
  sidecars: {
    usage: '[PATH...]',
    help: 'write what was found in each file as JSON and XMP',
    completes: 'file',
    options: {
      out: {
        type: 'string',
        value: 'DIR',
        completes: 'folder',
        help: 'write into this folder, which mirrors the library (Sidecars in Movies or Videos)',
      },
      beside: { ...switchedOn, help: 'write beside the media instead' },
      format: { type: 'string', value: 'F', completes: formats, help: `only ${sidecarFormats.join(' or ')}` },
      json: { ...switchedOn, help: 'print JSON' },
    },
  },
} as const;
