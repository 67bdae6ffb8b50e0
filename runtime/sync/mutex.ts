// A semaphore with one permit: one piece of work at a time.
import { Semaphore } from './semaphore.ts';

export class Mutex extends Semaphore {
  constructor() {
    super(1);
  }
}
