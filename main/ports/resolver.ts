// Host names to addresses, for hubs that their owner named by host. What is found is only where to
// dial: the key decides who answers.

export interface Resolver {
  /**
   * IPv4 address literals, best first; empty when the name is unknown or the answer did not come in
   * time. Never rejects.
   */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>;
}
