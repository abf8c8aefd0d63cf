/**
 * Who may import whom (ARCHITECTURE.md, "The rooms"):
 * `domain` ← `machines` ← `indexer`, `api`, and `domain` ← `db`, `chain`, `runtime` ← `indexer`, `api`.
 * Every rule's comment says what to do instead; `test/unit/gates/rooms.test.ts` plants a violation of each.
 */
const product = '^(shared|machines|indexer|api)/'
const inputAndOutput =
  '^(child_process|cluster|dgram|dns|fs|http|http2|https|net|os|readline|tls|worker_threads)(/|$)'

/**
 * The rooms of each tree, from the top down: a room imports only what stands below it, so that whoever reads one knows
 * which others it can depend on (ARCHITECTURE.md). A new folder needs its place here.
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

/** One rule for every room but the topmost: it imports none that stands above it. */
const layerRules = Object.entries(LAYERS_TOP_DOWN).flatMap(([tree, rooms]) =>
  rooms.slice(1).map((room, at) => ({
    name: `${tree}/${room}-layering`,
    comment:
      'Move what both need to the lower room, or pass it in from above: rooms import only those below them.',
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
      comment: 'Move what both need into a file of its own, lower down.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      comment:
        "Fix the path: relative, with the `.ts` ending. (`ponder:` modules are Ponder's virtual ones.)",
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^ponder(:|/virtual$)' },
    },
    {
      name: 'domain-imports-only-itself',
      comment:
        'shared/domain imports only itself and the contract artifacts: pass what it needs as an argument.',
      severity: 'error',
      from: { path: '^shared/domain/' },
      to: { path: `${product}|^test/`, pathNot: '^shared/domain/' },
    },
    {
      name: 'domain-is-pure',
      comment: 'No I/O in shared/domain: read in the host (indexer, api, shared/runtime) and pass the value.',
      severity: 'error',
      from: { path: '^shared/domain/' },
      to: {
        path: `${inputAndOutput}|(^|/)node_modules/(postgres|koa|@koa|undici|pino|ponder|prom-client|xstate)/`,
      },
    },
    {
      name: 'machines-are-pure',
      comment:
        'A machine decides over shared/domain and xstate alone: name an effect and let the host do it.',
      severity: 'error',
      from: { path: '^machines/' },
      to: { path: '.', pathNot: '^(machines|shared/domain)/|(^|/)node_modules/xstate/' },
    },
    {
      name: 'shared-folders-are-independent',
      comment:
        'db, chain and runtime know shared/domain and not each other: wire them together in a main.ts.',
      severity: 'error',
      from: { path: '^shared/(db|chain|runtime)/' },
      to: { path: product, pathNot: ['^shared/domain/', '^shared/$1/'] },
    },
    {
      name: 'no-imports-between-indexer-and-api',
      comment: 'Insert a row the other reads, or move what both need to shared/.',
      severity: 'error',
      from: { path: '^(indexer|api)/' },
      to: { path: '^(indexer|api)/', pathNot: '^$1/' },
    },
    {
      name: 'client-imports-no-server-code',
      comment:
        'api/client knows the service by its document alone: take the type from api-types.ts, or move it to shared.',
      severity: 'error',
      from: { path: '^api/client/' },
      to: { path: '^api/', pathNot: '^api/client/' },
    },
    {
      name: 'no-imports-of-main',
      comment: 'A main.ts is a composition root: move what you need out of it into a file named after it.',
      severity: 'error',
      from: {},
      to: { path: '(^|/)main\\.ts$' },
    },
    {
      name: 'no-tests-in-production-code',
      comment: 'Move it into the room that owns the noun; product code does not know that tests exist.',
      severity: 'error',
      from: { path: product },
      to: { path: '^test/' },
    },
    {
      name: 'ponder-only-through-database',
      comment:
        'Ponder runs as a child process: read its tables through shared/db. Only what it is started with is shared.',
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
        "Import it from ponder-library.ts: Ponder's process would compile another copy at every start.",
      severity: 'error',
      from: { path: '^indexer/ponder/' },
      to: { path: '(^|/)node_modules/ponder/dist/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-daemon-queries-in-api',
      comment:
        'The API has no right to what these read or write: move the file out of `daemon/` if it shall have.',
      severity: 'error',
      from: { path: '^api/|^shared/db/.*/api/' },
      to: { path: '^shared/db/.*/daemon/' },
    },
    {
      name: 'no-api-queries-in-daemon',
      comment: 'The daemon asks another question, or both do: then move the file out of `api/`.',
      severity: 'error',
      from: { path: '^indexer/|^shared/db/.*/daemon/' },
      to: { path: '^shared/db/.*/api/' },
    },
    {
      name: 'sql-only-in-shared-db',
      comment: 'Write the statement as a function in shared/db and call that.',
      severity: 'error',
      from: { path: product, pathNot: '^shared/db/' },
      to: { path: '(^|/)node_modules/(postgres|pg)/' },
    },
    {
      name: 'artifacts-only-through-shared',
      comment: 'Only shared/domain and shared/chain read contracts/artifacts: ask them for the constant.',
      severity: 'error',
      from: { path: product, pathNot: '^shared/(domain|chain)/' },
      to: { path: '^contracts/' },
    },
    {
      name: 'no-dev-dependencies-in-production',
      comment: 'Add it to "dependencies" if the product needs it: the image holds no others.',
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
