// A card of the real page, read as it is drawn: every word that somebody else wrote, letter by
// letter from the nodes of the document, with how the browser lays it out. Presses nothing but
// "Allow once".
import type { Locator, Page } from 'playwright-core';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { until } from '../support/until.ts';
import type { Words } from './nasty-request.ts';

const { now } = ENGLISH;
const DECIDED_WITHIN_MS = 20_000;
const PRESS_TAKEN_WITHIN_MS = 2_000;

interface Drawn {
  readonly text: string;
  readonly reason: string;
  readonly named: readonly {
    readonly name: string;
    readonly isExact: boolean;
    readonly value: string;
  }[];
  /** The exact identifiers, by their labels. */
  readonly facts: Readonly<Record<string, string>>;
  /** How each of these texts is laid out, each way once. */
  readonly layouts: readonly string[];
}

interface SeenCard {
  readonly words: Words;
  /** The short digest, without its blanks. */
  readonly digest: string;
  readonly layouts: readonly string[];
}

export async function readCard(page: Page, id: string): Promise<SeenCard> {
  const card = page.locator(`article[data-card="${id}"]`);
  await card.waitFor();
  const drawn = await card.evaluate((article): Drawn => {
    // A boxed code has its brackets by its frame.
    const read = (node: Node): string => {
      if (node instanceof Text) return node.data;
      const inside = [...node.childNodes].map(read).join('');
      return node instanceof Element && node.matches('.token') ? `[${inside}]` : inside;
    };
    const all = (selector: string): Element[] => [...article.querySelectorAll(selector)];
    const layoutOf = (element: Element): string => {
      const { whiteSpace, textTransform, visibility, opacity, unicodeBidi } =
        getComputedStyle(element);
      return [whiteSpace, textTransform, visibility, opacity, unicodeBidi].join(' ');
    };
    const [text, reason] = all('.quoted-text blockquote bdi');
    const names = all('.quoted-text .fields dt');
    const values = all('.quoted-text .fields dd');
    const labels = all('.exact dl dt');
    const facts = all('.exact dl dd');
    if (text === undefined || reason === undefined)
      throw new Error('the card does not quote two texts');
    return {
      text: read(text),
      reason: read(reason),
      named: names.map((name, index) => ({
        name: read(name),
        isExact: name.classList.contains('sent'),
        value: read(values[index] ?? name),
      })),
      facts: Object.fromEntries(
        labels.map((label, index) => [read(label), read(facts[index] ?? label)]),
      ),
      layouts: [
        ...new Set(all('.quoted-text blockquote bdi, .quoted-text .fields bdi').map(layoutOf)),
      ],
    };
  });
  return {
    words: wordsOf(drawn),
    digest: (drawn.facts[now.ids.digest] ?? '').replaceAll(' ', ''),
    layouts: drawn.layouts,
  };
}

/** What a card, a row and a thread say once a person decided; the name of the hub ends it. */
export function didIt(person: string, did: 'allowed' | 'declined'): RegExp {
  return new RegExp(`^${person} ${did} it, on `);
}

/**
 * Scrolls to the end of the text, as nothing can be allowed before, and presses "Allow once".
 * Resolves when the card says so. A card that moves at that moment takes no press, by the rule of
 * its page: it is pressed again, as a person would.
 */
export async function allowOnCard(page: Page, id: string, by: string): Promise<void> {
  await readToEnd(page, id);
  const isAllowed = cardOf(page, id).getByText(didIt(by, 'allowed'));
  await until('a press that counts', DECIDED_WITHIN_MS, async () => {
    // A decision that took longer than the wait below leaves no button to press.
    if (await isAllowed.isVisible()) return true;
    await pressAllow(page, id);
    await isAllowed.waitFor({ timeout: PRESS_TAKEN_WITHIN_MS });
    return true;
  });
}

/** Scrolls to the end of what is asked, as nothing can be allowed before. */
export async function readToEnd(page: Page, id: string): Promise<void> {
  const box = cardOf(page, id).locator('.quoted-text .scroll').first();
  await box.evaluate((element) => element.scrollTo(0, element.scrollHeight));
}

/** One press on "Allow once", whether or not it counts. */
export async function pressAllow(page: Page, id: string): Promise<void> {
  await cardOf(page, id)
    .getByRole('button', { name: now.allowOnce })
    .click({ timeout: PRESS_TAKEN_WITHIN_MS });
}

function cardOf(page: Page, id: string): Locator {
  return page.locator(`[data-card="${id}"]`);
}

/**
 * The paths of fields that have a name in words stand among the exact identifiers, in the same
 * order.
 */
function wordsOf({ text, reason, named, facts }: Drawn): Words {
  const renamed = (facts[now.ids.fields] ?? '').trim().split(', ');
  const fields = named.map(
    ({ name, isExact, value }) => [isExact ? name : (renamed.shift() ?? ''), value] as const,
  );
  const [, domain = ''] = (facts[now.ids.kind] ?? '').trim().split(', ');
  return { text, fields: [...fields, ['domain', domain], ['reason', reason]] };
}
