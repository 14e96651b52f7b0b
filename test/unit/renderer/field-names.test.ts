import { describe, expect, test } from 'vitest';
import { namedFields } from '../../../renderer/app/field-names.ts';

const spoken = (...paths: readonly string[]): readonly string[] =>
  namedFields(paths.map((path) => [path, ''])).map(
    ({ name, exact }) => `${exact ? 'exactly ' : ''}${name}`,
  );

describe('the names of fields', () => {
  test('a field is named in words, but only where no other field could be meant and no letter is lost', () => {
    const named = namedFields([
      ['context.dinner_time', '7:00 PM'],
      ['context.guests.count', '4'],
      ['context.Account', 'x'],
      ['context.a__b', 'x'],
      ['context.p\u0430yee', 'x'],
      ['context.pay_to', 'Mum'],
      ['pay.to', 'Eve'],
      ['context.pay[U+200B]to', 'Eve'],
    ]);
    expect(named.map(({ name, exact }) => `${exact ? 'exactly ' : ''}${name}`)).toEqual([
      'Dinner time',
      'Guests count',
      'exactly context.Account',
      'exactly context.a__b',
      'exactly context.p\u0430yee',
      'exactly context.pay_to',
      'exactly pay.to',
      'exactly context.pay[U+200B]to',
    ]);
    expect(named.map(({ value }) => value)).toEqual([
      '7:00 PM',
      '4',
      'x',
      'x',
      'x',
      'Mum',
      'Eve',
      'Eve',
    ]);
  });

  test('a place in a list is counted as people count, and what stands in it keeps its name', () => {
    expect(
      spoken(
        'context.who[0]',
        'context.who[1]',
        'who_else[2]',
        'guests[10].first_name',
        'rows[3][21]',
        '[0]',
      ),
    ).toEqual([
      'Who, 1st',
      'Who, 2nd',
      'Who else, 3rd',
      'Guests, 11th, first name',
      'Rows, 4th, 22nd',
      'exactly [0]',
    ]);
  });

  test('a place in a list that could be taken for another field stands as it was sent', () => {
    expect(spoken('context.who[0]', 'who[0]')).toEqual([
      'exactly context.who[0]',
      'exactly who[0]',
    ]);
    expect(spoken('a[0][0]', 'a[0].1st')).toEqual(['exactly a[0][0]', 'exactly a[0].1st']);
    expect(spoken('who["0"]', 'who[12345]', 'Who[0]')).toEqual([
      'exactly who["0"]',
      'exactly who[12345]',
      'exactly Who[0]',
    ]);
  });
});
