// What a person does with other hubs: add, name, suspend, remove, check. Each act is one call; what
// went wrong is kept next to the thing it was about. Holds no authority and no copy of the hubs.
import type { CallOutcome, HubApi } from '../../../preload/contract/hub-api.ts';
import type { InvitationDto } from '../../../preload/contract/pairing-dto.ts';
import type { OperationInput, OperationResult } from '../../../preload/contract/operations.ts';
import type { PeerDto } from '../../../preload/contract/dto.ts';
import type { HubState } from '../../app/HubState.svelte.ts';
import type { Navigation } from '../../app/Navigation.svelte.ts';
import { Calls } from '../../app/Calls.svelte.ts';
import { words } from '../../app/words.ts';

interface PeopleDeps {
  readonly api: HubApi;
  readonly hub: HubState;
  readonly navigation: Navigation;
}

export class PeopleController {
  /** By what each was about: a peer's id, "window", "address". */
  readonly #calls = new Calls();
  /** What went well and is worth a word, by peer id. */
  #notes = $state.raw<ReadonlyMap<string, string>>(new Map());
  /** Hubs whose address was given here for a request, and that were not kept before. */
  readonly #addedForRequest = new Set<string>();
  readonly #deps: PeopleDeps;

  constructor(deps: PeopleDeps) {
    this.#deps = deps;
  }

  problem(about: string): string | null {
    return this.#calls.problem(about);
  }
  note(about: string): string {
    return this.#notes.get(about) ?? '';
  }
  busy(about: string): boolean {
    return this.#calls.busy(about);
  }

  /** A person pressed Add: asks that hub, and shows how it goes on. */
  async add(peer: string): Promise<boolean> {
    const outcome = await this.#run(peer, () => this.#deps.api.call('pairings.start', { peer }));
    if (!outcome?.ok) return false;
    this.#deps.hub.putPairing(outcome.value);
    this.#deps.navigation.go('people', 'pair', outcome.value.id);
    return true;
  }

  /**
   * Trusts the key in a link as it stands, without digits, and shows what became of it. @param name
   * null proposes one
   */
  async trustLink(form: {
    readonly address: string;
    readonly name: string | null;
  }): Promise<boolean> {
    const { address, name } = form;
    const outcome = await this.#run('address', () =>
      this.#deps.api.call('peers.add', {
        address: address.trim(),
        trust: true,
        ...(name === null ? {} : { name }),
      }),
    );
    if (!outcome?.ok) return false;
    this.#deps.hub.putPeer(outcome.value);
    this.#deps.navigation.go('people', 'hub', outcome.value.id);
    return true;
  }

  /**
   * Adds a hub that is not on this network, then asks it; its address is kept no longer than that
   * request, unless they are paired. @param form `key` is null where the address is a link that
   * holds it
   */
  async addAddress(form: {
    readonly address: string;
    readonly key: string | null;
  }): Promise<boolean> {
    const { address, key } = form;
    const before = this.#deps.hub.snapshot.peers.filter(isKept).map(({ id }) => id);
    const outcome = await this.#run('address', () =>
      this.#deps.api.call('peers.add', {
        address: address.trim(),
        ...(key === null ? {} : { key: key.trim() }),
      }),
    );
    if (!outcome?.ok) return false;
    if (outcome.value.trust === 'paired') return true;
    const { id } = outcome.value;
    if (!before.includes(id)) this.#addedForRequest.add(id);
    if (await this.add(id)) return true;
    // It did not take the request: that is said beside the form, where the person still is.
    this.#calls.say('address', this.problem(id));
    await this.#forgetAdded(id);
    return false;
  }

  /** Joins the hub that made an invitation; nobody types digits. */
  async join(link: string): Promise<boolean> {
    const outcome = await this.#run('address', () =>
      this.#deps.api.call('pairings.join', { link: link.trim() }),
    );
    if (!outcome?.ok) return false;
    this.#deps.hub.putPairing(outcome.value);
    this.#deps.navigation.go('people', 'pair', outcome.value.id);
    return true;
  }

  /** Makes an invitation; its link is given out this once. */
  async invite(): Promise<OperationResult<'invitations.create'> | null> {
    const outcome = await this.#run('invite', () => this.#deps.api.call('invitations.create', {}));
    return outcome?.ok === true ? outcome.value : null;
  }

  /** The invitations that still hold; none when they cannot be read. */
  async invitations(): Promise<readonly InvitationDto[]> {
    const outcome = await this.#deps.api.call('invitations.list', {});
    return outcome.ok ? outcome.value.items : [];
  }

  async revoke(id: string): Promise<boolean> {
    const outcome = await this.#run('invite', () =>
      this.#deps.api.call('invitations.revoke', { id }),
    );
    return outcome?.ok === true;
  }

  async setWindow(open: boolean): Promise<void> {
    await this.#run('window', () => this.#deps.api.call('pairings.window', { open }));
  }

  /** @returns true when the hub goes on with it */
  async openOffer(id: string): Promise<boolean> {
    const outcome = await this.#run(id, () => this.#deps.api.call('pairings.open', { id }));
    return outcome?.ok === true;
  }

  /**
   * Digits are typed once; whatever comes of them shows in the pairing. @returns false when the hub
   * did not take the call
   */
  async typeDigits(id: string, digits: string): Promise<boolean> {
    const outcome = await this.#run(id, () =>
      this.#deps.api.call('pairings.digits', { id, digits }),
    );
    return outcome?.ok === true;
  }

  /**
   * Cancels a running pairing, or dismisses one that ended. @param keepsAddress the person goes on
   * with the address that was given for it
   */
  async putAway(id: string, keepsAddress = false): Promise<void> {
    const pairing = this.#deps.hub.snapshot.pairings.find((known) => known.id === id);
    await this.#run(id, () => this.#deps.api.call('pairings.cancel', { id }));
    if (pairing === undefined || keepsAddress) return;
    if (pairing.state === 'paired') this.#addedForRequest.delete(pairing.peer_id);
    else await this.#forgetAdded(pairing.peer_id);
  }

  async #forgetAdded(peer: string): Promise<void> {
    if (this.#addedForRequest.delete(peer)) await this.#deps.api.call('peers.remove', { id: peer });
  }

  /** A hub that is only kept by its address is kept no longer. */
  async forget(id: string): Promise<void> {
    await this.#run(id, () => this.#deps.api.call('peers.remove', { id }));
  }

  /** What went wrong about this is not said again, as when its form is closed. */
  hush(about: string): void {
    this.#calls.say(about, null);
  }

  /**
   * The person has gone on to another place: what was said at the one before is not said again on
   * the way back.
   */
  leave(): void {
    this.#calls.hush();
    this.#notes = new Map();
  }

  async update(change: OperationInput<'peers.update'>): Promise<boolean> {
    const outcome = await this.#run(change.id, () => this.#deps.api.call('peers.update', change));
    return outcome?.ok === true;
  }

  async remove(id: string): Promise<void> {
    const outcome = await this.#run(id, () => this.#deps.api.call('peers.remove', { id }));
    if (outcome?.ok) this.#deps.navigation.replace('people');
  }

  /**
   * Something else stands in that hub's place: the key that was trusted stays. @param seen the
   * other key, as it was shown
   */
  async keepKey(id: string, seen: string): Promise<void> {
    const outcome = await this.#run(id, () => this.#deps.api.call('peers.keepKey', { id, seen }));
    if (outcome?.ok) this.#deps.hub.putPeer(outcome.value);
  }

  /**
   * The hub was set up afresh: the old one goes, and the person comes to where a hub is added with
   * new digits.
   */
  async removeForNewKey(id: string): Promise<void> {
    this.#deps.navigation.replace('people', 'add');
    await this.#run(id, () => this.#deps.api.call('peers.remove', { id }));
  }

  async check(id: string): Promise<void> {
    const outcome = await this.#run(id, () => this.#deps.api.call('peers.ping', { id }));
    if (outcome?.ok)
      this.#note(id, words.people.checked(words.common.milliseconds(outcome.value.round_trip_ms)));
  }

  async askCapabilities(id: string): Promise<void> {
    await this.#run(id, () => this.#deps.api.call('peers.capabilities', { id, refresh: true }));
  }

  #note(about: string, text: string): void {
    this.#notes = new Map(this.#notes).set(about, text);
  }

  /** As Calls does; a note from before says nothing of what comes of this one. */
  #run<T>(about: string, call: () => Promise<CallOutcome<T>>): Promise<CallOutcome<T> | undefined> {
    if (!this.#calls.busy(about)) this.#note(about, '');
    return this.#calls.run(about, call);
  }
}

/** Its address was given before, or the two are paired. */
function isKept({ how_found: how, trust }: PeerDto): boolean {
  return how === 'static' || trust === 'paired' || trust === 'suspended';
}
