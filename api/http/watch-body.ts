import type { Request, Response } from 'express';

/** How slowly a body may come. */
export interface BodyPace {
  readonly windowMs: number;
  /** The least that must come in each window. */
  readonly leastBytes: number;
}

/** A body of one byte now and then would hold a place for uploads, and memory, for as long as its sender likes. */
export const DEFAULT_BODY_PACE: BodyPace = { windowMs: 30_000, leastBytes: 30 * 1024 };

/**
 * Watches how a body comes, until it is complete or the answer is sent.
 * @param tooSlow called once when a window brought less than it must
 */
export function watchBody(
  request: Request,
  response: Response,
  { windowMs, leastBytes }: BodyPace,
  tooSlow: () => void,
): void {
  const { socket } = request;
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    const came = socket.bytesRead - before;
    before = socket.bytesRead;
    if (request.complete || response.headersSent) clearInterval(timer);
    else if (came < leastBytes && request.readableLength === 0) {
      // what has come was read: the sender is slow, not we
      clearInterval(timer);
      tooSlow();
    }
  }, windowMs).unref();
  response.once('close', () => clearInterval(timer));
}
