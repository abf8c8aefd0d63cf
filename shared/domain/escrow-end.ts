import type { Address } from './address.ts'
import type { EscrowAction } from './escrow-action.ts'
import { type AttoDollars, atto, type MicroDollars, microToAtto } from './money.ts'
import type { PairKey } from './networks.ts'

/** Credits of one sender to an escrow charge, on one pair and in one second of chain time. */
export type CountedCredit = {
  readonly pair: PairKey
  /**
   * The sender. The type allows `null` because the column does, for sandbox credits without a payer. Sandbox credits
   * never count here, because they are in no Safe.
   */
  readonly sender: Address | null
  readonly amountAtto: AttoDollars
  /** Time of the block, in Unix seconds. */
  readonly timestamp: number
}

/** A transfer out of an escrow's Safe, at confirmation depth. */
export type CountedMovement = {
  readonly amountAtto: AttoDollars
  readonly isIntoSplit: boolean
  /** The action of the releaser's order that the transaction executes; `null` if the transaction executes no order. */
  readonly orderedAction: EscrowAction | null
  /** Time of the block, in Unix seconds. */
  readonly timestamp: number
}

/** The facts that decide whether an escrow has ended. */
export type EscrowRecord = {
  /** The charge's `amount`. */
  readonly amountMicro: MicroDollars
  readonly credits: readonly CountedCredit[]
  readonly movements: readonly CountedMovement[]
}

/** How an escrow ended, and whether an order through our endpoints ended it. */
export type EscrowEnd = { readonly action: EscrowAction; readonly byEndpoint: boolean }

/**
 * Minimum percent of the credits that must leave a Safe to end its escrow, and of the outflow that must reach the split
 * for a release. It is below 100 because a token may charge the sender a fee, in a separate log before the transfer's
 * log. No supported issuer can set a fee above 0.2 percent (`setParams` of TetherToken: fewer than 20 basis points).
 *
 * @see https://etherscan.io/token/0xdac17f958d2ee523a2206206994597c13d831ec7#code
 */
const NEARLY_ALL_PERCENT = 99n

/** Percent of a charge's amount below which the credits of one sender on one pair are dust. */
const DUST_PERCENT = 1n

/** The amount that left a Safe, and the part of it that reached the split, in the same unit. */
type Outflow = { readonly left: bigint; readonly reached: bigint }

/** Returns whether nearly all of the outflow reached the split. */
export function isRelease({ left, reached }: Outflow): boolean {
  return reached * 100n >= left * NEARLY_ALL_PERCENT
}

/**
 * Returns whether an amount is dust relative to a charge's `amount`. The SQL form is `isEscrowDust` of
 * `shared/db/predicates.ts`.
 */
export function isEscrowDust(creditedAtto: AttoDollars, amountMicro: MicroDollars): boolean {
  return creditedAtto * 100n < microToAtto(amountMicro) * DUST_PERCENT
}

/**
 * Returns how an escrow ended, or `null` if it has not ended.
 *
 * For each second with an outflow from the Safe, B is the amount credited by then, without dust. The escrow ends in the
 * first of these seconds in which B is above zero and either a relayed order moved its signed amount, or nearly all of
 * B has left the Safe. The end therefore does not depend on a token's fee, on a cent that the releaser moves out, or on
 * a transfer whose counterpart is recorded later. Credits and transfers of all pairs are added by value, in the order
 * of chain time.
 *
 * @see decisions 4.4
 */
export function findEscrowEnd(record: EscrowRecord): EscrowEnd | null {
  let sums: Sums = { credited: 0n, left: 0n, reached: 0n }
  for (const moment of listMoments(record)) {
    sums = addUp(sums, moment)
    const end = endAt(sums, moment)
    if (end !== null) return end
  }
  return null
}

/** Sums up to a second of chain time, in 10⁻¹⁸ dollars; `credited` excludes dust. */
type Sums = Outflow & { readonly credited: bigint }

/** The credits and transfers of one second of chain time. */
type Moment = { readonly creditedAtto: bigint; readonly movements: readonly CountedMovement[] }

function endAt(sums: Sums, { movements }: Moment): EscrowEnd | null {
  if (movements.length === 0 || sums.credited === 0n) return null
  const ordered = movements.find(({ orderedAction }) => orderedAction !== null)?.orderedAction
  if (ordered) return { action: ordered, byEndpoint: true }
  if (sums.left * 100n < sums.credited * NEARLY_ALL_PERCENT) return null
  return { action: isRelease(sums) ? 'release' : 'refund', byEndpoint: false }
}

function addUp(sums: Sums, { creditedAtto, movements }: Moment): Sums {
  const left = movements.reduce((sum, { amountAtto }) => sum + amountAtto, 0n)
  const intoSplit = movements.filter(({ isIntoSplit }) => isIntoSplit)
  const reached = intoSplit.reduce((sum, { amountAtto }) => sum + amountAtto, 0n)
  return {
    credited: sums.credited + creditedAtto,
    left: sums.left + left,
    reached: sums.reached + reached,
  }
}

/** Lists the seconds with credits or transfers, earliest first. */
function listMoments(record: EscrowRecord): readonly Moment[] {
  const moments = new Map<number, Moment>()
  const change = (timestamp: number, next: (moment: Moment) => Moment) =>
    moments.set(timestamp, next(moments.get(timestamp) ?? { creditedAtto: 0n, movements: [] }))
  for (const { timestamp, amountAtto } of withoutDust(record))
    change(timestamp, (moment) => ({ ...moment, creditedAtto: moment.creditedAtto + amountAtto }))
  for (const movement of record.movements)
    change(movement.timestamp, (moment) => ({ ...moment, movements: [...moment.movements, movement] }))
  return [...moments].toSorted(([left], [right]) => left - right).map(([, moment]) => moment)
}

/**
 * Replaces the amount of dust with 0. A sender's dust on a pair counts from the time at which the sum of the sender's
 * credits on this pair is no longer dust.
 */
function withoutDust({ amountMicro, credits }: EscrowRecord) {
  const sums = new Map<string, bigint>()
  return credits
    .toSorted((left, right) => left.timestamp - right.timestamp)
    .map(({ pair, sender, amountAtto, timestamp }) => {
      const key = `${pair}/${sender}`
      const before = sums.get(key) ?? 0n
      sums.set(key, before + amountAtto)
      if (isEscrowDust(atto(before + amountAtto), amountMicro)) return { timestamp, amountAtto: 0n }
      const isFirst = isEscrowDust(atto(before), amountMicro)
      return { timestamp, amountAtto: isFirst ? before + amountAtto : amountAtto }
    })
}
