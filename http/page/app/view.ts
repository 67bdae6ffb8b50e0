// What a folder of `views/` exports.
import type { ComponentType } from 'preact';
import type { Words } from './words/pair.ts';

export interface View {
  readonly title: Words;
  /** A component; `argument` is what stands after the name of the view in the address. */
  readonly render: ComponentType<{ readonly argument: string }>;
}
