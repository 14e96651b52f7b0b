// The transport contract, run on the adapter as the hub uses it and on its in-process variant.
import { createInProcessTransport, createQuicTransport } from '../../main/adapters/quic/quic-transport.ts';
import { systemDeps } from '../integration/quic-test-hub.ts';
import { transportContract } from './transport.contract.ts';

transportContract('QUIC in a process of its own', () => createQuicTransport(systemDeps));
transportContract('QUIC in this process', () => createInProcessTransport(systemDeps));
