import type { Address } from '../../shared/domain/address.ts'
import { TOTAL_ALLOCATION } from '../../shared/domain/allocation.ts'
import { parseDecimal, truncateTo } from '../../shared/domain/decimal.ts'
import { HUNDRED_PERCENT, type Percent } from '../../shared/domain/percent.ts'

/** A distributed amount, the share of each account, and the payments to it on the chain (`paidTo`), in atomic units. */
export type Paid = {
  readonly amount: bigint
  readonly feePercent: Percent
  /** The keeper's share, at most the fee. */
  readonly incentivePercent: Percent
  /** Percentages are of the amount after the fee. Each account occurs only once. */
  readonly recipients: readonly { readonly address: Address; readonly percents: readonly Percent[] }[]
  readonly merchant: Address
  readonly treasury: Address
  readonly keeper: Address
  readonly paidTo: ReadonlyMap<Address, bigint>
}

/** Amounts of a charge as the API returns them. */
export type ShownFigures = {
  readonly feeAmount: number
  readonly merchantAmount: number
  readonly splitRecipients: readonly { readonly address: string; readonly percent: number }[]
}

const MILLION = BigInt(TOTAL_ALLOCATION)
/** 100 % in the unit of the shares, which are products of two percentages. Shares are therefore never rounded. */
const WHOLE = HUNDRED_PERCENT * HUNDRED_PERCENT

/**
 * Returns the violations of the rules in decisions 1.7. The payments must add up to the amount. An account may get less
 * than its exact share by at most one atomic unit per share, plus these millionths of the amount:
 * - split recipient: one per share
 * - treasury: one
 * - keeper: none
 * - merchant: one per recipient share that was raised to one millionth
 */
export function findBrokenInvariants(paid: Paid): readonly string[] {
  const { amount, feePercent, incentivePercent, merchant, treasury, keeper } = paid
  const net = HUNDRED_PERCENT - feePercent
  const potShare = WHOLE - incentivePercent * HUNDRED_PERCENT
  const shares = paid.recipients.map(({ percents }) => percents.map((each) => each * net))
  const given = shares.flat().reduce((sum, share) => sum + share, 0n)
  const raised = shares.flat().filter((share) => share * MILLION < potShare).length
  const due = [
    { who: merchant, share: net * HUNDRED_PERCENT - given, entries: raised, units: 1 },
    { who: treasury, share: (feePercent - incentivePercent) * HUNDRED_PERCENT, entries: 1, units: 1 },
    { who: keeper, share: incentivePercent * HUNDRED_PERCENT, entries: 0, units: 1 },
    ...paid.recipients.map(({ address, percents }, index) => ({
      who: address,
      share: (shares[index] ?? []).reduce((sum, share) => sum + share, 0n),
      entries: percents.length,
      units: percents.length,
    })),
  ]
  const total = [...paid.paidTo.values()].reduce((sum, value) => sum + value, 0n)
  return [
    ...(total === amount ? [] : [`${total} of ${amount} was paid`]),
    ...due
      .filter(({ who, share, entries, units }) => {
        const got = (paid.paidTo.get(who) ?? 0n) + BigInt(units)
        return (got * MILLION + BigInt(entries) * amount) * WHOLE < amount * share * MILLION
      })
      .map(({ who }) => `${who} got ${paid.paidTo.get(who) ?? 0n} of ${amount}, less than their share`),
  ]
}

/**
 * Returns the sum of the transfers to a charge's address, except from the charge itself, in atomic units. The charge
 * must not report more as received.
 *
 * @param transfers - the chain's transfers of one token
 */
export function paidByOthers(
  transfers: readonly { readonly from: string; readonly to: string; readonly value: bigint }[],
  { address, splitAddress }: { readonly address: string; readonly splitAddress: string },
): bigint {
  const own = [address.toLowerCase(), splitAddress.toLowerCase()]
  return transfers
    .filter(({ from, to }) => to.toLowerCase() === own[0] && !own.includes(from.toLowerCase()))
    .reduce((sum, { value }) => sum + value, 0n)
}

/**
 * Returns a message for each of the charge's amounts that differs too much from the payments on the chain. An amount
 * may differ by a millionth of the paid amount plus two atomic units per share.
 */
export function wrongFigures(paid: Paid, shown: ShownFigures, decimals: number): readonly string[] {
  const got = (addresses: readonly Address[]) =>
    addresses.reduce((sum, address) => sum + (paid.paidTo.get(address) ?? 0n), 0n)
  const recipients = paid.recipients.map(({ address }) => address)
  const figures = [
    { what: 'feeAmount', shown: shown.feeAmount, paid: got([paid.treasury, paid.keeper]), entries: 1 },
    {
      what: 'merchantAmount',
      shown: shown.merchantAmount,
      paid: got([paid.merchant, ...recipients]),
      entries: 1,
    },
    ...paid.recipients.map(({ address, percents }) => ({
      what: `the share of ${address}`,
      shown:
        (shown.merchantAmount *
          shown.splitRecipients
            .filter((entry) => entry.address.toLowerCase() === address)
            .reduce((sum, entry) => sum + entry.percent, 0)) /
        100,
      paid: got([address]),
      entries: percents.length,
    })),
  ]
  return figures
    .filter(({ shown: figure, paid: units, entries }) => {
      const distance = toAtomic(figure, decimals) - units
      // The contract rounds down twice, each time by less than one unit.
      const allowed = (BigInt(entries) * paid.amount) / MILLION + 2n * BigInt(entries)
      return distance > allowed || -distance > allowed
    })
    .map(({ what, shown: figure, paid: units }) => `${what} is shown as ${figure}, but ${units} was paid`)
}

/** Converts a JSON number to atomic units, rounded down. */
function toAtomic(figure: number, decimals: number): bigint {
  const decimal = parseDecimal(String(figure))
  if (decimal === null) throw new Error(`${figure} is not a number`)
  return truncateTo(decimal, decimals)
}
