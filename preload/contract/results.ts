// What each operation of operations.ts answers with. Types only; the operation's name is the key.
import type {
  AgentDto,
  ApprovalDto,
  CapabilitiesDto,
  DeliveryDto,
  FeedItemDto,
  MutedTopicDto,
  HubDto,
  PeerDto,
  RegistrationDto,
  PostedDto,
  RouteDto,
  SendReportDto,
  TaskDto,
  TokenUseDto,
  UiSnapshot,
} from './dto.ts';
import type { A2aAgentDto, A2aCardDto } from './a2a.ts';
import type { AgentFileDto } from './agent-files.ts';
import type { OutsideText } from './formats.ts';
import type { RunnerDto } from './runners.ts';
import type { SessionDto, SettingsDto } from './settings-dto.ts';
import type { InvitationDto, PairingDto, PairingWindowDto } from './pairing-dto.ts';
import type { AttentionDto } from './attention.ts';
import type { AuditCheckDto, AuditRowDto, AuditState } from './audit.ts';
import type { RemoteApprovalDto } from './remote-approval.ts';
import type {
  ConversationDetailDto,
  ConversationDto,
  InspectionDto,
  SearchHitDto,
  OwnMessageDto,
} from './conversation-dto.ts';
import type { StoryDto } from './story.ts';
import type { RuleDto, RulePreviewDto, RuleTestDto } from './rules.ts';

/** One piece of a text that is too long for one answer. */
export interface TextPiece {
  readonly text: string;
  /** What to ask for next; null: this was the last piece. */
  readonly next: string | null;
}

export interface Items<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export interface OperationResults {
  /** `proof_here` covers the place that was asked, `proof` does not: it is for older clients. */
  'hub.proof': { readonly proof: string; readonly proof_here: string };
  'hub.whoami': {
    readonly hub: HubDto;
    readonly token: {
      readonly kind: 'agent' | 'ui' | 'owner';
      readonly agent: string | null;
      readonly scopes: readonly string[];
    };
  };
  'hub.status': {
    readonly hub: HubDto;
    readonly peers: { readonly paired: number; readonly online: number };
    /**
     * Hubs in whose place another key answers, and no person has said yet what to do: everything
     * stops for them.
     */
    readonly key_changes: readonly {
      readonly id: string;
      readonly name: string;
      readonly address: string;
      readonly seen_at: number;
    }[];
    readonly agents: { readonly registered: number; readonly online: number };
    /**
     * `pending`: all that are open; of these `held` until later, and `elsewhere` decided by adults'
     * hubs, for which nobody here is asked.
     */
    readonly approvals: {
      readonly pending: number;
      readonly held: number;
      readonly elsewhere: number;
    };
    readonly transport: {
      readonly connections: number;
      readonly restarts: number;
      /** Resident memory of the QUIC process; null while there is none. */
      readonly memory_bytes: number | null;
      /** Since the process started, by name "group.what"; names that end with ".now" are levels. */
      readonly counters: Readonly<Record<string, number>>;
    };
  };
  'hub.localStatus': OperationResults['hub.status'] & {
    readonly pairing_window: PairingWindowDto;
    /** What keeps requests from being asked about just now. */
    readonly attention: Pick<AttentionDto, 'paused' | 'quiet_now' | 'mutes'>;
  };
  'hub.examples': { readonly text: string };
  /** In the text format of Prometheus; over HTTP it is the body itself. */
  'metrics.read': { readonly text: string };
  'hub.snapshot': UiSnapshot;
  'hub.unlock': HubDto;
  'hub.confirmRestore': HubDto;
  'hub.confirmDate': HubDto;
  'hub.login': { readonly token: string; readonly expires_at: number };
  'hub.loginCode': { readonly url: string; readonly expires_at: number };
  'hub.setPassphrase': { readonly set: true };
  'sessions.list': Items<SessionDto>;
  'sessions.revoke': { readonly revoked: true };
  'settings.get': SettingsDto;
  'settings.update': SettingsDto;
  /**
   * Without a token: a pending request. `secret` is shown once and fetches the token after a person
   * confirmed.
   */
  'agents.register': {
    readonly registration: RegistrationDto;
    readonly secret: string;
    readonly poll: string;
  };
  'agents.registration': {
    readonly state: 'pending' | 'confirmed' | 'declined' | 'expired';
    readonly token: string | null;
    /** The handle of the agent that the token is for. */
    readonly agent: string | null;
  };
  'agents.confirm': AgentDto;
  'agents.declineRegistration': { readonly declined: true };
  'agents.rename': AgentDto;
  'agents.create': { readonly agent: AgentDto; readonly token: string };
  'agents.list': Items<AgentDto>;
  'agents.get': AgentDto;
  'agents.update': AgentDto;
  'agents.setPresence': { readonly presence: 'idle' | 'busy' };
  'agents.setClass': AgentDto;
  'agents.addArea': AgentDto;
  'agents.removeArea': AgentDto;
  /** `secret`: one that this hub made, shown once; null where it was given, or there is none. */
  'agents.setWebhook': { readonly agent: AgentDto; readonly secret: string | null };
  'agents.removeWebhook': AgentDto;
  'agents.issueToken': { readonly token: string };
  'agents.remove': { readonly removed: true };
  'a2a.look': A2aCardDto;
  'a2a.add': AgentDto;
  'a2a.list': Items<A2aAgentDto>;
  'a2a.confirm': A2aAgentDto;
  'runners.list': Items<RunnerDto>;
  'runners.set': RunnerDto;
  'runners.end': { readonly ended: true };
  'agent_files.list': Items<AgentFileDto>;
  'agent_files.confirm': AgentFileDto;
  'agent_files.remove': { readonly removed: true };
  'peers.list': Items<PeerDto>;
  'peers.get': PeerDto;
  'peers.capabilities': CapabilitiesDto;
  'peers.tokens': TokenUseDto;
  'peers.ping': {
    readonly round_trip_ms: number;
    readonly status: string;
    readonly uptime_secs: number | null;
    readonly active_tasks: number;
    readonly untrusted: { readonly agent_name: OutsideText | null };
  };
  'peers.add': PeerDto;
  'peers.update': PeerDto;
  'peers.keepKey': PeerDto;
  'peers.remove': { readonly removed: true };
  'pairings.list': { readonly window: PairingWindowDto; readonly items: readonly PairingDto[] };
  'pairings.window': PairingWindowDto;
  'pairings.start': PairingDto;
  'pairings.join': PairingDto;
  'invitations.list': Items<InvitationDto>;
  /** The link is given out this once. */
  'invitations.create': { readonly invitation: InvitationDto; readonly link: string };
  'invitations.revoke': { readonly revoked: true };
  'pairings.open': PairingDto;
  'pairings.digits': PairingDto;
  /** cancelled: false when it had ended already and was dismissed; the pairing as it ended. */
  'pairings.cancel': { readonly cancelled: boolean; readonly pairing: PairingDto };
  'send.query': SendReportDto;
  'send.delegate': SendReportDto;
  'send.notify': SendReportDto;
  'send.message': PostedDto;
  'send.route': RouteDto;
  'tasks.list': Items<TaskDto>;
  'tasks.get': TaskDto;
  'tasks.cancel': TaskDto;
  /** What a person here said. That nobody said anything is an error. */
  'send.permission': { readonly decision: 'allow' | 'decline'; readonly reason: string | null };
  /** `waiting`: how many more there are, which nobody has taken. */
  'inbox.claim': Items<DeliveryDto> & { readonly waiting: number };
  /** `items`: the ids of those that came last, or of the work that may be taken next. */
  'inbox.waiting': { readonly waiting: number; readonly items: readonly string[] };
  /** Whether the agent may be woken now; then it counts as woken. */
  'inbox.wake': { readonly wake: boolean };
  'inbox.ack': DeliveryDto;
  /** done: it is over. With `may_have_run` nobody knows whether it was done. */
  'inbox.nack': { readonly state: 'queued' | 'dead' | 'done' };
  'inbox.extend': { readonly lease_until: number | null };
  /** `sent_to`: the hub and its agent, as "Mum's PC/chat"; `sent_to_name`: as people read them. */
  /** `sent_to` null: whoever asked wanted no report. `story` null: of a question. */
  'inbox.reply': {
    readonly state: string;
    readonly sent_to: string | null;
    readonly sent_to_name?: string;
    readonly story: StoryDto | null;
  };
  'inbox.dead': Items<DeliveryDto>;
  'inbox.requeue': { readonly state: 'queued' };
  'approvals.list': Items<ApprovalDto>;
  'approvals.get': ApprovalDto;
  'approvals.decide': ApprovalDto;
  'approvals.keepOpen': ApprovalDto;
  'remote_approval.get': RemoteApprovalDto;
  'remote_approval.set': RemoteApprovalDto;
  'attention.get': AttentionDto;
  'attention.pause': AttentionDto;
  'attention.stop': AttentionDto;
  'attention.resume': AttentionDto;
  'attention.setQuietHours': AttentionDto;
  'attention.mute': AttentionDto;
  'attention.unmute': AttentionDto;
  'attention.hold': ApprovalDto;
  'attention.show': { readonly shown: number };
  'rules.list': Items<RuleDto>;
  'rules.get': RuleDto;
  'rules.create': RuleDto;
  'rules.preview': RulePreviewDto;
  'rules.update': RuleDto;
  /** What is removed can be restored for a while. */
  'rules.remove': RuleDto;
  'rules.restore': RuleDto;
  'rules.test': RuleTestDto;
  'conversations.list': Items<ConversationDto>;
  'conversations.get': ConversationDetailDto;
  'conversations.export': TextPiece;
  'conversations.inspect': InspectionDto;
  'conversations.remove': { readonly removed: true };
  'history.messages': Items<OwnMessageDto> & { readonly dialect: string };
  'history.search': Items<SearchHitDto>;
  'feed.list': Items<FeedItemDto>;
  'feed.markRead': { readonly unread: number };
  'feed.mute': Items<MutedTopicDto>;
  'feed.unmute': Items<MutedTopicDto>;
  'audit.list': Items<AuditRowDto>;
  'audit.verify': AuditCheckDto;
  'audit.verification': AuditCheckDto;
  'audit.cancelVerification': AuditCheckDto;
  'audit.export': TextPiece;
  'audit.acknowledge': { readonly state: AuditState };
}
