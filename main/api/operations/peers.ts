// The operations on hubs. For everybody: who is known, what they can do, how they are. For their
// owner: name, suspend, add by address, remove.
import type { CapabilitiesDto, TokenUseDto } from '../../../preload/contract/dto.ts';
import { AppError } from '../../lib/app-error.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { readHubAddress, readHubPlace, readShareToken } from '../../services/links/hub-address.ts';
import type { KeyTrust } from '../../services/links/key-trust.ts';
import type { PeerDirectory } from '../../services/links/peer-directory.ts';
import { pongDto } from '../../services/links/peer-view.ts';
import type { PeerLinks } from '../../services/links/peer-links.ts';
import { actorOf } from '../actor.ts';
import type { HandlersOf } from '../caller.ts';

interface PeersHandlersDeps {
  readonly directory: PeerDirectory;
  readonly links: PeerLinks;
  readonly keyTrust: KeyTrust;
  readonly tokenUse: (key: KeyHex) => TokenUseDto;
}

export function peersHandlers({
  directory,
  links,
  keyTrust,
  tokenUse,
}: PeersHandlersDeps): HandlersOf<'peers'> {
  return {
    'peers.list': async ({ trust }) => ({ items: directory.list(trust), next: null }),
    'peers.get': async ({ id }) => directory.dto(directory.keyOf(id)),

    'peers.capabilities': async ({ id, refresh }, _caller, { signal }) => {
      const { peer } = directory.resolve(id);
      if (refresh || peer.capabilities === null) {
        const refreshed = await links.refreshCapabilities(peer.key, signal);
        if (!refreshed.ok) throw refreshed.error;
      }
      return capabilitiesOf(directory, peer.key);
    },

    'peers.tokens': async ({ id }) => tokenUse(directory.resolve(id).peer.key),

    'peers.ping': async ({ id }, _caller, { signal }) => {
      const answered = await links.ping(directory.resolve(id).peer.key, signal);
      if (!answered.ok) throw answered.error;
      return pongDto(answered.value);
    },

    'peers.add': async ({ address, key, name, trust }, caller) => {
      const { keyHex, ...place } = readHubPlace(address, key);
      if (!directory.isPaired(keyHex) && trust === true) {
        const way = readShareToken(address) === undefined ? 'key' : 'share_token';
        return keyTrust.add({ keyHex, ...place, name: name ?? null, way }, actorOf(caller));
      }
      if (!directory.isPaired(keyHex))
        return directory.addStatic({ keyHex, ...place, name: name ?? null });
      return directory.update(
        keyHex,
        { address: place, ...(name === undefined ? {} : { name }) },
        actorOf(caller),
      );
    },

    'peers.update': async ({ id, name, person, role, trust, address }, caller) =>
      directory.update(
        directory.keyOf(id),
        {
          ...(name === undefined ? {} : { name }),
          ...(person === undefined ? {} : { person }),
          ...(role === undefined ? {} : { role }),
          ...(trust === undefined ? {} : { trust }),
          ...(address === undefined
            ? {}
            : { address: address === null ? null : readHubAddress(address) }),
        },
        actorOf(caller),
      ),

    'peers.keepKey': async ({ id, seen }, caller) => {
      const key = directory.keyOf(id);
      await directory.keyChanges.keep(key, seen, actorOf(caller));
      directory.publish(key);
      return directory.dto(key);
    },

    'peers.remove': async ({ id }, caller) => {
      await directory.remove(directory.keyOf(id), actorOf(caller));
      return { removed: true };
    },
  };
}

function capabilitiesOf(directory: PeerDirectory, key: KeyHex): CapabilitiesDto {
  const { capabilities } = directory.dto(key);
  if (capabilities === null)
    throw new AppError('not_found', 'That hub has not told what it can do.', {
      hint: 'Ask again with refresh while it is online.',
    });
  return capabilities;
}
