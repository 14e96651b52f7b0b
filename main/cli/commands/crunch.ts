// crunch: the message log of claude-crunch, for an agent that speaks it, by its own token.
import type { OwnMessageDto } from '../../../preload/contract/conversation-dto.ts';
import type { OperationResult } from '../../../preload/contract/operations.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { AxonCommand } from '../axon-command.ts';
import { crunchCheckpoint, crunchKnowledge, crunchLog, saidIn } from '../crunch-log.ts';
import type { HubClient } from '../hub-client.ts';
import { wholeNumber } from '../option-values.ts';
import { refusal } from '../refusal.ts';
import { yamlLines } from '../yaml.ts';

const LANGUAGE = 'claude-crunch';
const PAGE = 100;

interface Options {
  readonly issue?: number | null;
  readonly checkpoint?: true;
  readonly knowledge?: true;
}

export function addCrunchCommand(program: AxonCommand): void {
  const crunch = program
    .command('crunch')
    .description('what an agent of claude-crunch keeps of its work');
  crunch
    .command('log')
    .description('its message log as YAML: what it sent and was given, and how that stands')
    .option('--issue <number>', 'only what is about this issue', wholeNumber)
    .option('--checkpoint', 'what it waits for, whole, to be sent anew')
    .option('--knowledge', 'findings of confidence 80 and more, decisions, and figures by agent')
    .does(async ({ terminal, session }, { issue = null, checkpoint, knowledge }: Options) => {
      if (checkpoint === true && knowledge === true)
        throw refusal('bad_request', 'Ask for --checkpoint or for --knowledge, one at a time.');
      const said = saidIn(await allOf(await session.asAgent()), issue);
      const made =
        checkpoint === true ? crunchCheckpoint : knowledge === true ? crunchKnowledge : crunchLog;
      const log: JsonObject = made(said, issue);
      terminal.result(log, () => yamlLines(log));
    });
}

async function allOf(client: HubClient): Promise<readonly OwnMessageDto[]> {
  const items: OwnMessageDto[] = [];
  let cursor: string | null = null;
  do {
    const page: OperationResult<'history.messages'> = await client.call('history.messages', {
      limit: PAGE,
      ...(cursor === null ? {} : { cursor }),
    });
    if (page.dialect !== LANGUAGE)
      throw refusal('conflict', `This agent speaks ${page.dialect}, not ${LANGUAGE}.`);
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  return items;
}
