// Numbers and lists in words, by the rules of a language (Intl), so that no sentence is built by
// adding an "s". A rule set takes long to make, so each is made when first asked for. Imports
// nothing.

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
  let rules: Intl.PluralRules | undefined;
  const number = numberer(locale);
  return (count, forms) => {
    rules ??= new Intl.PluralRules(locale, { type });
    const form = count === 0 && forms.zero ? 'zero' : rules.select(count);
    return (forms[form] ?? forms.other).replaceAll('{n}', () => number(count));
  };
}

export function numberer(locale: string): (value: number) => string {
  let form: Intl.NumberFormat | undefined;
  return (value) => (form ??= new Intl.NumberFormat(locale)).format(value);
}

/** @param type conjunction: with "and"; disjunction: with "or" */
export function lister(
  locale: string,
  type: Intl.ListFormatType = 'conjunction',
): (parts: readonly string[]) => string {
  let form: Intl.ListFormat | undefined;
  return (parts) => (form ??= new Intl.ListFormat(locale, { type })).format(parts);
}
