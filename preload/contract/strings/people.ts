// The words for hubs, the people behind them, and how one is added. English.
import type { TokenUseDto } from '../dto.ts';
import type { IntroductionDto, IntroductionWay } from '../introduction.ts';
import { common, locale } from './shared-words.ts';
import { numberer, pluralizer } from './plural.ts';

const plural = pluralizer(locale);
const numbers = numberer(locale);

/** How a hub came to be paired. @param where as "in the browser" */
const introductions: Readonly<Record<IntroductionWay, (where: string) => string>> = {
  digits: (where) => `with a typed code, ${where}`,
  invitation_made_here: (where) => `by an invitation that you made, ${where}`,
  invitation_used_here: (where) => `by the other hub’s invitation, which you used ${where}`,
  share_token: (where) => `by its axon:// link, whose key you trusted ${where}, without digits`,
  key: (where) => `by its address and key, which you trusted ${where}, without digits`,
};

const KEY_CHANGED_WHY =
  'This happens when a computer was set up again. It also happens when someone pretends to be it.';

export const people = {
  title: 'People & hubs',
  summary: (online: number, all: number) =>
    `${online} of ${all} online. An open door means online. The number on the wire is how fast the hub answers.`,
  addHub: 'Add a hub',
  household: 'In the household',
  nearby: 'Nearby, not added',
  suspended: 'Suspended',
  noPerson: 'no person named',
  off: 'off',
  offSince: (when: string) => `off since ${when}`,
  neverSeen: 'not seen yet',
  asleep: 'suspended',
  shutThere: 'refuses this hub',
  daemon: 'AXON daemon',
  picture: (all: number, online: number) =>
    `The household: ${plural(all, { one: '{n} other hub', other: '{n} other hubs' })}, ${online} online. The list beside it says the same.`,
  moreAgents: (count: number) => plural(count, { one: '{n} more', other: '{n} more' }),
  internet: 'at an address you gave',
  unknownHub: 'A hub on your network',
  unknownIncoming: 'A hub that connected to this one',
  unknownStatic: 'A hub at an address you gave',
  /** An alarm: another hub uses the name of one that is paired. */
  lookalike: (name: string) =>
    `This is not ${name}. It uses that name, or one that looks like it, but it is another hub.`,
  callsItself: 'It calls itself',
  discovery: {
    unusable: 'Hubs can’t find each other just now.',
    impaired: 'Hubs find each other on some of your networks only.',
    off: 'Finding hubs is switched off.',
    offDetail: 'No hub shows up here, and none sees this one.',
    otherwise: 'A hub whose address you know can still be added.',
  },
  seen: (ago: string) => `seen ${ago}`,
  hereNow: 'here now',
  goneNow: 'no longer in sight',
  crowd:
    'More hubs are in sight than a home has, so some may be false. Add only the one whose own screen shows the same label.',
  showMore: (count: number) => plural(count, { one: 'Show one more', other: 'Show {n} more' }),
  add: 'Add',
  empty: {
    title: 'No other hubs yet',
    detail:
      'Install AXON Hub on another computer in your home. It appears here within 5 seconds. Then press “Add a hub” on both.',
    unseen:
      'Install AXON Hub on another computer, and add it by an invitation or its address: hubs do not show up here by themselves just now.',
  },

  asked: {
    one: 'A hub asks to be added. It shows as',
    several: 'Several hubs ask to be added.',
    detail:
      'Nothing happens unless you press Add a hub; do so only if someone in your home is asking now.',
  },
  allHubs: 'All hubs',
  online: (trip: string) => `Online, ${trip}.`,
  onlineWord: 'online',
  onlineNoTrip: 'Online.',
  paired: (date: string, { way, surface }: IntroductionDto) =>
    `Added on ${date} ${introductions[way](common.surfaces[surface])}.`,
  daemonFact: 'It runs the public AXON daemon instead of AXON Hub, so it shows no digits.',
  gone: 'This hub is no longer here.',
  ownName: 'Its own name for itself, not checked:',
  rename: 'Name and role',
  renameName: 'Your name for this hub',
  renamePerson: 'Person',
  role: {
    label: 'Role in the household',
    names: { adult: 'Adult', child: 'Child', guest: 'Guest', shared: 'Shared computer' },
    none: 'Not set',
    hint: 'Only an adult’s hub can approve requests for a child. With any other role it can’t.',
    /** Beside the person. */
    facts: { adult: 'adult', child: 'child', guest: 'guest', shared: 'shared computer' },
  },
  shut: {
    title: (name: string) => `${name} refuses this hub.`,
    give: 'You trust its key, but it does not know ours. Give this link to whoever looks after it, to be added there; after that the two connect by themselves.',
    giveOneOf:
      'You trust its key, but it does not know ours. Give one of these links, with an address it can reach, to whoever looks after it, to be added there; after that the two connect by themselves.',
    noLink:
      'It does not know our key. Our link to give to it is missing just now, because other hubs cannot reach this computer: Settings says why.',
    again:
      'This computer was suspended or removed there; ask the owner of that hub which. If it was only suspended, its owner can let you back in. You don’t need to do anything. If it was removed, remove that hub here and add it again, with its owner beside you.',
  },
  checkNow: 'Check now',
  checked: (trip: string) => `It answered in ${trip}.`,
  suspend: 'Suspend',
  suspendAsk: (name: string) => `Suspend ${name}?`,
  suspendDetail: (name: string, waiting: number) =>
    `${waiting === 0 ? '' : plural(waiting, { one: 'One of its requests waits here. It ends and is not done. ', other: '{n} of its requests wait here. They end and are not done. ' })}Its tasks here and yours there are asked to stop. Nothing gets in or out until you let it back in. Then ${name} is told what happened to its requests.`,
  suspendYes: 'Suspend it',
  suspendNo: 'Keep it',
  resume: 'Let it back in',
  suspendedNote:
    'Nothing from it gets in, and nothing of yours goes there, until you let it back in.',
  remove: 'Remove',
  removeAsk: (name: string) => `Remove ${name}?`,
  removeDetail:
    'Its waiting requests end and are not done, and the link is closed at once. To talk again, the two hubs must be added anew.',
  removeYes: 'Remove for good',
  removeNo: 'Keep it',
  mayDo: (name: string) => `What ${name} may do here`,
  mayDoRows: {
    sees: 'It may see what your agents offer, and put notices in your feed.',
    seesDetail: 'The default for every hub you added.',
    looks: (areas: string) =>
      `Questions that name ${areas} are answered without asking you, unless a rule says otherwise.`,
    looksDetail: 'You marked this “only looks” under Agents.',
    asks: 'Everything else asks first.',
    asksDetail: 'Dangerous areas ask every time, with the last word typed.',
  },
  youMay: 'What you may ask of it',
  forExample: 'For example:',
  youMayNothing: 'It has not said yet what its agents can do.',
  /** 0: what an agent says that takes no tasks. */
  atOnce: (count: number) =>
    count === 0
      ? 'It takes no tasks just now.'
      : plural(count, { one: 'Up to {n} task at once.', other: 'Up to {n} tasks at once.' }),
  noLimit: 'It sets no limit on tasks at once.',
  fetched: (when: string) => `It said so ${when}, not checked.`,
  askAgain: 'Ask again',
  tokens: ({ days, here, there }: TokenUseDto) =>
    `In the last ${days} days your agents used ${numbers(here)} tokens for it, and its agents ${numbers(there)} for you, by their own count.`,
  safety: 'Safety number',
  trustedKey: 'Its key',
  trustedKeyDetail:
    'The daemon shows no safety number. To be sure, compare the key with that in the link it gives for itself: there it stands between axon:// and @.',
  safetyDetail: (name: string) =>
    `Read it to each other whenever you want to be sure. It must be the same on ${name}.`,
  identifiers: 'Exact identifiers',
  agentId: 'Agent id',
  publicKey: 'Key',
  linkKey: 'In its link',
  address: 'Address',

  keyChanged: {
    pageTitle: 'Stop · AXON Hub',
    title: (name: string) => `${name} has a new identity`,
    detail: (name: string) =>
      `Something answers in the place of ${name}, but not with its key. ${KEY_CHANGED_WHY}`,
    /** At a terminal, where the address stands in the sentence. */
    detailAt: (name: string, address: string) =>
      `Something answers in the place of ${name}, at ${address}, but not with its key.`,
    why: KEY_CHANGED_WHY,
    stopped: 'Nothing from it gets in.',
    untouched: (name: string) =>
      `What ${name} asked before still waits, and its rules stay. Nothing is added automatically.`,
    old: 'Known',
    since: (date: string) => `since ${date}`,
    seen: (when: string) => `Seen ${when}`,
    oldId: 'Known agent id',
    seenId: 'Seen agent id',
    ask: (person: string) =>
      `Ask ${person}, in person, whether this computer was set up again. If it was not, keep the old one.`,
    askSomebody: (name: string) =>
      `Ask whoever uses ${name}, in person, whether it was set up again. If it was not, keep the old one.`,
    keep: 'Keep the old one',
    again: 'It was set up again',
    removeTitle: (name: string) => `Remove the old ${name}?`,
    removeDetail:
      'Its waiting requests end and are not done, and its rules end. Then the two hubs are added anew, with new digits.',
    removeYes: 'Remove the old one',
    back: 'Back',
    note: (address: string) =>
      `Something else answered in its place, at ${address}, and didn’t get in. You kept the old key.`,
  },

  invite: {
    title: 'Invitation',
    detail: 'A link or picture for one hub, good for 5 minutes. No digits to type.',
    make: 'Make one',
    use: 'Use one',
    revoke: 'Revoke it',
    give: 'Bring this to the other computer. It works once, for',
    left: 'more.',
    secret:
      'Whoever has the link can join: hand it over yourself, or send it where nobody else can read it.',
    picture: 'The invitation as a picture for a camera; the link below holds the same',
    paste: 'On the other computer: People & hubs, Add a hub, Invitation, Use one. Paste it there.',
    older: (left: string) => `An earlier one works for ${left} more. Its link is shown only once.`,
    over: 'An earlier one no longer works.',
    join: 'Join',
    useHint: 'The other hub makes it under Add a hub, Invitation, Make one. Paste the whole link.',
    useLabel: 'Invitation link',
    useExample: 'axon://pair?…',
    noLink: 'This is not an invitation link. Those begin with axon://pair. Paste the whole link.',
    joinHint: 'This is an invitation: the two hubs are added without digits.',
  },

  addPage: {
    title: 'Add a hub',
    open: 'While this page is open, other hubs in your home can ask to be added.',
    left: 'left',
    locked: (duration: string) =>
      `After too many failures, adding hubs is closed for ${duration} more.`,
    closed: 'Other hubs cannot ask to be added just now.',
    reopen: 'Open for 5 minutes',
    none: 'No hub in sight yet',
    noneDetail:
      'Open “Add a hub” on the other computer, too. Hubs on the same home network show up here within 5 seconds.',
    noneUnseen:
      'Hubs do not show up here by themselves just now. Use an invitation or its address, below.',
    notListed: 'Not in the list?',
    byAddress: 'By its address',
    byAddressDetail: 'For a hub somewhere else, over a VPN or the internet.',
    enter: 'Enter',
    addressHint:
      'The other hub’s Settings show a link that begins with axon://. Paste it here, or type the address and the public key.',
    linkOpened:
      'This link was opened outside AXON Hub. It does nothing until you press the button.',
    addressLabel: 'Address or link',
    addressExample: '192.168.1.20:7100',
    keyLabel: 'Its public key',
    keyExample: '64 digits and letters',
    addressAdd: 'Add this hub',
    trust: 'This is an AXON daemon that cannot pair with a code: trust the key in this link',
    trustDetail:
      'No digits are compared. Whoever holds that key can send requests here, like any hub you added. Tick this only if the link came straight from the daemon’s owner.',
    trustAdd: 'Trust this key',
    trustName: 'Your name for it, if you like',
    underWay: 'Under way',
    underWayWith: (label: string) => `Adding ${label}`,
    goOn: 'Go on',
    notAdded: 'Not added',
    putAway: 'Dismiss',
    forget: 'Forget',
    requests: (count: number) =>
      plural(count, { one: 'A hub wants to be added', other: '{n} hubs want to be added' }),
    ownLabel: 'Others see this computer as',
    /** Only while this page is open. */
    ownName: (name: string) => `For as long as this page is open, they also see its name, ${name}.`,
  },

  pairing: {
    otherHub: 'the other hub',
    step: (number: number) => `Step ${number} of 4`,
    stop: 'Stop',
    left: (duration: string) => `${duration} left.`,
    between: (text: string, left: string, right: string) => `${text}, between ${left} and ${right}`,
    offered: {
      tag: 'asks to be added',
      title: 'A hub wants to be added',
      detail:
        'Go on only if someone at home has just asked. The other screen shows the same name. The hub being added sees the name, person and system of this one.',
      from: (address: string) => `at ${address}`,
      says: 'says it is',
      theOther: 'The other hub',
      saysHub: (hub: string, person: string, platform: string) =>
        [hub, person === '' ? '' : `used by ${person}`, platform]
          .filter((part) => part !== '')
          .join(', '),
      saysNothing: 'nothing about itself',
      pick: 'This one',
      notNow: 'Not now',
      open: 'Show the code',
      pairAgain: 'Add it again',
    },
    removed: {
      here: (name: string, when: string | null) =>
        `${name} was removed here${when === null ? '' : ` on ${when}`}.`,
      invited: 'It has your invitation, so nobody types anything. “Add it again” adds it at once.',
      asNew:
        'It comes back as a new hub. What you once allowed it is not allowed now, and your “never” rules still stand.',
    },
    looking: {
      tag: 'looking',
      title: 'Looking for the other hub',
      at: (address: string) => `At ${address}.`,
      detail: 'If it does not answer within ten seconds or so, this page says what to check.',
    },
    waiting: {
      tag: 'asked',
      title: 'Now go to the other computer',
      detail:
        'There, go to People & hubs, press “Add a hub”, then “Show the code”. Six digits appear on its screen.',
      taken:
        'The request has arrived there. Under People & hubs, “Add a hub”, press “Show the code”. Six digits appear on its screen.',
      busy: 'It answers, but other requests wait there. On that computer, go to People & hubs, “Add a hub”, and dismiss those. Then this hub asks again by itself.',
      standsAs: 'It lists this computer as',
      thisScreen: 'This screen is',
    },
    exchanging: {
      tag: 'a moment',
      title: 'The two hubs are talking',
      detail: 'This takes a second or two.',
      askedThere:
        'If it takes longer, a person at the other hub is asked whether this one may come back.',
    },
    showSix: {
      tag: 'six digits',
      title: 'Type these on the other computer',
      says: 'It says it is',
      once: 'The digits work once.',
      never: 'Never type them into a chat, and never on a phone call you did not start.',
    },
    typeSix: {
      tag: 'six digits',
      title: 'Type the six digits from the other computer',
      detail: 'Walk over and read them off its screen.',
    },
    showTwo: {
      tag: 'two digits',
      title: 'They match. Now type these two over there',
      detail: 'The other computer needs them to be sure that it is you.',
    },
    typeTwo: {
      tag: 'two digits',
      title: 'Type the two digits from the other computer',
      detail:
        'There is one try. If the other screen shows no digits, someone may be in between: press Stop.',
    },
    confirming: {
      tag: 'checking',
      title: 'Checking that they match',
      detail: 'This takes a second or two.',
    },
    paired: {
      tag: 'added',
      title: 'Who is behind this door?',
      detail:
        'Whoever it is: it may see what your agents offer, put notices in your feed, and ask questions in areas you marked “only looks”.',
      rest: 'Everything else asks first.',
      done: 'Done',
    },
    failed: {
      tag: 'stopped',
      title: 'The hubs were not added',
      again: 'Try again with new digits',
      unreached: 'The other hub was not found',
      unreachedTag: 'no answer',
      askAgain: 'Try again',
      change: 'Change the address',
      back: 'Back',
      limit: 'After three failures, adding hubs is closed for 10 minutes.',
    },
    digit: (number: number) => `Digit ${number}`,
  },
} as const;
