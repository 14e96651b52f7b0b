// Numbers in words: one rule set per language (Intl.PluralRules), so that no sentence is built by
// adding an "s". Imports nothing.

/**
 * The forms a language needs; `{n}` becomes the number. English uses one and other; zero where "no"
 * stands for 0.
 */
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
  // Made when first asked for: a hub that starts says no number, and they take long to make.
  let rules: Intl.PluralRules | undefined;
  let numbers: Intl.NumberFormat | undefined;
  return (count, forms) => {
    rules ??= new Intl.PluralRules(locale, { type });
    const form = count === 0 && forms.zero ? 'zero' : rules.select(count);
    return (forms[form] ?? forms.other).replaceAll('{n}', () => {
      numbers ??= new Intl.NumberFormat(locale);
      return numbers.format(count);
    });
  };
}
