// Agents of elsewhere that this hub calls over A2A: the owner looks at a card, and adds or confirms
// exactly that card.
import type { A2aAgentDto, A2aCardDto } from '../../../preload/contract/a2a.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import { Calls } from '../../app/Calls.svelte.ts';

const LOOK = 'look';
const ADD = 'add';

export class ElsewhereController {
  #agents = $state.raw<readonly A2aAgentDto[]>([]);
  #card = $state.raw<A2aCardDto | null>(null);
  #token = '';
  readonly #calls = new Calls();
  readonly #api: HubApi;

  constructor(api: HubApi) {
    this.#api = api;
  }

  get agents(): readonly A2aAgentDto[] {
    return this.#agents;
  }
  /** The card that was looked at last; null: none, or it was dealt with. */
  get card(): A2aCardDto | null {
    return this.#card;
  }
  /** Whose card it is, where it is one of these already. */
  get known(): A2aAgentDto | undefined {
    return this.#agents.find(({ url }) => url === this.#card?.url);
  }
  get problem(): string | null {
    return this.#calls.problem(LOOK) ?? this.#calls.problem(ADD);
  }
  get busy(): boolean {
    return this.#calls.busy(LOOK) || this.#calls.busy(ADD);
  }

  async load(): Promise<void> {
    const outcome = await this.#calls.run('list', () => this.#api.call('a2a.list', {}));
    if (outcome?.ok) this.#agents = outcome.value.items;
  }

  /** The token goes to that host, and is kept here until the card was dealt with. */
  async look(url: string, token: string): Promise<void> {
    this.#card = null;
    this.#token = token;
    const outcome = await this.#calls.run(LOOK, () =>
      this.#api.call('a2a.look', { url, ...this.#tokenIn() }),
    );
    if (outcome?.ok) this.#card = outcome.value;
    await this.load();
  }

  /** Whether it is an agent here now. */
  async add(card: A2aCardDto, name: string, leaves: boolean): Promise<boolean> {
    const { url, digest } = card;
    return this.#settled(() =>
      this.#api.call('a2a.add', {
        name,
        url,
        digest,
        leaves_computer: leaves,
        ...this.#tokenIn(),
      }),
    );
  }

  async confirm({ digest }: A2aCardDto, { agent: name }: A2aAgentDto): Promise<boolean> {
    return this.#settled(() => this.#api.call('a2a.confirm', { name, digest, ...this.#tokenIn() }));
  }

  async #settled(call: Parameters<Calls['run']>[1]): Promise<boolean> {
    const outcome = await this.#calls.run(ADD, call);
    if (outcome?.ok) {
      this.#card = null;
      this.#token = '';
    }
    await this.load();
    return outcome?.ok === true;
  }

  #tokenIn(): { readonly token?: string } {
    return this.#token === '' ? {} : { token: this.#token };
  }
}
