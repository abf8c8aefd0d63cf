import type { Address, ChainFamilyName } from '../../../shared/domain/address.ts'
import {
  CHAIN_FAMILIES,
  findAddressFamily,
  parseAddress,
  presentAddress,
} from '../../../shared/domain/chain-families/chain-families.ts'
import { parseDecimal, truncateTo } from '../../../shared/domain/decimal.ts'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import type { KnownChain } from '../exit/known-chains.ts'
import type { PayoutAddresses } from '../exit/select-charges.ts'

export function readPayouts(texts: readonly string[]): PayoutAddresses {
  if (texts.length === 0) throw new CommandError('--payout is missing; see --help')
  const payouts = new Map<ChainFamilyName, Address[]>()
  for (const text of texts) {
    const family = findAddressFamily(text)
    const address = family && CHAIN_FAMILIES[family].parseAddress(text)
    if (family === null || address === null)
      throw new CommandError(`--payout is ${quote(text)}: must be an address, 0x… or T…`)
    payouts.set(family, [...(payouts.get(family) ?? []), address])
  }
  return payouts
}

/** Reads the value of `--minimum`, in dollars, and returns it in micro-dollars. */
export function readMinimum(text: string): bigint {
  const dollars = parseDecimal(text)
  if (dollars !== null && dollars.digits >= 0n) return truncateTo(dollars, 6)
  throw new CommandError(`--minimum is ${quote(text)}: must be dollars, such as 1 or 0.25`)
}

export function readEscrowSplit(text: string): Address {
  const address = parseAddress(text)
  if (address !== null) return address
  throw new CommandError(`--escrow-split is ${quote(text)}: must be the address of a split`)
}

/** Reads the values of `--max-cost`, such as `base=0.01`: amounts of each chain's coin, by the chain's name. */
export function readMaxCosts(
  texts: readonly string[],
  known: readonly KnownChain[],
): ReadonlyMap<string, bigint> {
  return new Map(
    texts.map((text) => {
      const at = text.lastIndexOf('=')
      const chain = known.find(({ name }) => name === text.slice(0, Math.max(at, 0)))
      const amount = parseDecimal(text.slice(at + 1))
      if (chain === undefined || amount === null || amount.digits < 0n)
        throw new CommandError(
          `--max-cost is ${quote(text)}: must be a chain's name, = and an amount of its coin, such as base=0.01`,
        )
      return [chain.name, truncateTo(amount, chain.coin.decimals)]
    }),
  )
}

/**
 * Returns the trusted factory of a family whose factory differs by network: the value of `--factory`, otherwise the
 * factory in the networks file, otherwise `undefined`.
 */
export function readFactory(named: string | undefined, known: readonly KnownChain[]): string | undefined {
  const listed = [...new Set(known.flatMap(({ splitFactory }) => splitFactory ?? []))]
  if (named === undefined) {
    const [only, ...others] = listed
    if (others.length > 0)
      throw new CommandError('--networks-file contains several factories: name one with --factory')
    const family = known.find(({ splitFactory }) => splitFactory !== undefined)?.family
    return only && family && presentAddress(only, family)
  }
  const address = requireFactory(named)
  if (listed.length === 0 || listed.includes(address)) return named
  throw new CommandError(`--factory is ${quote(named)}, but --networks-file does not contain this factory`)
}

/** Parses the value of `--factory`, which is allowed only for a family whose factory differs by network. */
function requireFactory(text: string): Address {
  const family = findAddressFamily(text)
  const address = family && CHAIN_FAMILIES[family].parseAddress(text)
  if (family === null || address === null)
    throw new CommandError(`--factory is ${quote(text)}: must be an address, T…`)
  if (CHAIN_FAMILIES[family].fixedFactory === null) return address
  throw new CommandError(
    `--factory is ${quote(text)}: the factory of ${family} networks is fixed, omit the option`,
  )
}

/** Quotes an argument, but hides it if it might be a key that was passed by mistake. */
function quote(text: string): string {
  return /[0-9a-fA-F]{64}/.test(text) ? '(hidden)' : JSON.stringify(text)
}
