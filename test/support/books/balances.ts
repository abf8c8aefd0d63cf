import type { Address } from '../../../shared/domain/address.ts'
import { pairKey } from '../../../shared/domain/networks.ts'
import type { MoneyChain } from './money-chain.ts'

/** Balances of accounts by pair, in 10^-18 of the token. */
export type Balances = ReadonlyMap<string, bigint>

/** Reads the balances of the given accounts on every chain, and of the chain's payers. */
export async function readBalances(
  chains: readonly MoneyChain[],
  accounts: readonly Address[],
): Promise<Balances> {
  const balances = new Map<string, bigint>()
  for (const chain of chains)
    for (const token of chain.tokens)
      for (const account of new Set([...accounts, ...chain.payers]))
        balances.set(
          `${pairKey({ token, network: chain.network })} ${account}`,
          await chain.readBalance(token, account),
        )
  return balances
}

export function subtractBalances(now: Balances, before: Balances): Balances {
  return new Map([...now].map(([key, balance]) => [key, balance - (before.get(key) ?? 0n)]))
}
