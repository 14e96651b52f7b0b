// An agent as a file of a person's: what it is called, does and may use stands between two lines of
// "---", and its prompt below. A closed list of keys, each read strictly: what is not understood is
// refused with its line. How much harm it could do is no key, so that no file says it. Pure.
import { AGENT_NAME, DOMAIN_NAME } from '../../preload/contract/formats.ts';
import { AGENT_AREAS_MAX, AGENT_NAME_MAX } from '../../preload/contract/limits.ts';
import { LINE_END } from './decode-text.ts';
import { isModelEndpoint, modelEndpoint, type ModelEndpoint } from './model-endpoint.ts';
import { err, ok, type Result } from './result.ts';

export interface AgentFile {
  readonly name: string;
  readonly capabilities: readonly string[];
  readonly areas: readonly string[];
  readonly model: string;
  readonly endpoint: ModelEndpoint;
  /** Tokens a day. */
  readonly budget: number;
  readonly timeoutMs: number;
  /** In which it answers, as "en"; null: it is not told. */
  readonly language: string | null;
  readonly prompt: string;
}

/** A longer file is no prompt; what asks for an answer must fit beside it. */
export const AGENT_FILE_MAX_BYTES = 65_536;

const MARK = '---';
const WORDS_MAX = 64;
const WORD_MAX_CHARACTERS = 128;
const BUDGET_USUAL = 100_000;
const BUDGET_MAX = 1_000_000_000;
const TIMEOUT_USUAL_SECONDS = 120;
const TIMEOUT_MAX_SECONDS = 3_600;
const LANGUAGE = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/;

/** What one key holds, and where it stands. */
interface Entry {
  readonly key: string;
  readonly line: number;
  readonly values: readonly { readonly word: string; readonly line: number }[];
  readonly isList: boolean;
}

/** The error is a sentence with its line. */
type Read<T> = (entry: Entry) => Result<T, string>;

const READERS = {
  name: one(agentName),
  capabilities: list('capabilities', (word) =>
    word.length <= WORD_MAX_CHARACTERS ? null : `has more than ${WORD_MAX_CHARACTERS} characters`,
  ),
  areas: list('areas', (word) =>
    DOMAIN_NAME.test(word) && word.length <= 64
      ? null
      : 'is no area: up to six lower-case words with dots between, like family.chat',
  ),
  model: one((word) =>
    word.length <= WORD_MAX_CHARACTERS
      ? ok(word)
      : err(`The model has more than ${WORD_MAX_CHARACTERS} characters.`),
  ),
  endpoint: one((word) => {
    const endpoint = modelEndpoint(word);
    return isModelEndpoint(endpoint) ? ok(endpoint) : err(endpoint);
  }),
  budget: one((word) => whole(word, 'The budget is tokens a day', BUDGET_MAX)),
  timeout: one((word) => whole(word, 'The timeout is seconds', TIMEOUT_MAX_SECONDS)),
  language: one((word) =>
    LANGUAGE.test(word) ? ok(word) : err('The language is its short name, such as en or de-AT.'),
  ),
} satisfies Record<string, Read<unknown>>;

type Key = keyof typeof READERS;
const KEYS = Object.keys(READERS);
const isKey = (key: string): key is Key => KEYS.includes(key);

/** The error is a sentence with its line. */
export function readAgentFile(text: string): Result<AgentFile, string> {
  const lines = text.split(LINE_END);
  if (lines[0]?.trimEnd() !== MARK) return at(1, `The file must begin with a line "${MARK}".`);
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === MARK);
  if (end < 0) return at(lines.length, `No line "${MARK}" ends what stands before the prompt.`);
  const prompt = lines
    .slice(end + 1)
    .join('\n')
    .trim();
  if (prompt === '') return at(end + 1, 'No prompt stands below this line.');
  const entries = readEntries(lines.slice(1, end));
  if (!entries.ok) return entries;
  const read = valuesOf(entries.value);
  if (!read.ok) return read;
  const { name, model, endpoint } = read.value;
  const missing = Object.entries({ name, model, endpoint }).find(
    ([, value]) => value === undefined,
  );
  if (name === undefined || model === undefined || endpoint === undefined)
    return at(end + 1, `No "${missing?.[0]}" stands above this line.`);
  const { capabilities = [], areas = [], language = null, budget, timeout } = read.value;
  return ok({
    name,
    capabilities,
    areas,
    model,
    endpoint,
    budget: budget ?? BUDGET_USUAL,
    timeoutMs: (timeout ?? TIMEOUT_USUAL_SECONDS) * 1_000,
    language,
    prompt,
  });
}

type Values = {
  -readonly [K in Key]?: ReturnType<(typeof READERS)[K]> extends Result<infer T, string>
    ? T
    : never;
};

function valuesOf(entries: readonly Entry[]): Result<Values, string> {
  const values: Record<string, unknown> = {};
  for (const entry of entries) {
    const { key, line } = entry;
    if (!isKey(key))
      return at(line, `"${key}" is no key of such a file. Its keys: ${KEYS.join(', ')}.`);
    if (Object.hasOwn(values, key)) return at(line, `"${key}" stands here a second time.`);
    const read: Result<unknown, string> = READERS[key](entry);
    if (!read.ok) return read;
    values[key] = read.value;
  }
  return ok(values);
}

/** The subset of YAML that such a file needs: a word, or a list of words, behind each key. */
function readEntries(lines: readonly string[]): Result<readonly Entry[], string> {
  const entries: Entry[] = [];
  for (const [index, written] of lines.entries()) {
    // The first line of the file is the mark.
    const line = index + 2;
    if (/^\s*(?:#|$)/.test(written)) continue;
    const [, item] = /^\s*-(?:\s+(.*))?$/.exec(written) ?? [];
    const last = entries.at(-1);
    if (/^\s*-(?:\s|$)/.test(written)) {
      const word = scalar(item ?? '');
      if (!word.ok) return at(line, word.error);
      if (last === undefined || (!last.isList && last.values.length > 0) || word.value === '')
        return at(line, 'This entry belongs to no list, or holds nothing.');
      const values = [...last.values, { word: word.value, line }];
      entries[entries.length - 1] = { ...last, isList: true, values };
      continue;
    }
    const [, key, rest] = /^([A-Za-z_][\w-]*):(?:\s+(.*))?$/.exec(written) ?? [];
    if (key === undefined) return at(line, 'This is neither "key: value" nor "- entry".');
    const inline = /^\[(.*)\]\s*(?:#.*)?$/.exec(rest ?? '')?.[1];
    const words = (inline?.trim() === '' ? [] : (inline?.split(',') ?? [rest ?? ''])).map(scalar);
    const flaw = words.find((word) => !word.ok);
    if (flaw?.ok === false) return at(line, flaw.error);
    const values = words.flatMap((word) => (word.ok ? word.value : []));
    if (inline !== undefined && values.includes(''))
      return at(line, 'An entry of this list holds nothing.');
    entries.push({
      key,
      line,
      isList: inline !== undefined,
      values: values.filter(Boolean).map((word) => ({ word, line })),
    });
  }
  return ok(entries);
}

/** A word in quotes or without; what stands behind " #" is a remark. */
function scalar(written: string): Result<string, string> {
  const text = written.trim();
  const [, double, single] = /^(?:"([^"\\]*)"|'([^']*)')\s*(?:#.*)?$/.exec(text) ?? [];
  const quoted = double ?? single;
  if (quoted !== undefined) return ok(quoted.trim());
  if (/^["'[{&*!|>%@`]/.test(text))
    return err('Its value must be a word or words on this line, in plain quotes or without.');
  return ok(text.replace(/(?:^|\s)#.*$/, '').trim());
}

function one<T>(read: (word: string) => Result<T, string>): Read<T> {
  return ({ key, line, values, isList }) => {
    const [only] = values;
    if (only === undefined || isList) return at(line, `"${key}" must hold one value, on its line.`);
    const value = read(only.word);
    return value.ok ? value : at(line, value.error);
  };
}

/** @param flaw what is wrong with an entry; null: nothing */
function list(what: string, flaw: (word: string) => string | null): Read<readonly string[]> {
  const max = what === 'areas' ? AGENT_AREAS_MAX : WORDS_MAX;
  return ({ line, values }) => {
    if (values.length > max) return at(line, `There are more than ${max} ${what}.`);
    for (const { word, line } of values) {
      const why = flaw(word);
      if (why !== null) return at(line, `"${word}" ${why}.`);
    }
    return ok([...new Set(values.map(({ word }) => word))]);
  };
}

function agentName(word: string): Result<string, string> {
  if (AGENT_NAME.test(word) && word.length <= AGENT_NAME_MAX) return ok(word);
  const fitting = word
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const hint = AGENT_NAME.test(fitting) ? ` This would do: ${fitting}` : '';
  return err(`A name is lower-case letters, digits, ".", "_" and "-"; "${word}" is not.${hint}`);
}

function whole(word: string, what: string, max: number): Result<number, string> {
  const value = /^[0-9]{1,10}$/.test(word) ? Number(word) : 0;
  if (value >= 1 && value <= max) return ok(value);
  return err(`${what}: a whole number from 1 to ${max}; "${word}" is not.`);
}

function at(line: number, sentence: string): { readonly ok: false; readonly error: string } {
  return { ok: false, error: `Line ${line}: ${sentence}` };
}
