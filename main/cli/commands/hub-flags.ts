// The settings of a hub as options of the commands that run one, handed on as they were given: the hub itself reads and checks them.
import type { Command } from 'commander';

/** The settings of a hub as flags, each with its default. */
const HUB_FLAGS = {
  name: ['name', 'how other hubs see this one, until a person changes it (default: "Hub" and four characters of its agent id)'],
  'api-port': ['port', 'the local port, HTTP for this computer only; 0 picks a free one (default: 7117)'],
  'peer-port': ['port', 'the port between hubs, QUIC over UDP; 0 picks a free one (default: 7100)'],
  interface: ['names', 'find hubs on these network interfaces only, with commas between (default: all)'],
  discovery: ['on|off', 'find hubs of the home network by mDNS, until a person changes it (default: on)'],
  'approvals-wait': ['minutes', 'how long a request waits for a person, until a person changes it: 1 to 1440 (default: 720, half a day)'],
  'keep-messages': ['days', 'how long the words of what ended are kept, in this run whatever a person changed: 1 to 36500 (default: 365)'],
  'keep-feed': ['days', 'how long notices stay in the feed, in this run whatever a person changed: 1 to 36500 (default: 90)'],
  'log-level': ['level', 'debug, info, warn or error (default: info)'],
  log: ['form', 'text or json (default: text at a terminal, json elsewhere)'],
  'request-rate': ['number', 'requests of one token a second, for measurements (default: 100)'],
  'peer-rate-factor': ['number', 'what a peer may send, times this, for measurements (default: 1)'],
} as const satisfies Readonly<Record<string, readonly [value: string, description: string]>>;

export function withHubFlags(command: Command): Command {
  for (const [flag, [value, description]] of Object.entries(HUB_FLAGS)) command.option(`--${flag} <${value}>`, description);
  return command;
}

/** The flags that were given, and the data folder with them. */
export function hubFlagsOf(command: Command): readonly string[] {
  const options = command.optsWithGlobals<Record<string, string | undefined>>();
  return [...Object.keys(HUB_FLAGS), 'home'].flatMap((flag) => {
    const value = options[flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())];
    return value === undefined ? [] : [`--${flag}`, value];
  });
}
