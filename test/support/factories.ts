import { randomBytes } from 'node:crypto'
import type { ChargeInbox } from '../../indexer/charges/decide-charge.ts'
import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import type { DueCredit, DueSplitEvent } from '../../shared/db/charges/daemon/charge-inbox.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { predictSafeAddress } from '../../shared/domain/escrow-address.ts'
import { newId } from '../../shared/domain/ids.ts'
import { type AtomicUnits, atomic, atomicToAtto, atto, micro } from '../../shared/domain/money.ts'
import type { Token } from '../../shared/domain/networks.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../shared/domain/split-address.ts'

/** Chains of the test data. `testnet` is `base` in the test environment. */
export const CHAINS = {
  base: { chainId: 8453, network: 'base', environment: 'live', decimals: 6 },
  bnb: { chainId: 56, network: 'bnb', environment: 'live', decimals: 18 },
  testnet: { chainId: 84532, network: 'base', environment: 'test', decimals: 6 },
} as const

export type ChainName = keyof typeof CHAINS

export const MERCHANT = `0x${'a1'.repeat(20)}` as Address
export const TREASURY = `0x${'77'.repeat(20)}` as Address
export const KEEPER = `0x${'4e'.repeat(20)}` as Address

const CREATED_AT = new Date('2026-11-20T12:00:00.000Z')
export const EXPIRES_AT = new Date('2026-11-20T13:00:00.000Z')

const DEADLINE_SECONDS = EXPIRES_AT.getTime() / 1000

/** Block times before and at the deadline, in Unix seconds. A payment at the deadline is late. */
export const IN_TIME = DEADLINE_SECONDS - 600
export const TOO_LATE = DEADLINE_SECONDS

/** Returns the contract address of a token on a chain. */
export function getTokenAddress(chain: ChainName, token: Token = 'USDC'): Address {
  const byte = (token === 'USDC' ? 0xc0 : 0xd0) + Object.keys(CHAINS).indexOf(chain)
  return `0x${byte.toString(16).repeat(20)}` as Address
}

/** The merchant's share and a fee of 1 %, of which the keeper gets a tenth. */
const SPLIT_TERMS = {
  factory: SPLIT_FACTORY,
  recipients: [MERCHANT, TREASURY],
  allocations: [990_991, 9_009],
  totalAllocation: 1_000_000,
  distributionIncentive: 1_000,
}

/** Builds a pending charge of 10 dollars that accepts USDC on base and bnb, with the addresses that follow from it. */
export function buildCharge(columns: Partial<ChargeRow> = {}): ChargeRow {
  const { id = newId('ch', CREATED_AT.getTime()), splitTerms = SPLIT_TERMS, escrowReleaser = null } = columns
  const salt = chargeSalt(id)
  const { factory } = splitTerms
  const splitAddress = predictSplitAddress({
    ...{ factory, implementation: SPLIT_IMPLEMENTATION, split: splitTerms, salt },
  })
  return {
    id,
    organizationId: 'org_one',
    apiKeyId: null,
    environment: 'live',
    isSimulated: false,
    family: 'evm',
    status: 'pending',
    settlementStatus: null,
    amountMicro: micro(10_000_000n),
    receivedAtto: null,
    onTimeAtto: atto(0n),
    overpaidAnnounced: false,
    feePayer: 'merchant',
    feePercent: '1',
    escrowFeePercent: null,
    acceptedPayments: ['USDC/base', 'USDC/bnb'],
    acceptedChains: [CHAINS.base.chainId, CHAINS.bnb.chainId],
    paidWith: [],
    address: escrowReleaser
      ? predictSafeAddress({ releaser: escrowReleaser, saltNonce: salt })
      : splitAddress,
    splitAddress,
    splitTerms,
    splitRecipients: [],
    escrowReleaser,
    escrowReleasedAt: null,
    escrowRefundedAt: null,
    escrowPendingAction: null,
    authorization: null,
    refunds: [],
    externalRef: null,
    source: null,
    metadata: null,
    redirectUrl: null,
    createdAt: CREATED_AT,
    expiresAt: EXPIRES_AT,
    confirmedAt: null,
    settledAt: null,
    apiRequestId: null,
    lastActivityAt: CREATED_AT,
    txHash: null,
    ...columns,
  }
}

/** The minimum payout on every chain: one dollar. */
export const MINIMUM_PAYOUT = atto(10n ** 18n)

/** Converts `dollars` to atomic units of a chain's token, rounded to whole cents. */
export function units(dollars: number, chain: ChainName = 'base'): AtomicUnits {
  return atomic(BigInt(Math.round(dollars * 100)) * 10n ** BigInt(CHAINS[chain].decimals - 2))
}

type At = { readonly chain?: ChainName; readonly token?: Token; readonly valueAtomic: AtomicUnits }

/** Builds a transfer that was mined before the deadline and can be credited. */
export function buildCredit(credit: At & Partial<DueCredit>): DueCredit {
  const { chain = 'base', token = 'USDC', ...columns } = credit
  return {
    ...placeOf(chain, token),
    id: nextId(),
    chargeId: 'ch_one',
    amountAtto: atomicToAtto(credit.valueAtomic, CHAINS[chain].decimals),
    blockHash: randomHex(32),
    blockTimestamp: IN_TIME,
    ...columns,
  }
}

/** Builds a keeper's distribution at confirmation depth. */
export function buildSplitEvent(
  event: Omit<At, 'valueAtomic'> & Pick<DueSplitEvent, 'amountAtomic'> & Partial<DueSplitEvent>,
): DueSplitEvent {
  const { chain = 'base', token = 'USDC', ...columns } = event
  return {
    ...placeOf(chain, token),
    id: nextId(),
    chargeId: 'ch_one',
    kind: 'distributed',
    account: KEEPER,
    txHash: randomHex(32),
    blockHash: randomHex(32),
    isAnnounced: true,
    isDeep: true,
    isOrphaned: false,
    ...columns,
  }
}

/** Builds the inbox of a charge, by default empty. */
export function buildInbox(mail: Partial<ChargeInbox> = {}): ChargeInbox {
  return {
    charge: buildCharge(),
    ledgers: [],
    credits: [],
    splitEvents: [],
    escrowMovements: [],
    minimumPayoutOf: () => MINIMUM_PAYOUT,
    sandboxCredit: null,
    isDeadlinePassed: false,
    facts: [],
    ...mail,
  }
}

/** Returns this number of random bytes. */
export function randomHex(bytes: number): Hex {
  return `0x${randomBytes(bytes).toString('hex')}`
}

function placeOf(chain: ChainName, token: Token) {
  const { network, chainId, decimals } = CHAINS[chain]
  return { network, token, chainId, tokenAddress: getTokenAddress(chain, token), decimals }
}

let lastId = 0

function nextId(): number {
  lastId += 1
  return lastId
}
