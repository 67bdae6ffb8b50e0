// The limits of the head of a request. uWebSockets reads its own from the environment when it is loaded, so
// this file must be imported first. Its default of 4 KiB is too small: a path in a query may have 4,096
// bytes, three times as many when each is escaped, and browsers send the cookies of every service on this
// machine.
const VARIABLE = 'UWS_HTTP_MAX_HEADERS_SIZE';

/** Bytes of request line and headers together; above it the answer is 431. */
export const MOST_HEAD_BYTES = 32 * 1024;
/** Above it uWebSockets answers 431 by itself, with a page of its own, and closes the connection. */
const MOST_READ_BYTES = 64 * 1024;

process.env[VARIABLE] ??= String(MOST_READ_BYTES);
