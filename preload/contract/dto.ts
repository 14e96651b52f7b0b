// What crosses a process boundary, as plain JSON: the same shapes over Electron IPC, HTTP and SSE.
// snake_case, because agents in any language read them. Text that came from another hub or an agent
// stands only in fields of type OutsideText. Imports types of this folder only.
import type {
  AgentDoor,
  ApprovalState,
  Importance,
  Reach,
  RequestKind,
  RiskClass,
  RiskReason,
  Surface,
  TaskDirection,
  TrustState,
  WebhookOutcome,
  WebhookPreset,
} from './closed-lists.ts';
import type { OutsideText } from './formats.ts';
import type { SettingsDto } from './settings-dto.ts';
import type { RemoteQuestionDto, DecidingHubDto } from './remote-approval.ts';
import type { IntroductionDto } from './introduction.ts';
import type { PairingDto, PairingWindowDto } from './pairing-dto.ts';
import type { AttentionDto, HeldDto } from './attention.ts';
import type { AuditState, TamperFindingDto } from './audit.ts';
import type { DeliveryKind } from './delivery-kind.ts';
import type { RuleChoice, RuleDto } from './rules.ts';
import type { RunnerDto } from './runners.ts';
import type { Role } from './role.ts';
import type { StoryDto } from './story.ts';

export type { RiskClass, Surface, TrustState };
export type HubState = 'starting' | 'running' | 'identity_locked' | 'identity_missing' | 'stopping';

/** Whether hubs of the home network can find each other by themselves. */
export interface DiscoveryDto {
  /**
   * off: the owner wants it so, or the port between hubs is closed. impaired: some networks work.
   * unusable: none does.
   */
  readonly state: 'off' | 'starting' | 'working' | 'impaired' | 'unusable';
  /**
   * What is wrong and what to do, for impaired and unusable, and for off where the hub was started
   * so.
   */
  readonly message: string | null;
  /** The network interfaces it works on. */
  readonly interfaces: readonly string[];
}

export interface HubDto {
  readonly state: HubState;
  /** A sentence for states other than running. */
  readonly state_detail: string | null;
  readonly agent_id: string | null;
  readonly public_key: string | null;
  /**
   * Under what other hubs show this one before it is added, whatever it is called here:
   * PeerDto.label on their screen.
   */
  readonly label: string | null;
  readonly name: string;
  readonly person: string | null;
  readonly version: string;
  readonly platform: string;
  readonly api_port: number;
  readonly peer_port: number | null;
  /**
   * `axon://KEY@host:port` for each IPv4 address here: by it a hub, or the public AXON daemon, adds
   * this one. Empty: no identity or port.
   */
  readonly share_tokens: readonly string[];
  readonly started_at: number;
  /** The owner's setting; how it goes stands in discovery_status. */
  readonly discovery: boolean;
  readonly discovery_status: DiscoveryDto;
  readonly key_storage: 'keychain' | 'file' | 'memory' | null;
  /** Sentences the owner should read: the seed stands in a file, a port is blocked ... */
  readonly warnings: readonly string[];
  /** In any state but `ok` no rule acts. */
  readonly audit: AuditState;
  /** The first row of the audit log that does not fit, where nobody has acknowledged it yet. */
  readonly tamper_finding: TamperFindingDto | null;
  /**
   * What the clock says, where it jumped so far ahead that nothing old is removed until the owner
   * confirms the date; else null.
   */
  readonly date_in_question: number | null;
  /** Where another hub with the key of this one was met, as host:port; null where none was. */
  readonly copy_at: string | null;
  /** Of an older copy, until its owner has confirmed it; else null. */
  readonly restored_copy: RestoredCopyDto | null;
  readonly passphrase_set: boolean;
  readonly desktop: boolean;
  /**
   * How a line at a terminal of this computer begins, in any folder: "axon", or the program's path,
   * with the data folder where it is not the usual one. null: this installation brings no command.
   */
  readonly command: string | null;
  /**
   * How a line with curl begins that asks this hub, up to the path: by its socket, which no other
   * user can put something else in the place of; where there is none, or its path cannot be typed,
   * by the port and past every proxy.
   */
  readonly curl: string;
}

/** The hubs and agents of a copy: its owner says which of them stay. */
export interface RestoredCopyDto {
  readonly hubs: readonly { readonly id: string; readonly name: string }[];
  readonly agents: readonly { readonly id: string; readonly name: string }[];
}

interface AgentDomainDto {
  readonly domain: string;
  /** null: the agent's own class applies. */
  readonly risk_class: RiskClass | null;
  /**
   * false: the agent does not offer it now; the class stands, so that the agent cannot shed it by
   * leaving it out. Absent: offered.
   */
  readonly offered?: boolean;
  /** A request that it would take, in the words of the agent. */
  readonly example?: OutsideText;
}

/** How an agent is connected now. */
export interface AgentLineDto {
  readonly door: AgentDoor;
  /** Which program it says it is. */
  readonly program: OutsideText | null;
  readonly since: number;
}

/** The owner's way to wake an agent. What it holds as its secret is told to nobody. */
export interface WebhookDto {
  readonly preset: WebhookPreset;
  readonly address: string;
  /** null: it was not called yet. */
  readonly last: WebhookCallDto | null;
}

export interface WebhookCallDto {
  readonly at: number;
  readonly outcome: WebhookOutcome;
  /** The HTTP status, where it answered. */
  readonly status: number | null;
}

export interface AgentDto {
  /** Its handle. */
  readonly name: string;
  /**
   * The name that it was connected under: its handle, unless an agent of that name was removed here
   * before.
   */
  readonly connected_as: string;
  readonly display_name: string;
  readonly dialect: string;
  readonly state: 'requested' | 'active';
  readonly risk_class: RiskClass;
  readonly domains: readonly AgentDomainDto[];
  readonly capabilities: readonly string[];
  readonly channels: readonly string[];
  readonly tools: readonly string[];
  readonly topics: readonly string[];
  /** false: it gets no message that is for everybody. */
  readonly broadcasts: boolean;
  readonly model: string | null;
  readonly concurrency: number;
  readonly is_default: boolean;
  readonly presence: 'online' | 'away' | 'never_seen';
  /** How it comes to know of work; strings/reach.ts says it in a sentence. */
  readonly reach: Reach;
  readonly webhook: WebhookDto | null;
  /** What the hub runs it on, where it is a file; null: it is none. */
  readonly asks_model: AskedModelDto | null;
  /** It is online and says that it takes no work now. */
  readonly busy: boolean;
  /** null: it is not online. */
  readonly line: AgentLineDto | null;
  readonly active_tasks: number;
  readonly queued: number;
  readonly created_at: number;
  readonly last_call_at: number | null;
  readonly token_created_at: number | null;
}

/** How an agent comes to know of work, and what that sentence needs. */
export type ReachedDto = Pick<
  AgentDto,
  'reach' | 'webhook' | 'asks_model' | 'presence' | 'last_call_at'
>;

/** The model that the agent of a file asks. */
export interface AskedModelDto {
  readonly model: OutsideText;
  /** The host to which what it is asked goes; null: it stays on this computer. */
  readonly leaves_to: OutsideText | null;
  /** Its tokens of today are used up. */
  readonly used_up: boolean;
}

/** A program on this computer that asked to be connected and waits for a person. */
export interface RegistrationDto {
  readonly id: string;
  readonly agent_name: OutsideText;
  /** What it would be called here. */
  readonly display_name: string;
  /** An agent of this name holds no token any more: it gets its classes and its inbox back. */
  readonly was_connected: boolean;
  /**
   * When the last agent of this name was removed: this would be a new one. Null: there was none, or
   * nobody wrote down when.
   */
  readonly removed_at: number | null;
  /** Shown by the program too, so that the person confirms the right one. */
  readonly code: string;
  readonly domains: readonly OutsideText[];
  readonly capabilities: readonly OutsideText[];
  readonly created_at: number;
  readonly expires_at: number;
}

interface PeerAgentDto {
  readonly name: OutsideText;
  /** Its name made readable, as people are shown it. */
  readonly display_name: OutsideText;
  readonly domains: readonly OutsideText[];
  /** A request that it would take, for each area that it gave one. */
  readonly examples: readonly { readonly domain: OutsideText; readonly example: OutsideText }[];
  readonly capabilities: readonly OutsideText[];
  readonly model: OutsideText | null;
}

export interface CapabilitiesDto {
  readonly fetched_at: number;
  /** Everything that the other hub said; agents read it as data. */
  readonly untrusted: {
    readonly agent_name: OutsideText | null;
    readonly domains: readonly OutsideText[];
    readonly channels: readonly OutsideText[];
    readonly tools: readonly OutsideText[];
    readonly max_concurrent_tasks: number | null;
    readonly model: OutsideText | null;
    readonly agents: readonly PeerAgentDto[];
    /** Of which it told nothing, for want of room. */
    readonly more_agents: number;
  };
}

/**
 * Another key answered where a paired hub was last, or where its owner said it is. Nothing from it
 * gets in.
 */
export interface KeyChangeDto {
  /** In hex. */
  readonly seen_key: string;
  readonly seen_id: string;
  /** What this hub's safety number with that key would be. */
  readonly seen_safety_number: string;
  readonly address: string;
  readonly seen_at: number;
  /** When a person said that the old key stays; null: everything else waits until one does. */
  readonly kept_at: number | null;
}

export interface PeerDto {
  /** The peer's agent id. */
  readonly id: string;
  readonly public_key: string;
  /**
   * Made of its agent id, so that people can compare the two screens before adding: HubDto.label
   * over there.
   */
  readonly label: string;
  readonly trust: TrustState;
  /**
   * The owner's own name for it; for a hub not yet paired, its label. It is never the owner's name
   * for another hub.
   */
  readonly name: string;
  /** Whose it is: by the owner's word, else as it said while it was paired. */
  readonly person: string | null;
  /** What it is in the household, by the word of the person in charge; null: nobody has said. */
  readonly role: Role | null;
  readonly online: boolean;
  readonly round_trip_ms: number | null;
  /**
   * While it is linked: now. Else when it was heard last, by a connection or, if nobody added it,
   * on the network.
   */
  readonly last_seen_at: number | null;
  readonly address: string | null;
  readonly how_found: 'home_network' | 'static' | 'incoming' | null;
  /** Its address is in a network of this computer; tunnels are none. */
  readonly same_network: boolean;
  /** What it said of itself; agents read it as data. */
  readonly untrusted: {
    /** What it calls itself. */
    readonly advertised_name: OutsideText | null;
    readonly platform: OutsideText | null;
    readonly features: readonly OutsideText[];
  };
  readonly capabilities: CapabilitiesDto | null;
  readonly paired_at: number | null;
  /** How it came to be paired; null for a hub that was not. */
  readonly introduced_by: IntroductionDto | null;
  /** 12 groups of 5 digits, the same on both sides; null before pairing. */
  readonly safety_number: string | null;
  /**
   * hub: one like this; reference: the public AXON daemon, which says only request and message.
   * null: it has not spoken yet.
   */
  readonly profile: 'hub' | 'reference' | null;
  /**
   * It closed our last connection because it does not trust our key (yet): somebody has to add this
   * hub over there.
   */
  readonly not_trusted_there: boolean;
  /** Why it cannot be reached just now, one sentence; null while online. */
  readonly trouble: string | null;
  /**
   * A hub of the household that it is not, but whose name it uses, or one that looks like it; null:
   * it does not, or it is known here.
   */
  readonly lookalike: string | null;
  /** Something else stands in its place; null once the hub itself was back. */
  readonly key_change: KeyChangeDto | null;
}

/** Tokens by the agents' own count. */
export interface TokenUseDto {
  readonly days: number;
  /** By agents of this hub, for that one. */
  readonly here: number;
  /** By agents of that hub, for this one. */
  readonly there: number;
}

/** The options of an escalation, each in the sender's words, escaped. */
export interface ChoiceDto {
  readonly options: readonly {
    readonly id: string;
    readonly label: OutsideText;
    readonly pros: readonly OutsideText[];
    readonly cons: readonly OutsideText[];
  }[];
  /** The id of the option that the sender recommends. */
  readonly recommended: string | null;
}

export interface ApprovalDto {
  readonly id: string;
  readonly task_id: string;
  readonly revision: number;
  readonly digest: string;
  readonly state: ApprovalState;
  readonly kind: RequestKind;
  /** Agent id of the asking hub, or null when an agent of this hub asks. */
  readonly peer_id: string | null;
  /** The owner's name for the asking hub (or this hub's own name). */
  readonly peer_name: string;
  readonly person: string | null;
  readonly verified: boolean;
  readonly from_agent: OutsideText | null;
  /** That agent as people read it. */
  readonly from_name: OutsideText | null;
  /** The agent that would run it; empty where a person is asked to choose. */
  readonly to_agent: string;
  /** By the owner's name for it; for an agent of another hub its own name made readable. */
  readonly to_name: string;
  /** How the agent of this hub that would get it comes to know of it; null: none would, now. */
  readonly runner: ReachedDto | null;
  readonly domain: string | null;
  readonly risk_class: RiskClass;
  readonly risk_reason: RiskReason;
  /** The exact text, escaped: the task or the question, as the agent will receive it. */
  readonly text: OutsideText;
  readonly text_length: number;
  /** Every other field of the payload, escaped, as [path, value] pairs in order. */
  readonly fields: readonly (readonly [OutsideText, OutsideText])[];
  readonly reason: OutsideText | null;
  readonly urgent: boolean;
  /**
   * How often the two agents have gone back and forth within an hour, where that is why a person is
   * asked; null: it is not, or it is decided.
   */
  readonly turns: number | null;
  readonly first_time: 'hub' | 'agent' | 'domain' | null;
  readonly leaves: 'result' | 'nothing';
  /** The host that the request itself goes to, where its agent is one of elsewhere. */
  readonly goes_to?: string;
  readonly report_back: boolean;
  readonly received_at: number;
  /**
   * When it is over unless somebody decides before: by this hub's own wait; with the time of
   * whoever asked where that is sooner, or it is held.
   */
  readonly expires_at: number;
  /** When the time of whoever asked is over; what is allowed is done until then. */
  readonly deadline_at: number;
  /**
   * How long this hub waits for a person, ms from receipt: what "keep open" names as what was
   * shown.
   */
  readonly wait_ms: number;
  /**
   * Until when it would wait if a person kept it open longer; null: nothing is gained by that, or
   * it is decided.
   */
  readonly keep_open_until: number | null;
  /** A person is asked later; null: now, or it is decided. */
  readonly held: HeldDto | null;
  readonly decided_at: number | null;
  readonly decided_by: string | null;
  readonly surface: Surface | null;
  /** The rule that decided, when one did. */
  readonly rule_id: string | null;
  /** Why it was declined, or cancelled; escaped. */
  readonly decline_reason: string | null;
  /** What a person of this household answered instead of letting an agent do it; escaped. */
  readonly own_answer: { readonly text: string; readonly choice: string | null } | null;
  /** What a person is asked to choose from; null for work. Nothing of it is checked. */
  readonly choice: ChoiceDto | null;
  /**
   * The hubs of adults that decide this, while it waits: here it can only be declined. null: it is
   * decided here.
   */
  readonly decided_by_hubs: readonly DecidingHubDto[] | null;
  /**
   * Another hub asks whether it may do it: all that the card says is of the request there. null: it
   * is done here.
   */
  readonly remote_question: RemoteQuestionDto | null;
  /**
   * A program here asks whether it may do that by itself, and where; this hub runs nothing. null:
   * it is something else.
   */
  readonly permission: { readonly folder: OutsideText | null } | null;
  readonly conversation_id: string;
  readonly message_id: string;
  /** What became of the task after the decision. */
  readonly task_state: string;
  /** All of it, to be shown in the words of strings/story.ts. */
  readonly story: StoryDto;
  /**
   * Grows with every change of the task. With `revision` it tells which of two pictures of a
   * request is the newer.
   */
  readonly task_revision: number;
  /** The wider choices a person has; none for a dangerous request, and none once it is decided. */
  readonly wider: readonly RuleChoice[];
  /**
   * How many equal requests before this one a person allowed once, one after the other; of the last
   * twenty.
   */
  readonly allowed_before: number;
}

export interface TaskDto {
  readonly id: string;
  readonly direction: TaskDirection;
  readonly kind: RequestKind;
  readonly state: string;
  readonly peer_id: string | null;
  readonly peer_name: string;
  readonly from_agent: OutsideText | null;
  readonly to_agent: OutsideText | null;
  readonly domain: string | null;
  readonly conversation_id: string;
  readonly message_id: string;
  readonly text: OutsideText;
  /** What a person is asked to choose from; absent where it is not an escalation. */
  readonly choice?: ChoiceDto;
  readonly created_at: number;
  readonly deadline_at: number;
  /** For the state `held`: when a person is asked, where that is known. */
  readonly held_until: number | null;
  readonly finished_at: number | null;
  readonly estimated_ms: number | null;
  readonly code: string | null;
  /** Why it ended, in this hub's words, which may quote whoever asked. */
  readonly reason: OutsideText | null;
  /** All of it, to be shown in the words of strings/story.ts. */
  readonly story: StoryDto;
  /**
   * Who allowed, declined or answered it, there or here, or that nobody had to be asked; null while
   * nobody has, and where this hub does not know.
   */
  readonly decision: {
    readonly outcome: 'allowed' | 'declined' | 'answered' | 'expired' | 'passed';
    readonly by: 'person' | 'rule' | 'clock' | 'nobody';
    readonly person: OutsideText | null;
    readonly at: number;
  } | null;
  /** Outside words: what the agent that ran it reported. */
  readonly untrusted: {
    readonly status: string;
    readonly outcome: OutsideText | null;
    readonly data: unknown;
    readonly error: OutsideText | null;
    /**
     * The person there who answered; null when an agent did. The word of that hub, which no agent
     * can set.
     */
    readonly answered_by: OutsideText | null;
  } | null;
}

export interface FeedItemDto {
  readonly id: string;
  readonly seq: number;
  readonly at: number;
  readonly peer_id: string | null;
  /** null: the hub's own notice. */
  readonly peer_name: string | null;
  readonly from_agent: OutsideText | null;
  /** That agent as people read it. */
  readonly from_name: OutsideText | null;
  readonly topic: OutsideText;
  readonly importance: Importance;
  /** The words, where it is words; else the JSON as it was sent, indented. */
  readonly text: OutsideText;
  /**
   * Where it is not words: every field of it as [path, value] pairs in order, like those of a
   * request. null: `text` is all there is.
   */
  readonly fields: readonly (readonly [OutsideText, OutsideText])[] | null;
  /** Fields beyond the feed's bound, which do not stand in `fields`. */
  readonly fields_left_out: number;
  readonly unread: boolean;
}

/** What this sender says of this topic counts as read when it comes. */
export interface MutedTopicDto {
  readonly id: string;
  readonly peer_id: string | null;
  readonly peer_name: string;
  /** Of an agent of this hub; null: all agents of the other hub. */
  readonly from_agent: string | null;
  readonly from_name: OutsideText | null;
  readonly topic: OutsideText;
}

export interface UiSnapshot {
  /** Events with a higher seq follow; a gap means: take a new snapshot. */
  readonly seq: number;
  readonly at: number;
  readonly hub: HubDto;
  readonly settings: SettingsDto;
  readonly peers: readonly PeerDto[];
  readonly pairing_window: PairingWindowDto;
  readonly pairings: readonly PairingDto[];
  readonly agents: readonly AgentDto[];
  /** Those that were removed here, for the records that tell of them. */
  readonly removed_agents: readonly { readonly name: string; readonly display_name: string }[];
  /** Programs that the hub keeps running for its agents. */
  readonly runners: readonly RunnerDto[];
  readonly registrations: readonly RegistrationDto[];
  readonly approvals: readonly ApprovalDto[];
  /** The newest decided ones, for "who decided what". */
  readonly recently_decided: readonly ApprovalDto[];
  /** Those in force and those that are paused. */
  readonly rules: readonly RuleDto[];
  readonly feed: readonly FeedItemDto[];
  readonly feed_unread: number;
  readonly muted_topics: readonly MutedTopicDto[];
  readonly attention: AttentionDto;
}

export type UiEventBody =
  | { readonly type: 'hub'; readonly hub: HubDto }
  | { readonly type: 'settings'; readonly settings: SettingsDto }
  | { readonly type: 'peer'; readonly peer: PeerDto }
  | { readonly type: 'peer_gone'; readonly id: string }
  | { readonly type: 'pairing_window'; readonly window: PairingWindowDto }
  | { readonly type: 'pairing'; readonly pairing: PairingDto }
  | { readonly type: 'pairing_gone'; readonly id: string }
  | { readonly type: 'agent'; readonly agent: AgentDto }
  | { readonly type: 'agent_gone'; readonly name: string }
  | { readonly type: 'runner'; readonly runner: RunnerDto }
  | { readonly type: 'runner_gone'; readonly agent: string }
  | { readonly type: 'registration'; readonly registration: RegistrationDto }
  | { readonly type: 'registration_gone'; readonly id: string }
  | { readonly type: 'approval'; readonly approval: ApprovalDto }
  | { readonly type: 'rule'; readonly rule: RuleDto }
  | { readonly type: 'rule_gone'; readonly id: string }
  | { readonly type: 'feed'; readonly item: FeedItemDto; readonly unread: number }
  | {
      readonly type: 'feed_read';
      readonly ids: readonly string[] | 'all';
      /** false: they are unread again. */
      readonly read: boolean;
      readonly unread: number;
    }
  | { readonly type: 'muted_topics'; readonly topics: readonly MutedTopicDto[] }
  | { readonly type: 'conversation_gone'; readonly id: string }
  /** Notices with these numbers are not kept any longer. */
  | { readonly type: 'feed_removed'; readonly seqs: readonly number[]; readonly unread: number }
  | { readonly type: 'do_not_disturb'; readonly attention: AttentionDto }
  | { readonly type: 'conversation'; readonly id: string }
  /** A native notification is due: fixed words and the owner's name for the peer, nothing else. */
  | { readonly type: 'attention'; readonly approval_id: string; readonly peer_name: string };

export type UiEvent = UiEventBody & { readonly seq: number };

/** One item of an agent's inbox, as claim and the stream hand it out. */
export interface DeliveryDto {
  readonly delivery_id: string;
  readonly attempt: number;
  readonly lease_until: number | null;
  readonly kind: DeliveryKind;
  readonly task_id: string | null;
  readonly conversation_id: string | null;
  /** Of a cancel: the delivery_id of the work that is to stop, while a reply to it is open. */
  readonly stops?: string;
  readonly instruction_from_hub: string;
  readonly trust: {
    readonly peer_id: string | null;
    readonly peer_name: string;
    readonly paired_at: number | null;
  };
  readonly approval: {
    readonly by: string;
    readonly surface: string;
    readonly digest: string;
    readonly at: number;
  } | null;
  readonly deadline_at: number | null;
  readonly envelope: {
    readonly id: string;
    readonly kind: string;
    readonly ref: string | null;
    readonly received_at: number;
  };
  /**
   * Everything somebody else wrote. Data to work on, never instructions to the agent that reads it.
   */
  readonly untrusted: {
    readonly origin: {
      readonly peer_name: string;
      readonly peer_id: string | null;
      readonly from_agent: string | null;
      /** That agent as people read it. */
      readonly from_agent_name?: string;
    };
    readonly kind: string;
    readonly text: string | null;
    readonly payload: unknown;
    readonly digest: string | null;
    /** Of a result: who decided, and how the task stands. */
    readonly came_of_it?: string;
    /** The same in the dialect of the agent; absent for one that speaks AXON. */
    readonly native?: unknown;
  };
}

/** Who gets, or would get, what was sent, or why somebody else did. */
export interface ChosenDto {
  /** null: an agent of this hub, or every hub. */
  readonly peer_id: string | null;
  readonly peer_name: string;
  readonly agent: string | null;
  /** That agent as people read it. */
  readonly agent_name: string | null;
  /** One sentence. */
  readonly why: string;
}

/** What became of a message in a dialect. */
export interface PostedDto {
  /** Of a request. */
  readonly report?: SendReportDto;
  /** The answer to a question, in the dialect, or what came of an answer or a cancel. */
  readonly untrusted?: { readonly native?: unknown; readonly came_of_it?: string };
  /** Of a cancel: how its task stands. */
  readonly cancelled?: { readonly id: string; readonly state: string };
  /** Of a message to several, or the cancel of one: what became of it at each. */
  readonly each?: readonly {
    readonly to: string;
    readonly report?: SendReportDto;
    readonly cancelled?: { readonly id: string; readonly state: string };
    /** Of a question: its answer comes to the inbox of whoever asked. */
    readonly asked?: true;
    /** Why it did not get it. */
    readonly refused?: string;
    readonly untrusted?: { readonly native?: unknown; readonly came_of_it?: string };
  }[];
  /** Of an answer. */
  readonly replied?: { readonly state: string; readonly sent_to: string | null };
}

export interface RouteDto {
  readonly chosen: ChosenDto;
  /** Who else offers it, the next best first, each with the reason against it. */
  readonly others: readonly ChosenDto[];
}

export interface SendReportDto {
  readonly id: string;
  /**
   * answered: `untrusted` holds the answer; otherwise follow `task_url`. delivered: more is not
   * known until there is a result.
   */
  readonly state: string;
  readonly task_url: string | null;
  readonly chosen: ChosenDto;
  /** How it stands now; null: a notice, which has no story. */
  readonly story: StoryDto | null;
  /** Of a notice within this hub: its agents that get it. Of another hub that is not known. */
  readonly agents?: readonly string[];
  /** The same as people read them. */
  readonly agent_names?: readonly string[];
  /** Of what went to every hub: how it went for each. */
  readonly recipients?: readonly {
    readonly peer_id: string;
    readonly peer_name: string;
    /** blocked: suspended here, or it does not let this hub in. */
    readonly state: 'sent' | 'offline' | 'blocked';
  }[];
  readonly estimated_ms: number | null;
  readonly untrusted: {
    readonly data: unknown;
    readonly summary: OutsideText | null;
    readonly tokens_used: number | null;
    readonly truncated: boolean;
    /** As in TaskDto. */
    readonly answered_by: OutsideText | null;
  } | null;
}
