// An agent that follows its inbox: the stream of events as the door opens it, over a response whose
// text is kept instead of sent.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { EventStream } from '../../main/api/http/event-streams.ts';
import { followInbox } from '../../main/api/http/inbox-events.ts';
import type { WorkHub } from './work-hub.ts';

export class FollowedStream {
  /** All that was sent so far. */
  sent = '';
  readonly #stream: EventStream;

  /** @param lastId what the reader says that it had last; undefined: nothing */
  constructor(hub: WorkHub, agent: string, lastId?: string) {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    response.write = (text: string) => {
      this.sent += text;
      return true;
    };
    this.#stream = new EventStream('token', response);
    followInbox(this.#stream, hub.work.inbox, agent, lastId);
  }

  /** The items that were handed out on it, as id and attempt. */
  get items(): readonly string[] {
    return [...this.sent.matchAll(/"delivery_id":"([^"]+)","attempt":(\d+)/g)].map(
      ([, id, attempt]) => `${id} ${attempt}`,
    );
  }

  end(): void {
    this.#stream.end();
  }
}
