// uWebSockets as it is installed: a binary for this system and this version of Node, in a package of its own
// (optionalDependencies), and the part of its interface that is used here.
import './request/header-limit.ts';
import { createRequire } from 'node:module';
import { errorTable } from '../runtime/errors.ts';

export const serverErrors = errorTable({
  PORT_TAKEN: { meaning: 'The port is already in use', status: 500 },
  SERVER_MISSING: { meaning: 'The HTTP server is not installed', status: 500 },
});

/** A request, valid until its handler returns. */
export interface HttpRequest {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  getHeader(lowerCaseName: string): string;
  forEach(onHeader: (name: string, value: string) => void): void;
}

/** A response, valid until it is aborted or ended. */
export interface HttpResponse {
  writeStatus(status: string): HttpResponse;
  writeHeader(name: string, value: string): HttpResponse;
  /** False when some of what was written before has not left yet. */
  write(text: string): boolean;
  end(body?: string | ArrayBuffer | Uint8Array, closes?: boolean): HttpResponse;
  endWithoutBody(length?: number, closes?: boolean): HttpResponse;
  /** Answers whether all was sent, and whether that was all there is. `size`: of the whole body, in bytes. */
  tryEnd(body: ArrayBuffer | Uint8Array, size: number): [boolean, boolean];
  /** The handler gets the bytes sent so far, and answers whether it wrote all it had. */
  onWritable(handler: (offset: number) => boolean): HttpResponse;
  onAborted(handler: () => void): HttpResponse;
  /** The bytes are *borrowed for the call*. */
  onData(handler: (bytes: ArrayBuffer, isLast: boolean) => void): HttpResponse;
  cork(write: () => void): HttpResponse;
  close(): HttpResponse;
}

declare const socket: unique symbol;
/** Opaque. */
export type ListenSocket = { readonly [socket]: true };

export interface TemplatedApp {
  any(pattern: string, handler: (res: HttpResponse, req: HttpRequest) => void): TemplatedApp;
  post(pattern: string, handler: (res: HttpResponse, req: HttpRequest) => void): TemplatedApp;
  /** `change`: 1 for a connection that opens, -1 for one that closes. */
  filter(handler: (res: HttpResponse, change: number) => void): TemplatedApp;
  listen(
    host: string,
    port: number,
    options: number,
    onOpen: (socket: ListenSocket | false) => void,
  ): TemplatedApp;
  publish(topic: string, message: string | ArrayBuffer, isBinary?: boolean, compress?: boolean): boolean;
  close(): TemplatedApp;
}

interface Native {
  App(): TemplatedApp;
  us_socket_local_port(socket: ListenSocket): number;
  us_listen_socket_close(socket: ListenSocket): void;
  /** Another process cannot listen on the same port. */
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
}

function load(): Native {
  const name = `@uwsjs/${process.platform}-${process.arch}-${process.versions.node.split('.')[0]}`;
  try {
    return createRequire(import.meta.url)(name) as Native;
  } catch (cause) {
    throw serverErrors.SERVER_MISSING(
      `the HTTP server (${name}) is not installed or cannot be loaded: install again with optional dependencies; commands without a service work`,
      {},
      cause,
    );
  }
}

export const native: Native = load();
