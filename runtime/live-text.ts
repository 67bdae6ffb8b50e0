// Text that is sent as it comes, without an end that is known before.

export interface LiveText {
  /**
   * Called once. `send` ends a client that leaves too much unread. Answers a function that is called once,
   * when the client has gone.
   */
  open(send: (text: string) => void, end: () => void): () => void;
}
