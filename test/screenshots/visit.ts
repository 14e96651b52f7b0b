// Brings a browser to one state of one screen, as a person would get there.
import type { Page } from 'playwright-core';
import type { ScreenState } from './states.ts';

/** The evening of the household in memory. */
const CLOCK_FIXED_AT = new Date(2026, 10, 21, 18, 4, 0);

/**
 * @param page of a browser that has opened nothing yet @param query what else stands in the address
 */
export async function visit(
  page: Page,
  origin: string,
  name: string,
  state: ScreenState,
  query = '',
): Promise<void> {
  await page.clock.install({ time: CLOCK_FIXED_AT });
  await page.goto(`${origin}/page.html?state=${name}${query}`);
  await page.clock.runFor(state.early === true ? 300 : 800);
  if (state.tab !== undefined)
    await page.getByRole('tab', { name: state.tab, exact: true }).click();
  for (const press of state.press ?? []) {
    await page.getByRole('button', { name: press, exact: true }).first().click();
    // Long enough for buttons that wait after what was pressed.
    await page.clock.runFor(state.early === true ? 100 : 800);
  }
  for (const [list, option] of Object.entries(state.pick ?? {}))
    await page
      .getByRole('combobox', { name: list, exact: true })
      .first()
      .selectOption({ label: option });
  for (const [field, text] of Object.entries(state.fill ?? {}))
    await page.getByRole('textbox', { name: field }).fill(text);
  if (state.unfold !== undefined)
    await page.getByText(state.unfold, { exact: true }).first().click();
  if (state.search !== undefined) {
    await page.getByRole('searchbox').fill(state.search);
    await page.keyboard.press('Enter');
    await page.getByRole('main').locator('mark').first().waitFor();
  }
  if (state.pick !== undefined) await page.clock.runFor(1_200);
  if (state.tick !== undefined) await page.getByRole('checkbox', { name: state.tick }).check();
  if (state.after !== undefined) await page.clock.runFor(400);
}
