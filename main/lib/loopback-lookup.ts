// Where "localhost" is: on this computer, whatever a hosts file or a resolver says of the name.
// Pure.
import type { LookupFunction } from 'node:net';

/** What a connection to this host needs to get there. */
export function loopbackLookup(url: string): { readonly lookup?: LookupFunction } {
  return new URL(url).hostname === 'localhost' ? { lookup: LOOPBACK } : {};
}

const LOOPBACK: LookupFunction = (_name, options, found) => {
  const both = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  if (options.all === true) found(null, both);
  else found(null, '127.0.0.1', 4);
};
