// The QUIC process as it is, with a library that needs milliseconds for each datagram from one address: what a peer finds who has found such a
// weakness. Everybody else is served as always.
import { loadBinding } from '../../main/adapters/quic/native-binding.ts';

const COSTLY_HOST = '127.0.0.66';
const PROCESSOR_MICROSECONDS = 4_000;

const { Connection } = loadBinding();
const methods = Object.getOwnPropertyDescriptor(Connection, 'prototype')?.value;
const receive = methods.recv;
methods.recv = function (this: unknown, datagram: unknown, info: { readonly from: { readonly host: string } }): unknown {
  if (info.from.host === COSTLY_HOST) {
    const before = process.cpuUsage();
    for (let spent = 0; spent < PROCESSOR_MICROSECONDS;) {
      const { user, system } = process.cpuUsage(before);
      spent = user + system;
    }
  }
  return receive.call(this, datagram, info);
};

export const served = await import('../../main/entry/quic.ts');
