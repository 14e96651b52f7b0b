import { expect, test } from 'vitest';
import { readLicenceNotes } from '../../../renderer/features/settings/licence-notes.ts';

test('each package has its heading and its paragraphs, with line ends of any system', () => {
  const file =
    '# Licenses\r\n\r\nThe app bundles:\r\n\r\n## a - 1.0.0 (MIT)\r\n\r\nOne\r\nline.\r\n\r\nTwo.\r\n\r\n## b - 2.0.0 (ISC)\r\n';
  expect(readLicenceNotes(file)).toEqual([
    { title: 'a - 1.0.0 (MIT)', paragraphs: ['One\r\nline.', 'Two.'] },
    { title: 'b - 2.0.0 (ISC)', paragraphs: [] },
  ]);
});

test('a text without such headings holds none', () => {
  expect(readLicenceNotes('<!doctype html><title>AXON Hub</title>')).toEqual([]);
});
