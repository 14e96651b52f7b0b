// The Agents page as a person uses it to connect a program: what is to be copied for it, the light of
// its first call, and the code that is confirmed.
import type { Browser, Locator } from 'playwright-core';
import { expect } from 'vitest';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { HouseholdPage } from './household-pages.ts';

const { connect, knock } = ENGLISH.agents;
export type Program = keyof typeof connect.programs;

/** The Agents page, at "Connect an agent". */
export class PickerPage extends HouseholdPage {
  static async opened(browser: Browser, link: string): Promise<PickerPage> {
    const picker = new PickerPage(
      await browser.newPage({ viewport: { width: 1280, height: 820 } }),
    );
    await picker.page.goto(link);
    await picker.shown();
    await picker.open('agents');
    return picker;
  }

  get panel(): Locator {
    return this.page.getByRole('tabpanel');
  }

  /** Chooses a program. Returns what is to be copied for it. */
  async choose(program: Program): Promise<readonly string[]> {
    const name = connect.programs[program];
    await this.page.getByRole('tab', { name, exact: true }).click();
    await this.page.getByRole('tabpanel', { name, exact: true }).waitFor();
    return this.panel.locator('pre').allTextContents();
  }

  async light(text: string): Promise<void> {
    await this.panel.getByText(text).waitFor();
  }

  /** Compares the code with what the program showed, and confirms. */
  async confirm(shownBy: () => string): Promise<void> {
    const asked = this.page.getByRole('group', { name: knock.title });
    const code = (await asked.locator('.code-word').textContent()) ?? '';
    await expect.poll(shownBy).toContain(code);
    await asked.getByRole('button', { name: knock.confirm, exact: true }).click();
    await asked.waitFor({ state: 'detached' });
  }
}
