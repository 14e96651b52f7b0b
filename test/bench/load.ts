// The load a client process puts on one asker, and what it saw. Every answer is compared with what
// was sent, byte by byte; an answer that is wrong or missing ends the run.
import { performance } from 'node:perf_hooks';

/** The size of a request and of its answer. */
const BODY_SIZE_BYTES = 400;

export interface Asker {
  /** @param conversation the one that it belongs to; a new one unless given */
  ask(body: Buffer, conversation?: string): Promise<Uint8Array>;
  /** Ends what the load left under way; not part of what is measured. */
  settle?(): Promise<void>;
  close(): Promise<void>;
}

export interface Load {
  readonly count: number;
  /** Requests under way at once. */
  readonly inFlight: number;
  /** From an answer to the next request; 0 asks again at once. */
  readonly gapMs: number;
  /** Of all its requests; each has one of its own unless given. */
  readonly conversation?: string;
}

export interface Measured {
  readonly latenciesMs: readonly number[];
  readonly totalMs: number;
}

let sequence = 0;

/** A query as it travels, made to the byte: another id each time. */
function nextBody(): Buffer {
  sequence += 1;
  const id = sequence.toString().padStart(26, '0');
  const start = `{"axon":"1","id":"${id}","kind":"query","payload":{"question":"`;
  const end = '"}}';
  return Buffer.from(
    start +
      'Is the garden gate closed? '
        .repeat(16)
        .slice(0, BODY_SIZE_BYTES - start.length - end.length) +
      end,
  );
}

export async function putLoad(
  asker: Asker,
  { count, inFlight, gapMs, conversation }: Load,
): Promise<Measured> {
  const latenciesMs: number[] = [];
  let left = count;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      if (gapMs > 0) await pause(gapMs);
      const body = nextBody();
      const askedMs = performance.now();
      const answer = await asker.ask(body, conversation);
      latenciesMs.push(performance.now() - askedMs);
      if (body.compare(answer) !== 0)
        throw new Error(
          `a request of ${body.length} bytes was answered with others (${answer.length})`,
        );
    }
  };
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: inFlight }, lane));
  const totalMs = performance.now() - startedMs;
  await asker.settle?.();
  return { latenciesMs, totalMs };
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
