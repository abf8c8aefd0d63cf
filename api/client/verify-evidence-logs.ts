import type { Address } from '../../shared/domain/address.ts'
import { presentAddress } from '../../shared/domain/chain-families/chain-families.ts'
import type { ReceiptLog } from '../../shared/domain/evidence/decode-receipt.ts'
import { buildExpectedLog } from '../../shared/domain/evidence/expected-log.ts'
import { findKnownToken } from '../../shared/domain/evidence/find-known-token.ts'
import { TRANSFER_TOPIC, toTopic } from '../../shared/domain/log-topics.ts'
import type { CheckedTerms } from './check-address.ts'
import { requireCondition } from './evidence-error.ts'
import type { EvidenceLog, EvidenceTransaction } from './read-evidence.ts'
import { readSpelled } from './read-spelled.ts'

/** A token that the registry contains or the caller trusts. */
export type EvidenceToken = {
  readonly token: string
  readonly tokenAddress: string
  /** `live` or `test`. This field and the decimals are `null` if the registry does not contain the token. */
  readonly environment: string | null
  /** Decimals of the amounts in the split's logs. */
  readonly decimals: number | null
  /** Decimals of the amounts in transfer logs, which differ from `decimals` on Arc. */
  readonly transferDecimals: number | null
}

/** A log whose content is proven. */
export type VerifiedLog = Omit<EvidenceLog, 'token' | 'tokenAddress'> & { readonly of: EvidenceToken }

/** Sum of the transfers of a token from the split to one account in a transaction. */
export type PaidShare = {
  readonly of: EvidenceToken
  readonly address: string
  readonly amountAtomic: string
  /** The account's share in millionths of the amount after the incentive; `null` for an account not in the terms. */
  readonly allocation: number | null
}

type Logs = Pick<EvidenceTransaction, 'network' | 'chainId' | 'logs'> & {
  readonly terms: CheckedTerms
  /** Contracts of tokens that the caller trusts. */
  readonly tokens: readonly string[]
  readonly receiptLogs: readonly ReceiptLog[]
}

/**
 * Compares the logs in a transaction's evidence with the logs of the proven receipt.
 *
 * @throws {EvidenceError} naming the first difference
 */
export function verifyLogs(all: Logs): {
  readonly verified: readonly VerifiedLog[]
  readonly paid: readonly PaidShare[]
} {
  const positions = all.logs.map(({ position }) => position)
  requireCondition(new Set(positions).size === positions.length, 'the evidence lists a log twice')
  const verified = all.logs.map((log) => verifyLog(log, all))
  return { verified, paid: sumPaid(verified, all) }
}

function verifyLog(log: EvidenceLog, all: Logs): VerifiedLog {
  const { kind, position, party, amountAtomic, agreedAt, agreedBy } = log
  const { of, emitter, token } = identifyToken(log, all)
  const name = `the log at position ${position}`
  const proven = all.receiptLogs[position ?? -1]
  requireCondition(proven !== undefined, `the receipt has no log at position ${position}`)
  const { address: ours, splitAddress } = all.terms
  const payee = requireParty(log, all)
  const expected = buildExpectedLog({
    ...{ kind, address: ours, splitAddress, token, emitter, party: payee, amount: BigInt(amountAtomic) },
  })
  const { address, topics } = expected
  requireCondition(
    proven.address === address,
    `${name} is of the contract ${proven.address}, not of ${address}`,
  )
  requireCondition(
    proven.topics.join() === topics.join(),
    `${name} is not a ${kind} with the party ${party} (its topics are ${proven.topics.join(' ')})`,
  )
  const amount = readAmount(proven)
  requireCondition(
    amount !== null && String(amount) === amountAtomic,
    `${name} has the amount ${amount ?? proven.data}, not ${amountAtomic}`,
  )
  return { ...{ kind, position, party, amountAtomic, agreedAt, agreedBy }, of }
}

/** Throws if a log of this kind cannot have this party. */
function requireParty({ kind, party }: EvidenceLog, all: Logs): Address {
  const { address, splitAddress } = all.terms
  const other = readSpelled(party, all.terms.family)
  if (kind === 'credit') {
    const isOwn = other === address || other === splitAddress
    requireCondition(!isOwn, 'money that returns from the split or the escrow cannot be a payment')
  }
  if (kind === 'escrow_release' || kind === 'escrow_refund') {
    requireCondition(address !== splitAddress, `the charge has no escrow, and so no ${kind}`)
    const isRelease = other === splitAddress
    requireCondition(isRelease === (kind === 'escrow_release'), `a transfer to ${party} is not a ${kind}`)
  }
  return other
}

type Identified = { readonly of: EvidenceToken; readonly token: Address; readonly emitter: Address }

/**
 * Throws unless the registry contains the token's contract or the caller trusts it, because anyone can create a token
 * with any name.
 */
function identifyToken(log: Pick<EvidenceLog, 'token' | 'tokenAddress'>, all: Logs): Identified {
  const token = readSpelled(log.tokenAddress, all.terms.family)
  const known = findKnownToken({ chainId: all.chainId, tokenAddress: token })
  const label = `${log.tokenAddress} on chain ${all.chainId}`
  if (known === null) {
    const isTrusted = all.tokens.some((text) => readSpelled(text, all.terms.family) === token)
    requireCondition(isTrusted, `${label} is not a known token; if you trust it, pass it with --token`)
    const of = { ...log, environment: null, decimals: null, transferDecimals: null }
    return { of: pickToken(of), token, emitter: token }
  }
  const isNamed = known.token === log.token && known.network === all.network
  requireCondition(
    isNamed,
    `${label} is ${known.token} on ${known.network}, not ${log.token} on ${all.network}`,
  )
  const { environment, decimals, emitter } = known
  const of = { ...log, environment, decimals, transferDecimals: emitter.decimals }
  return { of: pickToken(of), token, emitter: emitter.address }
}

function pickToken({
  token,
  tokenAddress,
  environment,
  decimals,
  transferDecimals,
}: EvidenceToken): EvidenceToken {
  return { token, tokenAddress, environment, decimals, transferDecimals }
}

/** Sums the split's transfers to each account, for each token that the evidence shows as distributed or released. */
function sumPaid(verified: readonly VerifiedLog[], all: Logs): readonly PaidShare[] {
  const paying = verified.filter(({ kind }) => kind === 'distribution' || kind === 'released')
  const tokens = new Map(paying.map(({ of }) => [of.tokenAddress, of]))
  return [...tokens.values()].flatMap((of) => {
    const { emitter } = identifyToken(of, all)
    const sums = new Map<Address, bigint>()
    for (const log of all.receiptLogs) {
      const [selector, from, to] = log.topics
      const amount = readAmount(log)
      const isPaid =
        log.address === emitter && selector === TRANSFER_TOPIC && from === toTopic(all.terms.splitAddress)
      if (!isPaid || to === undefined || amount === null || amount === 0n) continue
      const recipient = `0x${to.slice(26)}` as Address
      sums.set(recipient, (sums.get(recipient) ?? 0n) + amount)
    }
    return [...sums].map(([recipient, amount]) => ({
      ...{ of, address: presentAddress(recipient, all.terms.family), amountAtomic: String(amount) },
      allocation: findAllocation(all.terms, recipient),
    }))
  })
}

/** Sums the allocations, because a recipient can occur twice. */
function findAllocation({ split }: CheckedTerms, recipient: Address): number | null {
  const own = split.allocations.filter((_, index) => split.recipients[index] === recipient)
  return own.length === 0 ? null : own.reduce((sum, allocation) => sum + allocation, 0)
}

function readAmount({ topics, data }: ReceiptLog): bigint | null {
  return topics.length === 3 && data.length === 66 ? BigInt(data) : null
}
