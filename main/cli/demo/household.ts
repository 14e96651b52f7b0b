// Who lives in the demo: three hubs, their agents, what each agent knows, and what they ask of each
// other. Data only.
import type { DemoHubPlan } from './demo-hub.ts';
import type { Script } from './scripted-agent.ts';

export const MUM: DemoHubPlan = {
  folder: 'mum',
  name: 'Mum’s PC',
  person: 'Mum',
  agents: [
    {
      name: 'claude-code',
      displayName: 'Claude Code',
      riskClass: 'R2',
      domains: [
        { domain: 'family.chat', riskClass: 'R2', example: 'Tell everyone that dinner is at 7.' },
        { domain: 'family.calendar', riskClass: 'R0', example: 'What is on this week?' },
        { domain: 'code', riskClass: 'R3', example: 'Rename the photos of May by their date.' },
      ],
    },
    {
      name: 'lists',
      displayName: 'Household lists',
      riskClass: 'R1',
      domains: [{ domain: 'shopping.list', riskClass: 'R1', example: 'Add two litres of milk.' }],
    },
  ],
};

export const DAD: DemoHubPlan = {
  folder: 'dad',
  name: 'Dad’s laptop',
  person: 'Dad',
  agents: [
    {
      name: 'openclaw',
      displayName: 'OpenClaw',
      riskClass: 'R2',
      domains: [
        { domain: 'travel', riskClass: 'R0', example: 'When does the next train to Basel leave?' },
        { domain: 'letters', riskClass: 'R2', example: 'Write to the school that Leo is ill.' },
      ],
    },
  ],
};

export const LEO: DemoHubPlan = {
  folder: 'leo',
  name: 'Leo’s tablet',
  person: 'Leo',
  agents: [
    {
      name: 'homework',
      displayName: 'Homework helper',
      riskClass: 'R1',
      domains: [
        { domain: 'school', riskClass: 'R0', example: 'What is the homework for tomorrow?' },
      ],
    },
  ],
};

export const HOUSEHOLD = [MUM, DAD, LEO] as const;

export const SCRIPTS: Readonly<Record<string, Script>> = {
  'claude-code': [
    ['swimming', 'Swimming is on Monday and Wednesday from 4 to 5.'],
    [
      'calendar',
      'Three things this week: swimming on Monday and Wednesday, the dentist on Thursday at 9.',
    ],
    ['dinner', 'Sent to the family chat. Two thumbs up so far.'],
    ['deploy', 'Merged price-list into main and deployed the shop website.'],
  ],
  lists: [['', 'Added to the shopping list.']],
  openclaw: [
    ['train', 'The 09:12 is direct and arrives at 11:48.'],
    ['letter', 'Wrote the letter and put it into the outbox for you to sign.'],
  ],
  homework: [['', 'Chapter 4, exercises 1 to 6, until Friday.']],
};
