// The two ends of remote approval as pages hold them: the card at an adult's hub, the card that
// waits at a child's, and the setting of a child's hub.
import type {
  RemoteQuestionDto,
  RemoteApprovalDto,
} from '../../preload/contract/remote-approval.ts';
import type { UiSnapshot } from '../../preload/contract/dto.ts';
import { approvalOf, DAD, MUM, peerOf } from './household.ts';

const LEO = peerOf('leo tablet', { name: 'Leo’s tablet', person: 'Leo', platform: 'linux' });

export const QUESTION: RemoteQuestionDto = {
  asker: 'Ben’s phone',
  digest: `${'c0ffee'.repeat(10)}beef`,
  message_id: '5a1d7c1e-94b0-4d5c-8a0e-2f6b7c8d9e01',
  by_person: false,
};

/** At Mum's: Leo's tablet asks whether its robot may do what a friend's hub asked it for. */
export const ASKED = approvalOf('robot', {
  peer_id: LEO.id,
  peer_name: 'Leo’s tablet',
  person: 'Leo',
  from_agent: 'game-helper',
  to_agent: 'Home robot',
  domain: 'home.doors',
  risk_class: 'R2',
  text: 'Open the back door at 21:30 and leave it open for ten minutes, so that Ben can come in.',
  fields: [['context.code', 'moon[U+200B]light']],
  reason: 'Leo said it is fine with everybody.',
  wider: [],
  remote_question: QUESTION,
});

export const ASKED_DANGEROUS = approvalOf('robot', {
  ...ASKED,
  risk_class: 'R3',
  remote_question: { ...QUESTION, asker: null },
});

/** At Leo's: it waits for Mum or Dad. */
export const WAITING = approvalOf('robot waits', {
  peer_id: DAD.id,
  peer_name: 'Ben’s phone',
  person: 'Ben',
  from_agent: 'game-helper',
  to_agent: 'Home robot',
  domain: 'home.doors',
  risk_class: 'R3',
  text: ASKED.text,
  wider: [],
  decided_by_hubs: [
    { id: MUM.agent_id ?? '', name: 'Mum’s PC', person: 'Mum', state: 'asked' },
    { id: DAD.id, name: 'Dad’s laptop', person: 'Dad', state: 'away' },
  ],
});

export const WAITING_FOR_NOBODY = { ...WAITING, decided_by_hubs: [] };

/** Dad's hub decides, the greenhouse is too old to be asked. */
export const DAD_DECIDES: RemoteApprovalDto = {
  from: 'R2',
  hubs: [
    { id: DAD.id, name: 'Dad’s laptop', person: 'Dad', decides: true, can: true },
    {
      id: LEO.id,
      name: 'Grandma Margarethe’s all-in-one kitchen computer by the window',
      person: null,
      decides: false,
      can: true,
    },
    { id: MUM.agent_id ?? '', name: 'Greenhouse', person: null, decides: false, can: false },
  ],
};

/** The people there decide, with every paired hub of an adult to choose from. */
export function nobodyElse({ peers }: Pick<UiSnapshot, 'peers'>): RemoteApprovalDto {
  const adults = peers.filter(({ trust, role }) => trust === 'paired' && role === 'adult');
  return {
    from: null,
    hubs: adults.map(({ id, name, person }) => ({ id, name, person, decides: false, can: true })),
  };
}
