// The transport contract, run on the adapter as the hub uses it and on its in-process variant.
import { createQuicTransport } from '../../main/adapters/quic/process-transport.ts';
import { systemDeps } from '../integration/quic-test-hub.ts';
import { createInProcessTransport } from '../support/in-process-transport.ts';
import { transportContract } from './transport.contract.ts';

transportContract('QUIC in a process of its own', () => createQuicTransport(systemDeps));
transportContract('QUIC in this process', () => createInProcessTransport(systemDeps));
