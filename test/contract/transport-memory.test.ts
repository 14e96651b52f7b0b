// The transport contract, run on the network in memory that tests of the services use: what they
// learn there holds on the wire.
import { SystemClock } from '../../main/adapters/clock/system-clock.ts';
import { MemoryNetwork } from '../fakes/memory-transport.ts';
import { transportContract } from './transport.contract.ts';

const network = new MemoryNetwork(new SystemClock());
transportContract('a network in memory', () => network.create());
