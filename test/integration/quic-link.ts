// A stretch of network between two hubs on loopback: it can lose, delay, cut, and give the dialler another address, as a NAT does.
import dgram from 'node:dgram';

export class Link {
  /** Share of datagrams lost each way, 0 to 1. */
  loss = 0;
  /** Added each way. */
  delayMs = 0;
  /** Nothing passes. */
  isCut = false;
  readonly #front = dgram.createSocket('udp4');
  #back = dgram.createSocket('udp4');
  readonly #hubPort: number;
  #dialler: { port: number; address: string } | null = null;
  /** The same datagrams are lost in every run. */
  #seed = 1;

  constructor(hubPort: number) {
    this.#hubPort = hubPort;
  }

  async open(): Promise<number> {
    this.#front.on('message', (datagram, from) => {
      this.#dialler = from;
      this.#pass(() => this.#back.send(datagram, this.#hubPort, '127.0.0.1'));
    });
    await bind(this.#front);
    await this.#openBack();
    return this.#front.address().port;
  }

  /** From now on the hub sees the dialler at another port. Returns that port. */
  async rebind(): Promise<number> {
    const old = this.#back;
    this.#back = dgram.createSocket('udp4');
    await this.#openBack();
    old.close();
    return this.#back.address().port;
  }

  /** Sends the dialler a datagram as if it came from the hub. */
  inject(datagram: Uint8Array): Promise<void> {
    const to = this.#dialler;
    if (!to) throw new Error('nobody has dialled through this link yet');
    return new Promise((resolve) => this.#front.send(datagram, to.port, to.address, () => resolve()));
  }

  close(): void {
    this.isCut = true;
    this.#front.close();
    this.#back.close();
  }

  async #openBack(): Promise<void> {
    this.#back.on('message', (datagram) => {
      const to = this.#dialler;
      if (to) this.#pass(() => this.#front.send(datagram, to.port, to.address));
    });
    await bind(this.#back);
  }

  #pass(send: () => void): void {
    if (this.isCut || this.#chance() < this.loss) return;
    if (this.delayMs === 0) send();
    else setTimeout(() => !this.isCut && send(), this.delayMs);
  }

  /** A linear congruential generator: enough for losing packets. */
  #chance(): number {
    this.#seed = (this.#seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return this.#seed / 2 ** 32;
  }
}

async function bind(socket: dgram.Socket): Promise<void> {
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
}
