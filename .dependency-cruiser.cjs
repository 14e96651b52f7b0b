// The import allow-list of the house: which room may know which. `npm run imports` fails on the
// first arrow that is not listed here. Types of preload/contract (and its error codes) may be
// imported anywhere.

const CONTRACT = '^preload/contract/';

/** Folder -> what it may import besides itself and npm packages. */
const ALLOWED = {
  'main/lib': [],
  'main/protocol': ['main/lib'],
  'main/dialects': ['main/lib'],
  'main/core': ['main/protocol', 'main/lib'],
  'main/ports': ['main/core', 'main/protocol', 'main/lib'],
  'main/services': ['main/core', 'main/dialects', 'main/protocol', 'main/ports', 'main/lib'],
  'main/adapters': ['main/ports', 'main/lib'],
  'main/mcp': ['main/lib'],
  'main/api': ['main/mcp', 'main/services', 'main/ports', 'main/lib'],
  'main/cli': ['main/mcp', 'main/dialects', 'main/lib'],
  'main/shell': ['main/ports', 'main/lib'],
  'main/app': [
    'main/api',
    'main/services',
    'main/adapters',
    'main/ports',
    'main/core',
    'main/protocol',
    'main/lib',
    'main/cli',
  ],
  'main/entry': [
    'main/app',
    'main/cli',
    'main/shell',
    'main/adapters/quic',
    'main/adapters/clock',
    'main/lib',
  ],
  preload: ['preload'],
  renderer: ['preload'],
};

const rules = Object.entries(ALLOWED).map(([folder, others]) => ({
  name: `${folder.replace('/', '-')}-allow-list`,
  comment: `${folder} may import ${others.length === 0 ? 'nothing of this project' : others.join(', ')} (and the contract)`,
  severity: 'error',
  from: { path: `^${folder}/` },
  to: {
    path: '^(main|preload|renderer|test)/',
    pathNot: [`^${folder}/`, CONTRACT, ...others.map((other) => `^${other}/`)],
  },
}));

/**
 * The rooms of main/services, from the top down: each may import what stands below it, and rooms in
 * one line are strangers to each other.
 */
const ROOMS = [
  ['pages'],
  ['history'],
  ['outgoing'],
  ['admission'],
  ['remote-approval'],
  ['approvals'],
  ['elsewhere'],
  ['inbox'],
  ['rules', 'attention'],
  ['agents'],
  ['tasks'],
  ['pairing', 'retention'],
  ['links'],
  ['auth', 'audit'],
  ['base'],
];

const roomRules = ROOMS.flatMap((line, depth) =>
  line.map((room) => ({
    name: `${room}-imports-downwards`,
    comment: `main/services/${room} may import the rooms below it: ${
      ROOMS.slice(depth + 1)
        .flat()
        .join(', ') || 'none'
    }`,
    severity: 'error',
    from: { path: `^main/services/${room}/` },
    to: {
      path: '^main/services/',
      pathNot: [room, ...ROOMS.slice(depth + 1).flat()].map((other) => `^main/services/${other}/`),
    },
  })),
);

/**
 * The packages that a build takes into the bundles: nobody who installs the hub has to fetch them, so
 * that package.json names them among those of the build.
 */
const BUNDLED = [
  '@modelcontextprotocol/(node|server)',
  '@noble/ed25519',
  '@valibot/to-json-schema',
  'bonjour-service',
  'canonicalize',
  'commander',
  'electron-updater',
  'env-paths',
  'eventsource-parser',
  'ipaddr.js',
  'jsonc-parser',
  'smol-toml',
  'uqr',
  'valibot',
];

/** Packages that exactly one room may touch. */
const PACKAGE_HOMES = {
  electron: '^main/(shell|entry)/|^preload/index.ts',
  '@matrixai/quic': '^main/adapters/quic/',
  'better-sqlite3': '^main/adapters/sqlite/',
  keytar: '^main/adapters/keyvault/',
  'bonjour-service': '^main/adapters/mdns/',
  commander: '^main/cli/',
  svelte: '^renderer/',
};

module.exports = {
  forbidden: [
    ...rules,
    ...roomRules,
    {
      name: 'every-service-has-a-room',
      severity: 'error',
      from: {},
      to: { path: '^main/services/', pathNot: `^main/services/(${ROOMS.flat().join('|')})/` },
    },
    {
      name: 'no-cycles',
      comment: 'types are counted',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'nothing-imports-test',
      severity: 'error',
      from: { path: '^(main|preload|renderer)/' },
      to: { path: '^test/' },
    },
    {
      name: 'no-dev-packages',
      severity: 'error',
      from: { path: '^(main|preload)/' },
      to: {
        dependencyTypes: ['npm-dev'],
        pathNot: `node_modules/(electron|${BUNDLED.join('|')})/`,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'known-packages',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'adapters-are-strangers',
      comment: 'one port each; an adapter never imports another',
      severity: 'error',
      from: { path: '^main/adapters/([^/]+)/' },
      to: { path: '^main/adapters/', pathNot: '^main/adapters/$1/' },
    },
    {
      name: 'features-are-strangers',
      comment: 'views compose features; a feature never imports another',
      severity: 'error',
      from: { path: '^renderer/features/([^/]+)/' },
      to: { path: '^renderer/features/', pathNot: '^renderer/features/$1/' },
    },
    {
      name: 'ui-knows-no-feature',
      severity: 'error',
      from: { path: '^renderer/ui/' },
      to: { path: '^renderer/(features|views|app)/' },
    },
    {
      name: 'contract-imports-nothing',
      severity: 'error',
      from: { path: CONTRACT },
      to: { path: '^(main|renderer|test)/|^preload/(?!contract/)' },
    },
    ...Object.entries(PACKAGE_HOMES).map(([name, home]) => ({
      name: `${name.replace(/[@/]/g, '-')}-has-one-home`,
      severity: 'error',
      from: { path: '^(main|preload|renderer)/', pathNot: home },
      to: { path: `node_modules/${name}(/|$)` },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    exclude: { path: '^out/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types', 'svelte'],
      extensions: ['.ts', '.svelte', '.js', '.json', '.sql'],
    },
  },
};
