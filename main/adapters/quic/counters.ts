// Counts what the adapter did and what it threw away. It never decides anything. A name is
// "group.what"; a level, which can fall, ends with ".now".

export class Counters {
  readonly #values = new Map<string, number>();
  /** What every datagram counts: plain numbers, since this is the hot path. */
  readonly traffic = {
    receivedDatagrams: 0,
    receivedBytes: 0,
    sentDatagrams: 0,
    sentBytes: 0,
    sentBursts: 0,
  };

  add(name: string, amount = 1): void {
    this.#values.set(name, (this.#values.get(name) ?? 0) + amount);
  }

  /** What was added by name. */
  events(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#values);
  }

  snapshot(): Readonly<Record<string, number>> {
    const { traffic } = this;
    return {
      ...this.events(),
      'datagrams.received': traffic.receivedDatagrams,
      'datagrams.sent': traffic.sentDatagrams,
      'bytes.received': traffic.receivedBytes,
      'bytes.sent': traffic.sentBytes,
      'bursts.sent': traffic.sentBursts,
    };
  }
}
