/**
 * The imports that are allowed between rooms (ARCHITECTURE.md, "The rooms"). The comment of each rule explains how to
 * fix a violation. `test/unit/gates/rooms.test.ts` tests each rule with a violation.
 */
const product = '^(shared|machines|indexer|api)/'
const inputAndOutput =
  '^(child_process|cluster|dgram|dns|fs|http|http2|https|net|os|readline|tls|worker_threads)(/|$)'

/**
 * The rooms of each tree, from the top down. A room may import only rooms below it. Add every new folder here.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const LAYERS_TOP_DOWN = {
  indexer: [
    'commands',
    'refunds',
    'charges',
    'payouts',
    'escrow',
    'pay-by-signature',
    'webhooks',
    'charge-checks',
    'requests',
    'relayer',
    'evidence',
    'reconciliation',
    'corroboration',
    'chain-feed',
    'ponder',
    'transport',
    'status-page',
  ],
  api: [
    'docs',
    'client',
    'sandbox',
    'checkout',
    'webhooks',
    'distributions',
    'accounting',
    'metrics',
    'recipients',
    'refunds',
    'charges',
    'swap',
    'streams',
    'health',
    'networks',
    'http',
  ],
  'shared/chain': ['tokens', 'safe', 'eip3009', 'tron', 'data-fee', 'contracts', 'nodes', 'pacing', 'abi'],
  'shared/db': [
    'accounting',
    'metrics',
    'organizations',
    'charges',
    'payouts',
    'refunds',
    'escrow',
    'pay-by-signature',
    'webhooks',
    'events',
    'evidence',
    'relayer',
    'requests',
    'chain-facts',
  ],
}

/** One rule for each room except the topmost: the room may not import rooms above it. */
const layerRules = Object.entries(LAYERS_TOP_DOWN).flatMap(([tree, rooms]) =>
  rooms.slice(1).map((room, at) => ({
    name: `${tree}/${room}-layering`,
    comment:
      'Move the shared code to the lower room, or pass it in from above: a room imports only rooms below it.',
    severity: /** @type {const} */ ('error'),
    from: { path: `^${tree}/${room}/` },
    to: { path: `^${tree}/(${rooms.slice(0, at + 1).join('|')})/` },
  })),
)

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Move the code that the files share into a file that imports none of them.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      comment:
        "Fix the path: it must be relative and end with `.ts`. (`ponder:` modules are Ponder's virtual modules.)",
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^ponder(:|/virtual$)' },
    },
    {
      name: 'domain-imports-only-itself',
      comment:
        'shared/domain imports only itself and the contract artifacts: pass other values as arguments.',
      severity: 'error',
      from: { path: '^shared/domain/' },
      to: { path: `${product}|^test/`, pathNot: '^shared/domain/' },
    },
    {
      name: 'domain-is-pure',
      comment:
        'shared/domain does no I/O: read in the host (indexer, api, shared/runtime), and pass the value.',
      severity: 'error',
      from: { path: '^shared/domain/' },
      to: {
        path: `${inputAndOutput}|(^|/)node_modules/(postgres|koa|@koa|undici|pino|ponder|prom-client|xstate)/`,
      },
    },
    {
      name: 'machines-are-pure',
      comment:
        'A machine imports only shared/domain and xstate: name an effect, and let the host execute it.',
      severity: 'error',
      from: { path: '^machines/' },
      to: { path: '.', pathNot: '^(machines|shared/domain)/|(^|/)node_modules/xstate/' },
    },
    {
      name: 'shared-folders-are-independent',
      comment: 'db, chain and runtime import shared/domain and not each other: connect them in a main.ts.',
      severity: 'error',
      from: { path: '^shared/(db|chain|runtime)/' },
      to: { path: product, pathNot: ['^shared/domain/', '^shared/$1/'] },
    },
    {
      name: 'no-imports-between-indexer-and-api',
      comment: 'Insert a row that the other process reads, or move the common code to shared/.',
      severity: 'error',
      from: { path: '^(indexer|api)/' },
      to: { path: '^(indexer|api)/', pathNot: '^$1/' },
    },
    {
      name: 'client-imports-no-server-code',
      comment:
        'api/client may depend only on the API document: use a type of api-types.ts, or move the code to shared/.',
      severity: 'error',
      from: { path: '^api/client/' },
      to: { path: '^api/', pathNot: '^api/client/' },
    },
    {
      name: 'no-imports-of-main',
      comment: 'A main.ts only connects other files: move the code that you need into a separate file.',
      severity: 'error',
      from: {},
      to: { path: '(^|/)main\\.ts$' },
    },
    {
      name: 'no-tests-in-production-code',
      comment: 'Move the code into the room that it belongs to: production code must not depend on tests.',
      severity: 'error',
      from: { path: product },
      to: { path: '^test/' },
    },
    {
      name: 'history-checker-is-independent',
      comment:
        'The checker must share no code with the product: write the rule again, from the specification.',
      severity: 'error',
      from: { path: '^test/history/checker/' },
      to: { path: '.', pathNot: '^test/history/checker/|(^|/)node_modules/viem/' },
    },
    {
      name: 'ponder-only-through-database',
      comment:
        'Ponder runs as a child process: read its tables through shared/db. Import only the code that starts it.',
      severity: 'error',
      from: { pathNot: '^indexer/ponder/' },
      to: {
        path: '^indexer/ponder/|(^|/)node_modules/ponder/',
        pathNot: '^indexer/ponder/(feed-settings|resolve-ponder-file)\\.ts$',
      },
    },
    {
      name: 'ponder-only-through-library',
      comment:
        "Import it from ponder-library.ts: otherwise Ponder's process compiles another copy at every start.",
      severity: 'error',
      from: { path: '^indexer/ponder/' },
      to: { path: '(^|/)node_modules/ponder/dist/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-daemon-queries-in-api',
      comment:
        'The API may not execute these statements: if it must, grant them, and move the file out of `daemon/`.',
      severity: 'error',
      from: { path: '^api/|^shared/db/.*/api/' },
      to: { path: '^shared/db/.*/daemon/' },
    },
    {
      name: 'no-api-queries-in-daemon',
      comment:
        'Only the API uses these queries: if the daemon needs one as well, move its file out of `api/`.',
      severity: 'error',
      from: { path: '^indexer/|^shared/db/.*/daemon/' },
      to: { path: '^shared/db/.*/api/' },
    },
    {
      name: 'sql-only-in-shared-db',
      comment: 'Write the statement as a function in shared/db, and call that function.',
      severity: 'error',
      from: { path: product, pathNot: '^shared/db/' },
      to: { path: '(^|/)node_modules/(postgres|pg)/' },
    },
    {
      name: 'artifacts-only-through-shared',
      comment:
        'Only shared/domain and shared/chain read contracts/artifacts: import the constant from there.',
      severity: 'error',
      from: { path: product, pathNot: '^shared/(domain|chain)/' },
      to: { path: '^contracts/' },
    },
    {
      name: 'no-dev-dependencies-in-production',
      comment:
        'Add the package to "dependencies" if production code needs it: the image contains no other packages.',
      severity: 'error',
      from: { path: product },
      to: { dependencyTypes: ['npm-dev', 'npm-unknown', 'npm-no-pkg'] },
    },
    ...layerRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage|contracts/(out|cache))/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
