// What a command or a tool says it did, in a sentence before its data: of what was sent, how it
// stands; of a notice, which agents get it; of a reply, who gets it. English.
import type { SendReportDto } from '../dto.ts';
import type { OperationResult } from '../operations.ts';
import { headlineOf } from './story.ts';

type Recipients = NonNullable<SendReportDto['recipients']>;

const receipts = {
  agentsHere: (agents: readonly string[]) => `These agents here get it: ${agents.join(', ')}.`,
  noneHere: 'No agent here gets it.',
  noneSubscribed: (topic: string) =>
    `No agent here gets it: none is subscribed to ${topic}, or its inbox is full. The people here see it.`,
  notThere: (agent: string) => `No agent gets it: ${agent} is not there, or its inbox is full.`,
  sentTo: (hub: string, topic: string) =>
    `Sent to ${hub}. Its people see it there. Which agents get it, only ${hub} knows: those subscribed to ${topic}.`,
  sentToAgent: (hub: string, agent: string) =>
    `Sent to ${hub} for its agent ${agent}. Whether that one gets it, only ${hub} knows.`,
  onlyThose: (topic: string) =>
    `Which agents there get it, only those hubs know: those subscribed to ${topic}.`,
  noHub: 'No hub is paired.',
  went: {
    sent: (hubs: string) => `Sent to ${hubs}.`,
    offline: (hubs: string) => `Not connected, so not sent: ${hubs}.`,
    blocked: (hubs: string) => `Suspended here or there, so not sent: ${hubs}.`,
  },
  answerGoes: (asker: string) => `The answer goes to ${asker}.`,
  noReport: 'No report was wanted, so nobody is told.',
} as const;

/** Of a question or a task: how it stands. Of a notice: which agents get it, or that none does. */
export function sentOf(report: SendReportDto, topic = ''): readonly string[] {
  return report.story === null ? noticeOf(report, topic) : [headlineOf(report.story)];
}

/** Which agents get it is known of this hub alone. */
function noticeOf(report: SendReportDto, topic: string): readonly string[] {
  const { chosen, agents, recipients } = report;
  const names = report.agent_names ?? agents;
  if (recipients !== undefined) return [...toHubsOf(recipients, topic), hereOf(names)];
  if (names !== undefined && names.length > 0) return [hereOf(names)];
  const { peer_name: hub, agent_name: agent } = chosen;
  if (agents === undefined)
    return [agent === null ? receipts.sentTo(hub, topic) : receipts.sentToAgent(hub, agent)];
  return [agent === null ? receipts.noneSubscribed(topic) : receipts.notThere(agent)];
}

function hereOf(agents: readonly string[] = []): string {
  return agents.length === 0 ? receipts.noneHere : receipts.agentsHere(agents);
}

function toHubsOf(recipients: Recipients, topic: string): readonly string[] {
  if (recipients.length === 0) return [receipts.noHub];
  const went = (['sent', 'offline', 'blocked'] as const).flatMap((state) => {
    const names = recipients.filter((one) => one.state === state).map((one) => one.peer_name);
    return names.length === 0 ? [] : [receipts.went[state](names.join(', '))];
  });
  const isSent = recipients.some(({ state }) => state === 'sent');
  return [...went, ...(isSent ? [receipts.onlyThose(topic)] : [])];
}

/** What a reply made of the work, and who gets it. */
export function repliedOf(report: OperationResult<'inbox.reply'>): string {
  const { story, sent_to: asker, sent_to_name: name } = report;
  const goes = asker === null ? receipts.noReport : receipts.answerGoes(name ?? asker);
  return story === null ? goes : `${headlineOf(story)} ${goes}`;
}
