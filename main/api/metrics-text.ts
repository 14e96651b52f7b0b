// The hub's numbers in the text format of Prometheus (version 0.0.4). Counts and levels only: no
// name, no key, no address, no word of a message.
import type { OperationResult } from '../../preload/contract/operations.ts';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** What this process uses. */
export interface ProcessUsage {
  readonly memoryBytes: number;
  readonly processorSeconds: number;
  /**
   * How late it came to what was due, in 99 of 100 moments of the last minute; null: nothing was
   * measured in it yet.
   */
  readonly lagMs: number | null;
}

type Status = OperationResult<'hub.status'>;

/** A counter of the transport that ends so is a level: it can fall. */
const LEVEL_ENDING = '.now';
/** Counters without a group are those of the links between hubs. */
const LINKS = 'links';

/** What a group of counters tells; one that is not here explains itself by its name. */
const HELP: Readonly<Record<string, string>> = {
  answers: 'Answers of this hub that nobody took any more.',
  bursts: 'Goes in which datagrams were sent together.',
  bytes: 'Bytes of datagrams.',
  channel:
    'Frames between the hub and its QUIC process, the batches they travelled in, and messages refused because it was behind.',
  closed: 'Connections closed by a rule.',
  connections: 'Connections that found a place, were evicted, doubted or lost to a fault.',
  datagrams: 'Datagrams.',
  dials: 'Dials refused because too many were under way.',
  dropped: 'Datagrams dropped by the packet guard, by reason.',
  'half-open': 'Handshakes pushed out by others.',
  handshakes: 'Handshakes that were too slow.',
  [LINKS]: 'What the rules for messages between hubs found.',
  messages: 'Messages of this hub that did not leave.',
  paths: 'Peers followed to a new address.',
  process: 'Ends of the QUIC process, and why the watchdog ended it.',
  refused: 'Handshakes refused once they were done, by reason.',
  retries: 'Retry packets sent, and the tokens of them that came back good.',
  socket: 'Trouble with the UDP socket.',
  streams: 'Streams reset by the peer or refused for breaking a limit.',
};

/** All metrics of this moment. */
export function metricsText(status: Status, usage: ProcessUsage): string {
  const { hub, peers, agents, approvals, transport } = status;
  const families = [
    gauge(
      'axon_hub_start_time_seconds',
      'When the hub was started, since 1970.',
      hub.started_at / 1_000,
    ),
    gauge('axon_hub_memory_bytes', 'Resident memory of the main process.', usage.memoryBytes),
    counter(
      'axon_hub_processor_seconds_total',
      'Processor time of the main process.',
      usage.processorSeconds,
    ),
    ...(usage.lagMs === null
      ? []
      : [
          gauge(
            'axon_hub_event_loop_lag_p99_seconds',
            'How late the main process came to what was due, p99 of the last 60 s.',
            usage.lagMs / 1_000,
          ),
        ]),
    gauge('axon_peers_paired', 'Hubs this one is paired with.', peers.paired),
    gauge('axon_peers_online', 'Paired hubs that are connected.', peers.online),
    gauge('axon_agents_registered', 'Agents of this hub.', agents.registered),
    gauge('axon_agents_online', 'Agents that are there.', agents.online),
    gauge(
      'axon_approvals_pending',
      'Requests that wait for a person here.',
      approvals.pending - approvals.elsewhere,
    ),
    gauge('axon_approvals_elsewhere', 'Requests that hubs of adults decide.', approvals.elsewhere),
    gauge('axon_quic_connections', 'Connections to other hubs.', transport.connections),
    counter(
      'axon_quic_process_restarts_total',
      'How often the QUIC process was started again.',
      transport.restarts,
    ),
    ...(transport.memory_bytes === null
      ? []
      : [
          gauge(
            'axon_quic_process_memory_bytes',
            'Resident memory of the QUIC process.',
            transport.memory_bytes,
          ),
        ]),
    ...transportFamilies(transport.counters),
  ];
  return families.join('');
}

/**
 * "group.what" becomes one family for each group with what was counted as its label; levels become
 * families of their own.
 */
function transportFamilies(counters: Readonly<Record<string, number>>): readonly string[] {
  const groups = new Map<string, string[]>();
  const levels: string[] = [];
  for (const [name, value] of Object.entries(counters).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (name.endsWith(LEVEL_ENDING)) {
      levels.push(
        gauge(
          `axon_quic_${word(name.slice(0, -LEVEL_ENDING.length))}`,
          'A level of the QUIC endpoint at this moment.',
          value,
        ),
      );
      continue;
    }
    const dot = name.indexOf('.');
    const [group, what] = dot < 0 ? [LINKS, name] : [name.slice(0, dot), name.slice(dot + 1)];
    const family = group === LINKS ? 'axon_links_total' : `axon_quic_${word(group)}_total`;
    groups.set(group, [
      ...(groups.get(group) ?? []),
      `${family}{event="${word(what)}"} ${value}\n`,
    ]);
  }
  const families = [...groups].map(([group, samples]) => {
    const family = group === LINKS ? 'axon_links_total' : `axon_quic_${word(group)}_total`;
    return (
      head(family, HELP[group] ?? 'Counted by the QUIC endpoint.', 'counter') + samples.join('')
    );
  });
  return [...levels, ...families];
}

function gauge(name: string, help: string, value: number): string {
  return `${head(name, help, 'gauge')}${name} ${value}\n`;
}

function counter(name: string, help: string, value: number): string {
  return `${head(name, help, 'counter')}${name} ${value}\n`;
}

function head(name: string, help: string, type: 'gauge' | 'counter'): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

/** Only what a metric's name may hold. */
function word(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9]/g, '_');
}
