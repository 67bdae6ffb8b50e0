// How long the head of a request may be. uWebSockets reads this from the environment when it is loaded and nowhere else,
// so this file is imported before it. Its own 4 KiB are too few: an analysis folder in a query may be a path of 4,096
// bytes, three times as long when each byte is escaped, and browsers send the cookies of every service on this machine.
const VARIABLE = 'UWS_HTTP_MAX_HEADERS_SIZE';

/** Bytes of request line and headers together; above it the answer is 431. */
export const MOST_HEAD_BYTES = 32 * 1024;

process.env[VARIABLE] ??= String(MOST_HEAD_BYTES);
