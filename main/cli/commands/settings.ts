// settings: what a person may change while the hub runs, at a terminal. For the person in charge
// only.
import * as v from 'valibot';
import type { OperationInput } from '../../../preload/contract/operations.ts';
import {
  SETTINGS,
  SETTING_KEYS,
  settingName,
  valueOfText,
} from '../../../preload/contract/settings.ts';
import type { SettingKey, Settings } from '../../../preload/contract/settings.ts';
import type { SettingsDto } from '../../../preload/contract/settings-dto.ts';
import { ENGLISH } from '../../../preload/contract/strings/english.ts';
import type { AxonCommand } from '../axon-command.ts';
import { refusal } from '../refusal.ts';
import { table } from '../terminal.ts';

const { settings: text } = ENGLISH;

export function addSettingsCommand(program: AxonCommand): void {
  program
    .command('settings')
    .description('show the settings of this hub or one of them, or change one: it applies at once')
    .argument('[setting]', SETTING_KEYS.map(settingName).join(', '))
    .argument('[value]', 'what it is to be; "" removes the person')
    .does(async ({ terminal, session, command: typed }, name?: string, words?: string) => {
      // A wrong value is told before the passphrase is asked for.
      const key = name === undefined ? null : keyOf(name);
      const change = key === null || words === undefined ? null : changeOf(key, words);
      const owner = await session.asOwner();
      const settings =
        change === null
          ? await owner.call('settings.get', {})
          : await owner.call('settings.update', change);
      if (key === null) terminal.result(settings, () => listed(settings));
      else
        terminal.result(settings, () => [
          ...one(settings, key),
          change === null ? howToChange(key, typed) : saved(settings, key),
        ]);
    });
}

/** Throws `bad_request` that names what there is. */
function keyOf(name: string): SettingKey {
  const key = SETTING_KEYS.find((key) => settingName(key) === name);
  if (key !== undefined) return key;
  throw refusal(
    'bad_request',
    `There is no setting "${name}".`,
    `The settings are ${SETTING_KEYS.map(settingName).join(', ')}.`,
  );
}

/** Throws `bad_request` in the words that a flag gets. */
function changeOf(key: SettingKey, words: string): OperationInput<'settings.update'> {
  const { schema } = SETTINGS[key];
  const parsed = v.safeParse<v.GenericSchema>(schema, valueOfText(schema, words));
  if (parsed.success) return { [key]: parsed.output };
  throw refusal(
    'bad_request',
    `The setting ${settingName(key)} is wrong: ${parsed.issues[0].message}.`,
  );
}

function listed(settings: SettingsDto): readonly string[] {
  const rows = SETTING_KEYS.map((key) => [
    settingName(key),
    inWords(settings[key]),
    fixedWords(settings, key),
  ]);
  return table([['SETTING', 'VALUE', 'FIXED BY'], ...rows]);
}

function fixedWords({ fixed_at_start: fixed }: SettingsDto, key: SettingKey): string | null {
  return fixed[key] ?? null;
}

function one(settings: SettingsDto, key: SettingKey): readonly string[] {
  const by = fixedWords(settings, key);
  const { title, detail } = text.each[key];
  return [
    `${settingName(key)}  ${inWords(settings[key]) ?? '-'}`,
    `${title}. ${detail}`,
    ...(by === null ? [] : [text.fixed(by)]),
  ];
}

function howToChange(key: SettingKey, typed: string): string {
  return `To change it: ${typed} settings ${settingName(key)} <${SETTINGS[key].value}>`;
}

function saved(settings: SettingsDto, key: SettingKey): string {
  return fixedWords(settings, key) === null
    ? text.saved
    : 'Your change is saved. It applies from then on.';
}

function inWords(value: Settings[SettingKey]): string | null {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value === null ? null : String(value);
}
