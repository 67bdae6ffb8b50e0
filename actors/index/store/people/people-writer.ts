// What writes faces and clusterings in one analysis folder, with the lease that all of its writers share.
import type { Environment } from '../environment.ts';
import type { OpenWork } from '../open-work.ts';
import type { Spans } from '../spans.ts';
import { FaceWriter, type FaceWriterOptions } from './face-writer.ts';
import { JobWriter } from './job-writer.ts';
import type { People } from './people.ts';

export interface PeopleWriterParts {
  readonly folder: string;
  readonly environment: Environment;
  readonly work: OpenWork;
  readonly spans: Spans;
  readonly people: People;
}

export class PeopleWriter {
  readonly faces: FaceWriter;
  readonly jobs: JobWriter;

  constructor(parts: PeopleWriterParts, options: FaceWriterOptions = {}) {
    const { people, ...shared } = parts;
    this.faces = new FaceWriter({ ...shared, beforeAppend: () => {} }, options);
    const { stored: clusterings, faces } = people;
    const now = options.now ?? Date.now;
    this.jobs = new JobWriter({ ...shared, clusterings, faces, on: options.on, now });
    parts.work.add({ isBusy: false, idle: () => this.faces.tails.closeAll() });
  }

  close(): void {
    this.faces.close();
  }
}
