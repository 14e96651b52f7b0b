// Numbers in words: one rule set per language (Intl.PluralRules), so that no sentence is built by
// adding an "s". Imports nothing.

/** The forms a language needs; `{n}` becomes the number. English uses one and other. */
type PluralForms = { readonly other: string } & {
  readonly [Form in Exclude<Intl.LDMLPluralRule, 'other'>]?: string;
};

/**
 * @param type ordinal: the forms of "1st", "2nd", which a language keeps apart from those of
 * numbers
 */
export function pluralizer(
  locale: string,
  type: Intl.PluralRuleType = 'cardinal',
): (count: number, forms: PluralForms) => string {
  const rules = new Intl.PluralRules(locale, { type });
  const numbers = new Intl.NumberFormat(locale);
  return (count, forms) =>
    (forms[rules.select(count)] ?? forms.other).replaceAll('{n}', () => numbers.format(count));
}
