import type { Marker } from './marker.ts'

/** Rules that histories cannot reach, the reason, and the tests that verify these rules instead. */
export type OutOfReach = {
  /** Matches the place of a rule: its file and declaration, or the name of a machine's transition. */
  readonly places: RegExp
  /** Matches the names of rules at other places that are out of reach for the same reason. */
  readonly rules?: RegExp
  readonly reason: string
  /** Paths of the tests, separated by `, `. */
  readonly heldBy: string
}

/** Code that runs elsewhere: not in the simulated processes, or not as TypeScript. */
const ELSEWHERE: readonly OutOfReach[] = [
  {
    places: /^contracts\//,
    reason: 'the simulated contracts are implemented independently of the Solidity code',
    heldBy: 'contracts/test',
  },
  {
    places: /^(shared\/db\/migrations|docs\/ops)\//,
    reason: 'PostgreSQL executes these functions, triggers and privileges, and no marker can count there',
    heldBy: 'test/integration/db',
  },
  {
    places: /^api\/checkout\//,
    reason: 'the page runs in a browser',
    heldBy: 'test/browser, test/unit/checkout',
  },
  {
    places: /^api\/client\//,
    reason: 'merchants and keepers run the client and its commands',
    heldBy: 'test/unit/client, test/integration/client',
  },
  {
    places: /^api\//,
    reason: 'no marker is placed in the API’s handlers, although histories run those of charges and checks',
    heldBy: 'test/integration/api',
  },
  {
    places: /^indexer\/(commands|main\.ts)/,
    reason: 'histories call the statements of operators’ commands, not the commands',
    heldBy: 'test/integration/commands, test/e2e',
  },
  {
    places:
      /^indexer\/(transport|ponder)\/|ponder-(owner|process|tables|maintenance)|owner-lock|chain-feed\/(chain-feed|generation|require-ponder-role)|known-addresses/,
    reason: 'Ponder runs in a separate process, which is modelled by its writes',
    heldBy: 'test/integration/chain-feed, test/integration/transport',
  },
  {
    places: /^shared\/(runtime|db\/(connect|session|end-read-only))/,
    reason: 'configuration and connections to PostgreSQL are the simulator’s own',
    heldBy: 'test/unit/runtime, test/integration/db',
  },
  {
    places:
      /^shared\/domain\/(amount-due|payment-options|webhook-target)|chain-facts\/(seen-amount|page-transfers)|charges\/api\/|accounting\/api\/|refunds\/api\/|doctor-facts/,
    reason: 'only request handlers and commands call this code',
    heldBy: 'test/unit/domain, test/integration/api',
  },
  {
    places: /send-signed|node-config|node-transport|domain\/fee\.ts/,
    reason: 'the code serves configuration, HTTP, keepers or the API, which the simulator replaces',
    heldBy: 'test/unit/chain, test/unit/domain, test/integration/commands',
  },
]

/** Behavior that histories do not contain yet. */
const NOT_YET: readonly OutOfReach[] = [
  {
    places: /verify-refund\.ts#markRefundVerified/,
    reason: 'few refunds are paid while an operator trusts a node',
    heldBy: 'test/integration/refunds',
  },
  {
    places:
      /escrow-order\.ts#(requireNearlyAll|verifyEscrowSignature)|escrow-end\.ts#isRelease|update-ledgers\.ts#settleReleased/,
    rules:
      /\bsimulated (escrow|order)\b|after the escrow has ended|an order that was not executed|each of its balances was read/,
    reason: 'each releaser signs for the whole balance and moves it to one account, and few orders revert',
    heldBy: 'test/integration/escrow, test/integration/api, test/unit/domain',
  },
  {
    places: /pay-by-signature|eip3009|recover-key-signer/,
    rules: /\bauthorization\b|payments? by signature/,
    reason: 'payers sign in a quarter of all histories, and most of them send few signatures',
    heldBy: 'test/integration/pay-by-signature',
  },
  {
    places: /tron\/watch-tron-balance/,
    rules: /\bTRX\b/,
    reason: 'the relayer on TRON always has enough TRX',
    heldBy: 'test/integration/tron, test/unit/relayer',
  },
  { places: /swap/, reason: 'no payer swaps', heldBy: 'test/integration/api' },
  {
    places: /evidence/,
    reason: 'histories do not run the loop that proves evidence',
    heldBy: 'test/unit/evidence, test/integration/evidence',
  },
  { places: /pacing/, reason: 'no node has a budget of requests', heldBy: 'test/unit/chain/pacing' },
  {
    places:
      /refunds\/(claim-destination\.ts#(claimDestination|verify)|verify-claim|within-time|require-destination\.ts#findPayerProblem)|refund-claims\.ts#isPayer|refund-claim\.ts#buildMessage|find-destination-problem/,
    reason:
      'no payer signs the address of a refund, no operator restricts it, and few queries of a refund take 7 s',
    heldBy: 'test/integration/refunds, test/unit/refunds, test/unit/domain',
  },
  {
    places: /strike-charge|strike-ledger|daemon\/strikes|charge\.status: transfer\.struck/,
    rules: /\bstruck\b(?! while a node (is silent|shows it))|\bstrike\b/,
    reason: 'operators order strikes in a sixth of all histories, and few rows can be struck',
    heldBy: 'test/integration/charges',
  },
  {
    places: /compare-old-charges|next-comparison|search-batch|urgent-charges|charge-comparisons/,
    reason: 'no history is long enough for the schedule of old charges',
    heldBy: 'test/integration/reconciliation',
  },
  {
    places: /find-terms-problem|find-signing-problem|read-payout-step|require-signable|service-terms/,
    reason: 'the API’s role writes only data that the API would write',
    heldBy: 'test/integration/privileges, test/unit/relayer',
  },
  {
    places: /decide-trigger|rebuild-entries/,
    reason: 'merchants trigger events only of their own test charges, and no books are rebuilt',
    heldBy: 'test/integration/charges',
  },
]

/** Places that are evaluated once, when their module is loaded, and the reason why they need no marker. */
export const EVALUATED_ONCE: ReadonlyMap<string, string> = new Map([
  ['machines/charge.ts#chargeMachine', 'each transition has a marker'],
  ['machines/charge.ts#chargeSetup', 'each transition that this guard permits or refuses has a marker'],
  ['machines/payout.ts#payoutMachine', 'each transition has a marker'],
  ['machines/refund.ts#refundMachine', 'each transition has a marker'],
  [
    'indexer/corroboration/sources-by-family.ts#SOURCES_BY_FAMILY',
    'each source that it names has its own markers',
  ],
  [
    'shared/domain/allowed-transitions.ts#RELAYER_TRANSACTION_TRANSITIONS',
    'the table of mutants has rows for the statement that reads it',
  ],
])

export const OUT_OF_REACH: readonly OutOfReach[] = [...ELSEWHERE, ...NOT_YET]

/** Returns the reason why histories cannot reach a rule or a transition; `null` if they must reach it. */
export function findReason({ name, at }: Pick<Marker, 'name' | 'at'>): OutOfReach | null {
  const place = at === 'machines' ? name : at
  return OUT_OF_REACH.find(({ places, rules }) => places.test(place) || rules?.test(name) === true) ?? null
}
