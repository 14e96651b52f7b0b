// The pages of a hub as a person at that computer uses them: by role and name, with the words of
// the catalogue. The same in the app's window and in a browser. It reads what is shown and presses
// what can be pressed; it calls no operation.
import type { Locator, Page } from 'playwright-core';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { until } from '../support/until.ts';

const { common, conversations, feed, now, people, settings } = ENGLISH;

/** Long enough for a busy machine; every wait ends as soon as what it waits for is there. */
export const SHOWN_WITHIN_MS = 20_000;
const PRESS_TAKEN_WITHIN_MS = 2_000;
const TABS_MAX = 80;

type Screen = keyof typeof common.screens;

export class HouseholdPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(SHOWN_WITHIN_MS);
  }

  /** What stands on the page, for the message of a failure. */
  async told(): Promise<string> {
    return `${this.page.url()}\n${await this.page.locator('body').ariaSnapshot()}`;
  }

  get #screens(): Locator {
    return this.page.getByRole('navigation', { name: common.screensLabel });
  }

  #screenLink(screen: Screen): Locator {
    return this.#screens.getByRole('link', {
      name: new RegExp(`^${common.screens[screen]}( ?,|$)`),
    });
  }

  async open(screen: Screen): Promise<void> {
    await this.#screenLink(screen).click();
  }

  /** Waits until the hub's record is drawn. */
  async shown(): Promise<void> {
    await this.#screens.waitFor();
  }

  /** How many requests the rail says wait for a person: null when it says none. */
  async waitingInRail(): Promise<string | null> {
    const text = (await this.#screenLink('now').textContent()) ?? '';
    return /(\d+) waiting/.exec(text)?.[1] ?? null;
  }

  /** Settings, the licences of what the pages hold, and back: the packages they name. */
  async readLicences(): Promise<readonly string[]> {
    await this.open('settings');
    await this.page.getByRole('link', { name: settings.licencesOpen }).click();
    await this.page.getByRole('heading', { level: 2 }).first().waitFor();
    const titles = await this.page.getByRole('heading', { level: 2 }).allTextContents();
    await this.page.getByRole('main').getByRole('link', { name: settings.licencesBack }).click();
    await this.page.getByRole('heading', { name: settings.title, exact: true }).waitFor();
    return titles.map((title) => title.split(' ')[0] ?? '');
  }

  /** People, "Add a hub": from now on others may ask. */
  async openAddPage(): Promise<void> {
    await this.open('people');
    await this.page.getByRole('link', { name: people.addHub }).click();
    await this.page.getByText(people.addPage.open).waitFor();
  }

  /** The rows under "Nearby" on the page where hubs are added. */
  get nearby(): Locator {
    return this.page
      .getByRole('listitem')
      .filter({ has: this.page.getByRole('button', { name: people.add, exact: true }) });
  }

  /** Presses Add for the only hub in sight. */
  async add(): Promise<void> {
    await this.nearby.getByRole('button', { name: people.add, exact: true }).click();
    await this.page.getByRole('heading', { name: people.pairing.waiting.title }).waitFor();
  }

  /** Types where a hub is and its key, for one that is not on this network; it is asked at once. */
  async addByAddress(address: string, key: string): Promise<void> {
    const { addPage } = people;
    await this.page.getByRole('button', { name: addPage.enter, exact: true }).click();
    await this.page.getByLabel(addPage.addressLabel, { exact: true }).fill(address);
    await this.page.getByLabel(addPage.keyLabel, { exact: true }).fill(key);
    await this.page.getByRole('button', { name: addPage.addressAdd }).click();
    await this.page.getByRole('heading', { name: people.pairing.waiting.title }).waitFor();
  }

  /** A hub asks at this door, on the page for adding: opens it. */
  async openOffer(): Promise<void> {
    await this.page.getByRole('button', { name: people.pairing.offered.open, exact: true }).click();
  }

  /** Reads the digits that this screen shows. */
  async readDigits(count: 2 | 6): Promise<string> {
    const { showSix, showTwo } = people.pairing;
    await this.page
      .getByRole('heading', { name: count === 6 ? showSix.title : showTwo.title })
      .waitFor();
    const spoken = await this.page
      .getByRole('img', { name: /^\d( \d)+$/ })
      .getAttribute('aria-label');
    return (spoken ?? '').replaceAll(' ', '');
  }

  /** Types digits one key at a time into the boxes, the first of which has the focus. */
  async typeDigits(digits: string): Promise<void> {
    const { typeSix, typeTwo } = people.pairing;
    const { title } = digits.length === 6 ? typeSix : typeTwo;
    await this.page.getByRole('heading', { name: title }).waitFor();
    await this.page.getByRole('group', { name: title }).waitFor();
    for (const digit of digits) await this.page.keyboard.press(digit);
  }

  /** The last step: the owner's own name for the hub, and who is behind it. */
  async nameHub(name: string, person: string): Promise<void> {
    await this.page.getByRole('heading', { name: people.pairing.paired.title }).waitFor();
    await this.page.getByLabel(people.renameName, { exact: true }).fill(name);
    await this.page.getByLabel(people.renamePerson, { exact: true }).fill(person);
    await this.page.getByRole('button', { name: people.pairing.paired.done, exact: true }).click();
    await this.page.getByRole('heading', { name, exact: true }).waitFor();
  }

  /** Safety number of the hub whose page is open. */
  async safetyNumber(): Promise<string> {
    const groups = this.page.getByRole('main').getByText(/^\d{5}$/);
    await groups.first().waitFor();
    return (await groups.allTextContents()).join(' ');
  }

  /** The card of the request with this text, as long as it waits. */
  card(text: string): Locator {
    return this.page
      .getByRole('article')
      .filter({ hasText: text })
      .filter({ has: this.page.getByRole('button', { name: now.decline }) });
  }

  /** The row that a decided card becomes. */
  row(text: string): Locator {
    return this.page.getByRole('article').filter({ hasText: text });
  }

  /** What is shown of the request after its decision. */
  decided(text: string): Locator {
    return this.row(text).getByRole('heading');
  }

  allowButton(text: string): Locator {
    return this.card(text).getByRole('button', { name: now.allowOnce });
  }

  async allowByMouse(text: string): Promise<void> {
    await this.#pressUntilDecided(text, now.allowOnce);
  }

  async declineByMouse(text: string): Promise<void> {
    await this.#pressUntilDecided(text, now.decline);
  }

  /**
   * A card takes no press right after it has moved or its window has come to the front, by the rule
   * of its page: it is pressed again, as a person would.
   */
  async #pressUntilDecided(text: string, name: string): Promise<void> {
    const card = this.card(text);
    await card.waitFor();
    await until(`a press on "${name}" that counts`, SHOWN_WITHIN_MS, async () => {
      if ((await card.count()) === 0) return true;
      await card.getByRole('button', { name }).click({ timeout: PRESS_TAKEN_WITHIN_MS });
      await card.waitFor({ state: 'detached', timeout: PRESS_TAKEN_WITHIN_MS });
      return true;
    });
  }

  /**
   * Goes to Now and to the card's button with the Tab key alone, and presses Enter there. Throws
   * when no number of tabs leads there or the button stays inert.
   */
  async allowByKeyboard(text: string): Promise<void> {
    await this.#tabTo(this.#screenLink('now'));
    await this.page.keyboard.press('Enter');
    const button = this.allowButton(text);
    await button.waitFor();
    await this.#tabTo(button);
    await this.card(text)
      .locator('button:not([aria-disabled])')
      .filter({ hasText: now.allowOnce })
      .waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** Opens the conversation that began with this text; what it shows. */
  async history(text: string): Promise<Locator> {
    await this.open('conversations');
    await this.page.getByRole('main').getByRole('link').filter({ hasText: text }).click();
    return this.page.getByRole('region', { name: conversations.pane });
  }

  /** All that stands in the feed. */
  async feed(): Promise<string> {
    await this.open('feed');
    await this.page.getByRole('heading', { level: 1, name: feed.title }).waitFor();
    return this.page.getByRole('main').innerText();
  }

  async #tabTo(target: Locator): Promise<void> {
    for (let tabs = 0; tabs < TABS_MAX; tabs += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`${TABS_MAX} presses of Tab did not lead to ${String(target)}`);
  }
}

/**
 * Two people pair their hubs as the pages tell them to, from the moment that one has asked the
 * other. Ends on each other's page.
 */
export async function pairByPages(
  asking: { readonly page: HouseholdPage; readonly callsOther: Named },
  asked: { readonly page: HouseholdPage; readonly callsOther: Named },
): Promise<{ readonly six: string; readonly two: string }> {
  await asked.page.openOffer();
  const six = await asked.page.readDigits(6);
  await asking.page.typeDigits(six);
  const two = await asking.page.readDigits(2);
  await asked.page.typeDigits(two);
  await asking.page.nameHub(asking.callsOther.hub, asking.callsOther.person);
  await asked.page.nameHub(asked.callsOther.hub, asked.callsOther.person);
  return { six, two };
}

export interface Named {
  readonly hub: string;
  readonly person: string;
}
